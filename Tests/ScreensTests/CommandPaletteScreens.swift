import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct CommandPaletteScreens {
    private func names(_ state: State) -> [String] {
        guard let palette = state.palette else { return [] }
        return palette.found.map { palette.items[$0].name }
    }

    private func typed(_ state: State) -> String? {
        guard let palette = state.palette else { return nil }
        return palette.field.text
    }

    @Test func `A colon lists what can be done now, and a few letters find it`() throws {
        var state = World.state()
        state.type(":")
        #expect(state.place == .palette)
        try expectOverlay(
            "the palette", state,
            is: #"""
                ┌─ Commands ───────────────────────────────────────────────────────────────────┐
                │ ▸ open            Enter  get a token silently; shows the steps, or another … │
                │   sign-in         a      add an account; Enter signs the selected one in ag… │
                │   device-code     d      by device code; signs in again                      │
                │   filter          /      filter by words ('exact, ^start, !not), or is:sign… │
                │   next-needing-y… n      next that needs you                                 │
                │   inspect         i      its tokens                                          │
                │   scopes          s      consent; what each client was granted               │
                │   paste-token     p      paste a token; to inspect it, it is not stored      │
                │   remove          x      remove (the account or all marked) from one client… │
                │   sign-out        o      sign out (one or all marked): revoke, remove, end … │
                │   cycle-client    t      one client; cycles through the clients              │
                │   cycle-sorting   S      sort: most used, name, last used, expiring first    │
                │ :a command                                                                   │
                └──────────────────────────────────────────────────────────────────────────────┘
                Enter run  Tab complete  ↑ previous  Esc back  F1 help
                """#)
        state.type("sig")
        #expect(Array(names(state).prefix(2)) == ["sign-in", "sign-out"])
        try expectOverlay(
            "the palette, narrowed", state,
            is: #"""
                ┌─ Commands ───────────────────────────────────────────────────────────────────┐
                │ ▸ sign-in         a      add an account; Enter signs the selected one in ag… │
                │   sign-out        o      sign out (one or all marked): revoke, remove, end … │
                │   cycle-sorting   S      sort: most used, name, last used, expiring first    │
                │   settings        ,      settings; their values and sources                  │
                │   device-code     d      by device code; signs in again                      │
                │   filter          /      filter by words ('exact, ^start, !not), or is:sign… │
                │   mark            Space  mark or unmark; for bulk remove and sign-out        │
                │ :sig                                                                         │
                └──────────────────────────────────────────────────────────────────────────────┘
                Enter run  Tab complete  ↑ previous  Esc back  F1 help
                """#)
        var small = World.state(rows: 10, columns: 40)
        small.type(":")
        try expectScreen(
            "the palette, small", small,
            is: #"""
                 foyer  Accounts 3         ▲ plain file
                ┌─ Commands ───────────────────────────┐
                │ ▸ open            Enter  get a toke… │
                │   sign-in         a      add an acc… │
                │   device-code     d      by device … │
                │   filter          /      filter by … │
                │   next-needing-y… n      next that … │
                │ :a command                           │
                └──────────────────────────────────────┘
                 Enter run  Esc back  F1 help
                """#)
    }

    @Test func `Only what is valid is offered: without an account there is nothing to remove`() {
        var state = World.state([])
        state.type(":")
        #expect(!names(state).contains("remove"))
        #expect(names(state).contains("sign-in"))
        var full = World.state()
        full.type(":")
        #expect(names(full).contains("remove"))
    }

    @Test(arguments: [
        ("login", "sign-in"), ("logout", "sign-out"), ("q", "quit"), ("jwt", "inspect"), ("config", "settings"),
        ("dctr", "doctor"),
    ])
    func `Other names lead there, too`(typed: String, name: String) {
        var state = World.state()
        state.type(":" + typed)
        #expect(names(state).first == name)
    }

    @Test func `Enter runs it as its key would`() {
        var state = World.state()
        state.type(":dialog")
        #expect(names(state).isEmpty)
        #expect(state.press(.enter).isEmpty)
        #expect(state.notice != nil)
        state.press(.control("u"))
        state.type("doctor")
        #expect(state.press(.enter) == [.examine(RequestID(1))])
        #expect(state.place == .doctor)
        var other = World.state()
        other.type(":quit")
        #expect(other.press(.enter) == [.quit])
    }

    @Test func `Tab writes the marked name, and goes through the others`() {
        var state = World.state()
        state.type(":sig")
        state.press(.tab)
        #expect(typed(state) == "sign-in")
        state.press(.tab)
        #expect(typed(state) == "sign-out")
        state.press(.tab, .backTab)
        #expect(typed(state) == "sign-out")
        state.press(.enter)
        #expect(state.place == .dialog)
    }

    @Test func `Up brings back what was run before, Down what came after`() {
        var state = World.state()
        for name in ["activity", "settings"] {
            state.type(":" + name)
            state.press(.enter, .escape)
        }
        state.type(":")
        state.press(.up)
        #expect(typed(state) == "settings")
        state.press(.up, .up)
        #expect(typed(state) == "activity")
        state.press(.down)
        #expect(typed(state) == "settings")
        state.press(.down)
        #expect(typed(state) == "")
        for _ in 0..<500 {
            state.press(.escape)
            state.type(":activity")
            state.press(.enter, .escape)
            state.type(":settings")
            state.press(.enter, .escape)
        }
        #expect(state.context.commandHistory.count == 100)
    }

    @Test func `Over another screen its own commands are offered, and what is typed stays text`() {
        var state = World.state()
        state.type("A:")
        #expect(names(state).contains("back"))
        #expect(!names(state).contains("sign-in"))
        state.press(.paste("back"))
        state.press(.enter)
        #expect(state.place == .picker)
    }

    @Test func `In questions and where text is typed there is no palette`() {
        var state = World.state()
        state.type("x:")
        #expect(state.place == .dialog)
        state.press(.escape)
        state.type("/:")
        #expect(state.place == .filter && state.home.query.text == ":")
    }
}
