import Identity
import Terminal
import Testing

@testable import Screens

@Suite struct PickerWideScreens {

    @Test func `The picker at 200x60`() throws {
        let state = World.state(rows: 60, columns: 200)
        try expectScreen(
            "picker 200x60", state,
            is: #"""
                """#)
    }

    @Test func `An account taken over from ADAL`() throws {
        var account = World.grace
        account.origin = .adal
        let state = World.state([AccountOverview(account: account, credentials: [])], rows: 24, columns: 120)
        try expectScreen(
            "picker adal", state,
            is: #"""
                """#)
    }

    @Test func `A reload keeps the rows and says so`() throws {
        var state = World.state(rows: 10, columns: 80)
        state.type("r")
        try expectScreen(
            "picker reloading", state,
            is: #"""
                """#)
    }

    @Test func `A filter that nothing matches`() throws {
        var state = World.state(rows: 12, columns: 80)
        state.type("/zebra")
        try expectScreen(
            "filter without match", state,
            is: #"""
                """#)
    }
}
