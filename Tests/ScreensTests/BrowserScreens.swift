import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct BrowserScreens {
    @Test func `A browser sign-in at 120x30`() throws {
        var state = World.state(World.accounts, rows: 30, columns: 120)
        state.type("a")
        state.press(.enter)
        state.send(
            .signIn(.method(.browser, reason: "as asked"), RequestID(1)),
            .signIn(.browser(try World.browserPrompt()), RequestID(1)),
            .signIn(.browserUnavailable("no display"), RequestID(1)),
            .signIn(.strayRequest("GET /favicon.ico"), RequestID(1)))
        try expectScreen(
            "browser 120x30", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/token_cache.…  ▲ plain file
                ─ Sign in to work ────────────────────────────────────────────────────────────────────────── any work or school tenant ─
                 ✔ client   ● approve   ○ check the response   ○ store

                  1  Open        the URL below in a browser
                     ▲ cannot open a browser: no display
                  2  Sign in as  the account you want and approve:
                     low         User.Read: signs you in and reads your own profile
                  3  Come back   sign-in continues automatically

                 ━━━━━━━━━━━━━━━━━━━━━━━━ expires in 05:00
                 waiting for the redirect on localhost:49152
                 Browser on another machine? p to paste the final URL.
                 ignored, not the response to this sign-in: 1 request
                   GET /favicon.ico

                 https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize?client_id=11111111-2222-3333-4444-555555555555&r
                 esponse_type=code&state=abc

                 client    work, 11111111-2222-3333-4444-555555555555
                 tenant    any work or school tenant
                 provider  login.microsoftonline.com
                 account   the one you choose

                 method    browser (as asked)



                ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
                 c copy  b browser  p paste  m other method  y copy…  Esc cancel  ? help
                """#)
    }

    @Test func `An address of two thousand characters is shown whole, however it is wrapped`() throws {
        let address = "https://id.example.org/authorize?state=" + String(repeating: "0123456789", count: 200)
        var state = World.state(World.accounts, rows: 60, columns: 80)
        state.type("a")
        state.press(.enter)
        var prompt = try World.browserPrompt()
        prompt.authorizationURL = try WebAddress(address)
        state.send(.signIn(.browser(prompt), RequestID(1)))
        let rows = state.picture().split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(rows.joined().contains(address))
    }

    @Test func `A browser sign-in at 80x24`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("a")
        state.press(.enter)
        state.send(
            .signIn(.method(.browser, reason: "as asked"), RequestID(1)),
            .signIn(.browser(try World.browserPrompt()), RequestID(1)),
            .signIn(.browserUnavailable("no display"), RequestID(1)),
            .signIn(.strayRequest("GET /favicon.ico"), RequestID(1)))
        try expectScreen(
            "browser 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Sign in to work ────────────────────────────────── any work or school tenant ─
                 ✔ client   ● approve   ○ check the response   ○ store

                  1  Open        the URL below in a browser
                     ▲ cannot open a browser: no display
                  2  Sign in as  the account you want and approve:
                     low         User.Read: signs you in and reads your own profile
                  3  Come back   sign-in continues automatically

                 ━━━━━━━━━━━━━━━━━━━━━━━━ expires in 05:00
                 waiting for the redirect on localhost:49152
                 Browser on another machine? p to paste the final URL.
                 ignored, not the response to this sign-in: 1 request
                   GET /favicon.ico

                 https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize?client_i
                 d=11111111-2222-3333-4444-555555555555&response_type=code&state=abc

                 client    work, 11111111-2222-3333-4444-555555555555
                 tenant    any work or school tenant
                 provider  login.microsoftonline.com
                 account   the one you choose                                                  ↓
                 c copy  b browser  p paste  m other method  y copy…  Esc cancel  ? help
                """#)
    }

    @Test func `A browser sign-in at 40x10`() throws {
        var state = World.state(World.accounts, rows: 10, columns: 40)
        state.type("a")
        state.press(.enter)
        state.send(
            .signIn(.method(.browser, reason: "as asked"), RequestID(1)),
            .signIn(.browser(try World.browserPrompt()), RequestID(1)),
            .signIn(.browserUnavailable("no display"), RequestID(1)),
            .signIn(.strayRequest("GET /favicon.ico"), RequestID(1)))
        try expectScreen(
            "browser 40x10", state,
            is: #"""
                 foyer  Sign in to work    ▲ plain file
                  1  Open        the URL below in a
                                 browser
                     ▲ cannot open a browser: no
                       display
                  2  Sign in as  the account you want
                                 and approve:
                     low         User.Read: signs you
                                 in and reads your own ↓
                 c copy  b browser  Esc cancel  ? help
                """#)
    }

    @Test func `The redirect address can be pasted`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("a")
        state.press(.enter)
        state.send(
            .signIn(.method(.browser, reason: "as asked"), RequestID(1)),
            .signIn(.browser(try World.browserPrompt()), RequestID(1)),
            .signIn(.browserUnavailable("no display"), RequestID(1)),
            .signIn(.strayRequest("GET /favicon.ico"), RequestID(1)))
        state.type("p")
        state.send(.key(.paste("http://localhost:49152/?code=abc")))
        try expectScreen(
            "browser paste", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Sign in to work ────────────────────────────────── any work or school tenant ─
                 ✔ client   ● approve   ○ check the response   ○ store

                  1  Open        the URL below in a browser
                     ▲ cannot open a browser: no display
                  2  Sign in as  the account you want and approve:
                     low         User.Read: signs you in and reads your own profile
                  3  Come back   sign-in continues automatically

                 ━━━━━━━━━━━━━━━━━━━━━━━━ expires in 05:00
                 waiting for the redirect on localhost:49152
                 Browser on another machine? p to paste the final URL.
                 ignored, not the response to this sign-in: 1 request
                   GET /favicon.ico

                 https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize?client_i
                 d=11111111-2222-3333-4444-555555555555&response_type=code&state=abc

                 client    work, 11111111-2222-3333-4444-555555555555
                 tenant    any work or school tenant
                 provider  login.microsoftonline.com                                           ↓
                 paste: http://localhost:49152/?code=abc
                 Enter send  Esc back  F1 help
                """#)
    }
}
