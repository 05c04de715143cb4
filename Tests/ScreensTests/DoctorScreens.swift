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
                ─ Accounts 3 ───────────────────────────────────────────────── 1 needs sign-in ─
                    account                                         client        access token
                  ○ lin                                             lab           needs sign-in
                ▌ ● ada@example.org +1 guest                        work +1       42 min
                  ◐ grace@example.org                               Azure CLI     renews on use



                  ┌─ Doctor ─────────────────────────────────────────────────────────────────┐
                  │ ✔ ok settings: ~/.config/foyer/config.toml, 2 clients                    │
                  │ ▲ note terminal: TERM says nothing of colours                            │
                  │   set TERM, such as xterm-256color                                       │
                  │ ◐ checking network                                                       │
                  └──────────────────────────────────────────────────────────────────────────┘





                ─ ada@example.org ──────────────────────────────────────────────────────────────
                 ● Enter: cached token, expires in 42 min  User.Read
                 Ada Lovelace  example.org, partner.example guest
                 Esc back  ? help
                """#)
    }

    @Test func `At the end the doctor says what is to be mended`() throws {
        try expectScreen(
            "doctor over", over(),
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Accounts 3 ───────────────────────────────────────────────── 1 needs sign-in ─
                    account                                         client        access token
                  ○ lin                                             lab           needs sign-in
                ▌ ● ada@example.org +1 guest                        work +1       42 min
                  ◐ grace@example.org                               Azure CLI     renews on use


                  ┌─ Doctor ─────────────────────────────────────────────────────────────────┐
                  │ ✔ ok settings: ~/.config/foyer/config.toml, 2 clients                    │
                  │ ▲ note terminal: TERM says nothing of colours                            │
                  │   set TERM, such as xterm-256color                                       │
                  │ ✖ BAD clock: 9 min apart from the provider's                             │
                  │   set this machine's clock; tokens will look expired                     │
                  │                                                                          │
                  │ 1 problem, 1 note                                                        │
                  └──────────────────────────────────────────────────────────────────────────┘



                ─ ada@example.org ──────────────────────────────────────────────────────────────
                 ● Enter: cached token, expires in 42 min  User.Read
                 Ada Lovelace  example.org, partner.example guest
                 r again  Esc back  ? help
                """#)
        try expectScreen(
            "doctor over, small", over(rows: 10, columns: 40),
            is: #"""
                 foyer  Accounts 3, 1 ne…  ▲ plain file
                ┌─ Doctor ─────────────────────────────┐
                │ ✔ ok settings:                       │
                │   ~/.config/foyer/config.toml, 2     │
                │   clients                            │
                │ ▲ note terminal: TERM says nothing   │
                │   of colours                         │
                │   set TERM, such as xterm-256color  ↓│
                └──────────────────────────────────────┘
                 r again  Esc back  ? help
                """#)
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
