import CommandSupport
import Foundation
import Identity
import Testing

@testable import Helpers
@testable import Programs

@Suite struct RepeatedCallsTests {
    @Test func `A process that asks again within a minute of the first answer was refused, and nobody else`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/calls-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let environment = ProcessEnvironment(workingFolder: "/") { $0 == "XDG_STATE_HOME" ? folder : nil }
        let calls = RetryDetector(environment, for: "cluster", caller: getpid())
        let (token, start) = (Secret("a token"), Date(timeIntervalSince1970: 1_800_000_000))
        #expect(!calls.contains(token, at: start))
        calls.note(token, at: start)
        #expect(calls.contains(token, at: start + 59))
        #expect(!calls.contains(Secret("another"), at: start + 1))
        #expect(!RetryDetector(environment, for: "another", caller: getpid()).contains(token, at: start + 1))
        // The same token given again makes the minute no longer.
        calls.note(token, at: start + 59)
        #expect(!calls.contains(token, at: start + 61))
        // A clock that was set back.
        #expect(!calls.contains(token, at: start - 3600))
    }
}
