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
                  scopes       https://graph.microsoft.com/User.Read                 │               uses the sessions of the browser
                  method       auto  device: no display here                         │               where you enter the code
                  more         tenant, prompt, login hint                            │ stores in
                                                                                     │   ~/.local/share/foyer/token_cache.json
                  The app to sign in with: left/right to choose; last entry: any     │               plain file
                  client ID.                                                         │ client        work
                                                                                     │ then          foyer token --client work
                                                                                     │               --account USERNAME
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
                  scopes       https://graph.microsoft.com/User.Read
                  method       auto  device: no display here
                  more         tenant, prompt, login hint

                  The app to sign in with: left/right to choose; last entry: any client ID.

                ─ What will happen ─────────────────────────────────────────────────────────────
                  asks          login.microsoftonline.com
                    low         User.Read: signs you in and reads your own profile
                  by            device code: no display here
                                uses the sessions of the browser where you enter the code
                  stores in     ~/.local/share/foyer/token_cache.json
                                plain file
                  client        work
                  then          foyer token --client work --account USERNAME
                                gets this sign-in's token from the cache

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
                  scopes       https://graph.microsoft…
                  method       auto  device: no displa…
                  more         tenant, prompt, login h…
                  The app to sign in with: left/right
                  to choose; last entry: any client
                  ID.
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
                  scopes       https://graph.microsoft.com/User.Read
                  method       auto  device: no display here
                  more         tenant, prompt, login hint

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

    @Test func `What few sign-ins need is one row until the focus comes to it, or it has a value`() {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("a")
        #expect(state.picture().contains("  more         tenant, prompt, login hint"))
        state.press(.tab, .tab, .tab)
        #expect(state.picture().contains("▌ tenant       not set: the authority's"))
        #expect(state.picture().contains("  login hint   not set"))
        state.press(.tab)
        state.press(.right, .backTab, .backTab)
        #expect(state.form?.focus == .method && state.picture().contains("login"))
        state.press(.escape)
        state.type("a")
        let row = SignInFormView.row(of: .tenant, size: state.size)
        state.press(.mouse(MouseEvent(.click, at: Position(row: row, column: 20))))
        #expect(state.form?.focus == .tenant && state.picture().contains("▌ tenant"))
        state.press(.backTab)
        #expect(state.picture().contains("  more         tenant"))
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
                  scopes       not set: openid profile email                   │               user ID, nothing else
                  method       auto  device: no display here                   │   low         profile: reads your name and
                  more         tenant, prompt, login hint, save as             │               basic profile
                                                                               │ by            device code: no display here
                  The ID of a public client that is registered with the        │               uses the sessions of the
                  redirect URI http://localhost.                               │               browser where you enter the
                                                                               │               code
                                                                               │ stores in
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
