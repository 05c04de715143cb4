import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct DoctorScreens {
    private func examined(rows: Int = 24, columns: Int = 80) -> State {
        var state = World.state(rows: rows, columns: columns)
        state.type("!")
        state.send(
            .examination(.looking("settings"), RequestID(1)),
            .examination(
                .found(DoctorFinding("settings", .good, "~/.config/foyer/config.toml, 2 clients")), RequestID(1)),
            .examination(.looking("terminal"), RequestID(1)),
            .examination(
                .found(
                    DoctorFinding(
                        "terminal", .note, "TERM says nothing of colours", hint: "set TERM, such as xterm-256color")),
                RequestID(1)),
            .examination(.looking("network"), RequestID(1)))
        return state
    }

    private func over(rows: Int = 24, columns: Int = 80) -> State {
        var state = examined(rows: rows, columns: columns)
        state.send(
            .examination(
                .found(
                    DoctorFinding(
                        "clock", .bad, "9 min apart from the provider's",
                        hint: "set this machine's clock; tokens will look expired")),
                RequestID(1)), .examination(.over, RequestID(1)))
        return state
    }

    @Test func `An exclamation mark examines everything, each line as it is found`() throws {
        var state = World.state()
        #expect(state.type("!") == [.examine(RequestID(1))])
        try expectScreen(
            "doctor at work", examined(),
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Activity ›  All  Programs  Agent  Failures  Doctor ──────── checking, 1 note ─
                    checked   result    finding
                  ✔ settings  ok        ~/.config/foyer/config.toml, 2 clients
                ▌ ▲ terminal  note      TERM says nothing of colours
                  ◐ network   checking










                ────────────────────────────────────────────────────────────────────────────────
                 ▲ terminal: note
                 TERM says nothing of colours

                 set TERM, such as xterm-256color


                 Enter read  Tab view  y copy…  Esc back  ? help
                """#)
    }

    @Test func `At the end the doctor says what is to be mended`() throws {
        try expectScreen(
            "doctor over", over(),
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Activity ›  All  Programs  Agent  Failures  Doctor 1 ──── 1 problem · 1 note ─
                    checked   result   finding
                  ✔ settings  ok       ~/.config/foyer/config.toml, 2 clients
                  ▲ terminal  note     TERM says nothing of colours
                ▌ ✖ clock     problem  9 min apart from the provider's










                ────────────────────────────────────────────────────────────────────────────────
                 ✖ clock: problem
                 9 min apart from the provider's

                 set this machine's clock; tokens will look expired


                 Enter read  r again  Tab view  y copy…  Esc back  ? help
                """#)
        try expectScreen(
            "doctor over, small", over(rows: 10, columns: 40),
            is: #"""
                 foyer  Doctor, 1 problem  ▲ plain file
                  ✔ settings  ok
                      ~/.config/foyer/config.toml, 2 c…
                  ▲ terminal  note
                      TERM says nothing of colours
                ▌ ✖ clock     problem
                ▌     9 min apart from the provider's


                 Enter read  r again  Esc back  ? help
                """#)
    }

    @Test func `The first problem is marked as long as nobody has moved, and a finding is read whole`() throws {
        var state = over(rows: 10, columns: 40)
        #expect(state.app.topPage.selectedRow == 2)
        state.press(.up)
        #expect(state.app.topPage.selectedRow == 1)
        state.press(.enter)
        #expect(state.place == .doctorDetails)
        try expectScreen(
            "one finding, small", state,
            is: #"""
                 foyer  Doctor, 1 problem  ▲ plain file
                 ▲ terminal: note
                 TERM says nothing of colours

                 set TERM, such as xterm-256color




                 r again  Tab view  Esc back  ? help
                """#)
        state.press(.escape)
        #expect(state.place == .doctor)
    }

    @Test func `On a wide screen the finding and what to do stand beside the list`() throws {
        try expectScreen(
            "doctor, wide", over(rows: 16, columns: 110),
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/to…  ▲ plain file
                ─ Activity ›  All  Programs  Agent  Failures  Doctor 1 ─────┬──────────────────────────── 1 problem · 1 note ─
                    checked   result   finding                              │ ✖ clock: problem
                  ✔ settings  ok       ~/.config/foyer/config.toml, 2 clie… │ 9 min apart from the provider's
                  ▲ terminal  note     TERM says nothing of colours         │
                ▌ ✖ clock     problem  9 min apart from the provider's      │ set this machine's clock; tokens will look
                                                                            │ expired
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                                                                            │
                 Enter read  r again  Tab view  y copy…  Esc back  ? help
                """#)
    }

    @Test func `A text is looked for in the findings`() {
        var state = over()
        state.type("/xterm")
        #expect(state.picture().contains("not found"), "the hint is not in the list")
        state.press(.escape)
        state.type("/colours")
        #expect(state.app.topPage.selectedRow == 1)
    }

    @Test func `A face of lines is told all findings at once`() {
        let state = over()
        let lines = PlainText.lines(state.app.topPage.wholeText)
        #expect(
            lines == [
                "ok   settings: ~/.config/foyer/config.toml, 2 clients", "note terminal: TERM says nothing of colours",
                "  set TERM, such as xterm-256color", "BAD  clock: 9 min apart from the provider's",
                "  set this machine's clock; tokens will look expired", "1 problem, 1 note",
            ])
        #expect(state.app.topPage.rows() == nil)
    }

    @Test func `Leaving gives the examination up; again is offered only when it is over`() {
        var running = examined()
        #expect(running.type("r").isEmpty)
        #expect(running.press(.escape) == [.cancel(RequestID(1))])
        var state = over()
        #expect(state.type("r") == [.examine(RequestID(2))])
        state.send(.examination(.found(DoctorFinding("late", .bad, "from the one before")), RequestID(1)))
        #expect(state.doctor?.findings.isEmpty == true)
        state.send(.examination(.over, RequestID(2)))
        #expect(state.picture().contains("no problems"))
        #expect(state.press(.escape).isEmpty)
    }

    @Test func `Findings without end are bounded`() {
        var sheet = DoctorPage(RequestID(1))
        for number in 0..<1000 { sheet.receive(.found(DoctorFinding("store \(number)", .note, "there"))) }
        #expect(sheet.findings.count == 200)
    }
}
