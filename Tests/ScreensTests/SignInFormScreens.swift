import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct SignInFormScreens {
    @Test func `The sign-in form at 120x30`() throws {
        var state = World.state(World.accounts, rows: 30, columns: 120)
        state.type("a")
        try expectScreen(
            "form 120x30", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/token_cache.…  ▲ plain file
                ─ Sign in ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

                  authority    https://login.microsoftonline.com/organizations

                ▌ client     ← work →  11111111-2222-3333-4444-555555555555
                  tenant       not set: the authority's
                  scopes       https://graph.microsoft.com/User.Read
                  method       auto  device: no display here
                  prompt       provider's default
                  login hint   not set

                  The app to sign in with: left/right to choose; last entry: any client ID.















                ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
                 Enter sign in  Tab next  F3 check  Esc back  F1 help
                """#)
    }

    @Test func `The sign-in form at 80x24`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("a")
        try expectScreen(
            "form 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Sign in ──────────────────────────────────────────────────────────────────────

                  authority    https://login.microsoftonline.com/organizations

                ▌ client     ← work →  11111111-2222-3333-4444-555555555555
                  tenant       not set: the authority's
                  scopes       https://graph.microsoft.com/User.Read
                  method       auto  device: no display here
                  prompt       provider's default
                  login hint   not set

                  The app to sign in with: left/right to choose; last entry: any client ID.










                 Enter sign in  Tab next  F3 check  Esc back  F1 help
                """#)
    }

    @Test func `The sign-in form at 40x10`() throws {
        var state = World.state(World.accounts, rows: 10, columns: 40)
        state.type("a")
        try expectScreen(
            "form 40x10", state,
            is: #"""
                 foyer  Sign in            ▲ plain file
                  authority    https://login.microsoft…
                ▌ client     ← work →  11111111-2222-3…
                  tenant       not set: the authority's
                  scopes       https://graph.microsoft…
                  method       auto  device: no displa…
                  prompt       provider's default
                  login hint   not set
                  The app to sign in with: left/right ↓
                 Enter sign in  Esc back  F1 help
                """#)
    }

    @Test func `The form in ASCII says what is wrong`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("a")
        state.press(.backTab, .control("u"))
        state.type("http://evil.example")
        state.press(.enter)
        try expectScreen(
            "form complaint", state, glyphs: .ascii,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ! plain file
                - Sign in ----------------------------------------------------------------------

                > authority    http://evil.example

                  client       work  11111111-2222-3333-4444-555555555555
                  tenant       not set: the authority's
                  scopes       https://graph.microsoft.com/User.Read
                  method       auto  device: no display here
                  prompt       provider's default
                  login hint   not set

                  ! authority: http is allowed on loopback only; use https










                 Enter sign in  Tab next  F3 check  Esc back  F1 help
                """#)
    }

    @Test func `The focus has a bar, values are bright, and what is not set is neither`() {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("a")
        let grid = view(state.app, size: state.size, glyphs: .utf8)
        func cell(_ field: SignInForm.Field, _ column: Int) -> Cell {
            grid[SignInFormView.row(of: field, size: state.size), column]
        }
        #expect(cell(.client, 0).text == "▌" && cell(.client, 60).style == .selected(.text))
        #expect(cell(.authority, 0).text == " " && cell(.authority, 2).style == .role(.label))
        #expect(cell(.authority, 15).style == .role(.emphasis))
        #expect(cell(.tenant, 15).style == .role(.placeholder) && cell(.method, 15).style == .role(.placeholder))
    }
}
