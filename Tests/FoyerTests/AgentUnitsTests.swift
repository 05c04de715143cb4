import Testing

@testable import foyer_main

@Suite struct AgentUnitsTests {
    @Test(arguments: [
        ("/usr/bin/foyer", "\"/usr/bin/foyer\""), ("/opt/my apps/foyer", "\"/opt/my apps/foyer\""),
        ("/x/100%/$HOME/foyer", "\"/x/100%%/$$HOME/foyer\""), ("/a\"b\\c/foyer", "\"/a\\\"b\\\\c/foyer\""),
    ])
    func `A path means itself in a unit`(path: String, quoted: String) { #expect(AgentUnits.quoted(path) == quoted) }
}
