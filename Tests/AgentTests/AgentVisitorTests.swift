import Testing

@testable import CommandSupport

/// Who is connected to an agent, as the kernel lists it.
@Suite struct AgentVisitorTests {
    private static let head = "Num       RefCount Protocol Flags    Type St Inode Path\n"
    private static let path = "/run/user/1000/foyer/agent.sock"

    @Test(arguments: [
        ("0000000000000000: 00000002 00000000 00010000 0001 01 51234 /run/user/1000/foyer/agent.sock", false),
        ("0000000000000000: 00000003 00000000 00000000 0001 03 51235 /run/user/1000/foyer/agent.sock", true),
        ("0000000000000000: 00000003 00000000 00000000 0001 03     7 /run/user/1000/foyer/agent.sock", true),
        ("0000000000000000: 00000003 00000000 00000000 0001 03 51235 /run/user/1000/foyer/agent.sock2", false),
        ("0000000000000000: 00000003 00000000 00000000 0001 03 51235 @/run/user/1000/foyer/agent.sock", false),
        ("0000000000000000: 00000003 00000000 00000000 0001 03 51235", false), ("", false),
        ("0000000000000000: 00000003 00000000 00000000 0001 03 51235 /x /run/user/1000/foyer/agent.sock", false),
    ])
    func `Somebody is there when a connection to the socket is listed, not for who listens`(
        line: String, isThere: Bool
    ) {
        #expect(
            AgentPlace.lists(Array((Self.head + line + "\n").utf8), connectionTo: ["/other", Self.path]) == isThere)
    }
}
