import Identity
import Terminal
import Testing

@testable import Screens

@Suite struct MarkedScreens {

    @Test func `Two accounts marked at 80x24`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("  ")
        try expectScreen(
            "marked 80x24", state,
            is: #"""
                """#)
    }

    @Test func `Two accounts marked at 40x10`() throws {
        var state = World.state(rows: 10, columns: 40)
        state.type("  ")
        try expectScreen(
            "marked 40x10", state,
            is: #"""
                """#)
    }

    @Test func `The question before several are signed out`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("  o")
        try expectScreen(
            "group question sign-out", state,
            is: #"""
                """#)
    }

    @Test func `The question before several are removed at 40x10`() throws {
        var state = World.state(rows: 10, columns: 40)
        state.type("  x")
        try expectScreen(
            "group question 40x10", state,
            is: #"""
                """#)
    }

    @Test func `What became of several removals`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("  xy")
        state.send(.removed(3, FlightID(1)), .failed(Failure(.storeError, "the store is locked by another program"), FlightID(2)))
        try expectScreen(
            "group outcome remove", state,
            is: #"""
                """#)
    }

    @Test func `Half way through several removals`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("  xy")
        state.send(.removed(3, FlightID(1)))
        try expectScreen(
            "group working", state,
            is: #"""
                """#)
    }
}
