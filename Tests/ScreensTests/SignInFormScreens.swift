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
                ─ Sign in ───────────────────────────────────────────────────────────┬─ What will happen ───────────────────────────────
                                                                                     │ asks          login.microsoftonline.com
                  authority    https://login.microsoftonline.com/organizations       │   low         User.Read: signs you in and reads
                                                                                     │               your own profile
                ▌ client     ← work →  11111111-2222-3333-4444-555555555555          │ by            device code: no display here
                  tenant       not set: the authority's                              │               uses the sessions of the browser
                  scopes       https://graph.microsoft.com/User.Read                 │               where you enter the code
                  method       auto  device: no display here                         │ stores in
                  prompt       provider's default                                    │   ~/.local/share/foyer/token_cache.json
                  login hint   not set                                               │               plain file
                                                                                     │ client        work
                  The app to sign in with: left/right to choose; last entry: any     │ then          foyer token --client work
                  client ID.                                                         │               --account USERNAME
                                                                                     │               gets this sign-in's token from the
                                                                                     │               cache
                                                                                     │
                                                                                     │
                                                                                     │
                                                                                     │
                                                                                     │
                                                                                     │
                                                                                     │
                                                                                     │
                                                                                     │
                                                                                     │
                                                                                     │
                                                                                     │
                ─────────────────────────────────────────────────────────────────────┴──────────────────────────────────────────────────
                 Enter sign in  Tab next  F2 clients  F3 check  Esc back  F1 help
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

                ─ What will happen ─────────────────────────────────────────────────────────────
                  asks          login.microsoftonline.com
                    low         User.Read
                  by            device code: no display here
                  stores in     ~/.local/share/foyer/token_cache.json, plain file
                  client        work
                  then          foyer token --client work --account USERNAME


                 Enter sign in  Tab next  F2 clients  F3 check  Esc back  F1 help
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

                - What will happen -------------------------------------------------------------
                  asks          the provider you enter
                    for         the provider's default scopes
                  by            device code: no display here
                                uses the sessions of the browser where you enter the code
                  stores in     ~/.local/share/foyer/token_cache.json
                                plain file
                  client        work

                 Enter sign in  Tab next  F2 clients  F3 check  Esc back  F1 help
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

    @Test func `Another provider at 110x30, with what it supports`() throws {
        var state = World.state([], rows: 30, columns: 110)
        state.press(.down, .down, .down, .enter, .key("https://id.example.org/realms/lab"), .tab)
        state.send(.reply(.provider(ProviderSupport(kind: .oidc, hasDeviceCode: true)), RequestID(2)))
        state.type("my-cli")
        try expectScreen(
            "another provider 110x30", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/to…  ▲ plain file
                ─ Sign in ─────────────────────────────────────────────────────┬─ What will happen ───────────────────────────
                                                                               │ asks          id.example.org
                  authority    https://id.example.org/realms/lab               │   low         email: reads your email
                               ✔ OpenID Connect · device code, browser         │               address, not your mail
                ▌ client       my-cli                                          │   low         openid: signs you in: shares a
                  tenant       not set: the authority's                        │               user ID, nothing else
                  scopes       not set: openid profile email                   │   low         profile: reads your name and
                  method       auto  device: no display here                   │               basic profile
                  prompt       provider's default                              │ by            device code: no display here
                  login hint   not set                                         │               uses the sessions of the
                                                                               │               browser where you enter the
                  The app to sign in with: left/right to choose; last entry:   │               code
                  any client ID.                                               │ stores in
                                                                               │   ~/.local/share/foyer/token_cache.json
                                                                               │               plain file
                                                                               │ client        saved in the settings as
                                                                               │               id.example.org
                                                                               │ then          foyer token --client
                                                                               │               id.example.org
                                                                               │               gets this sign-in's token from
                                                                               │               the cache
                                                                               │
                                                                               │
                                                                               │
                                                                               │
                                                                               │
                                                                               │
                ───────────────────────────────────────────────────────────────┴──────────────────────────────────────────────
                 Enter sign in  Tab next  F2 clients  F3 check  Esc back  F1 help
                """#)
    }

    @Test func `A provider that cannot be reached at 80x24 and at 40x10`() throws {
        for (name, rows, columns) in [("80x24", 24, 80), ("40x10", 10, 40)] {
            var state = World.state([], rows: rows, columns: columns)
            state.press(.down, .down, .down, .enter, .key("https://id.example.org/realms/lab"), .tab)
            state.send(.failed(Failure(.unavailable, "cannot resolve id.example.org"), RequestID(2)))
            #expect(state.picture().contains("▲ cannot resolve id.example.org"), "\(name)")
            #expect(state.labels.contains("sign in"))
        }
    }
}
