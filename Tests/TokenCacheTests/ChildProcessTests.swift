import Glibc
import Testing
import Waiting

@testable import TokenCache

@Suite struct ChildProcessTests {
    @Test func `A program that is run gets standard input, output and error and no other descriptor`() throws {
        var ends: [Int32] = [0, 0]
        // Without close-on-exec, as libraries open theirs.
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let outcome = ChildProcess.run("/bin/ls", ["/proc/self/fd"], input: [], mostOutput: 1000, limit: Waiting.end)
        guard case .exited(status: 0, let output) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        // The last is the folder that is being listed.
        #expect(String(decoding: output, as: UTF8.self).split(separator: "\n") == ["0", "1", "2", "3"])
    }
}
