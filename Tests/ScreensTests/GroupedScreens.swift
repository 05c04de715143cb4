import Identity
import Terminal
import Testing

@testable import Screens

@Suite struct GroupedScreens {

    @Test func `Grouped by tenant at 120x24`() throws {
        var state = World.state(rows: 24, columns: 120)
        state.type("zz")
        try expectScreen(
            "grouped tenant 120x24", state,
            is: #"""
                """#)
    }

    @Test func `Grouped by client at 80x24`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("zzz")
        try expectScreen(
            "grouped client 80x24", state,
            is: #"""
                """#)
    }

    @Test func `Grouped by cloud at 40x10`() throws {
        var state = World.state(rows: 10, columns: 40)
        state.type("z")
        try expectScreen(
            "grouped cloud 40x10", state,
            is: #"""
                """#)
    }

    @Test func `Grouped by client with a filter`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("zzz/azure")
        try expectScreen(
            "grouped client filter", state,
            is: #"""
                """#)
    }
}
