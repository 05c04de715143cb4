import StrictJSON
import Testing

@testable import foyer_main

@Suite struct AgentStatusTextTests {
    private func askers(_ members: String) throws -> [String] {
        let status = try JSONValue(parsing: Array(#"{"askers": [\#(members)]}"#.utf8))
        return AgentStatusText(status: status).lines.filter { $0.hasPrefix("asked") }
    }

    @Test func `A request from another host names the program there, and the way from there`() throws {
        let forwarded = try askers(
            #"{"program": "/usr/bin/ssh", "pid": 7, "forwarded": "ssh build", "forwardedProgram": "/usr/bin/git"}"#)
        #expect(forwarded == ["asked     git via ssh build (pid 7)"])
        #expect(try askers(#"{"program": "/usr/bin/git", "pid": 7}"#) == ["asked     /usr/bin/git (pid 7)"])
    }
}
