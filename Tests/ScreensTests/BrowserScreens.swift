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
                 foyer  sign in to work                                              ~/.local/share/foyer/token_cache.json [plain file]
                 Continue in the browser, then come back.
                 ▲ no browser was opened: no display. Open this address yourself:
                 ████████████████████████ expires in 05:00
                 waiting for the redirect on http://localhost:49152
                 Browser on another machine? p to paste its final address.
                 ignored, not the response to this sign-in: 1 request
                   GET /favicon.ico
                 https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize?client_id=11111111-2222-3333-4444-555555555555&r
                 esponse_type=code&state=abc

                 method  browser (as asked)
                 next    m switches to: text browser
















                 c copy  b browser  p paste  m other method  Esc back  ? help
                """#)
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
                 foyer  sign in to work      ~/.local/share/foyer/token_cache.json [plain file]
                 Continue in the browser, then come back.
                 ▲ no browser was opened: no display. Open this address yourself:
                 ████████████████████████ expires in 05:00
                 waiting for the redirect on http://localhost:49152
                 Browser on another machine? p to paste its final address.
                 ignored, not the response to this sign-in: 1 request
                   GET /favicon.ico
                 https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize?client_i
                 d=11111111-2222-3333-4444-555555555555&response_type=code&state=abc

                 method  browser (as asked)
                 next    m switches to: text browser










                 c copy  b browser  p paste  m other method  Esc back  ? help
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
                 foyer  sign in to work    [plain file]
                 Continue in the browser, then come
                 back.
                 ▲ no browser was opened: no display.
                   Open this address yourself:
                 ███████████████████ expires in 05:00
                 waiting for the redirect on
                 http://localhost:49152
                 Browser on another machine? p to past↓
                 c copy  b browser  p paste  ? help
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
                 foyer  sign in to work      ~/.local/share/foyer/token_cache.json [plain file]
                 Continue in the browser, then come back.
                 ▲ no browser was opened: no display. Open this address yourself:
                 ████████████████████████ expires in 05:00
                 waiting for the redirect on http://localhost:49152
                 Browser on another machine? p to paste its final address.
                 ignored, not the response to this sign-in: 1 request
                   GET /favicon.ico
                 https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize?client_i
                 d=11111111-2222-3333-4444-555555555555&response_type=code&state=abc

                 method  browser (as asked)
                 next    m switches to: text browser









                 paste: http://localhost:49152/?code=abc
                 Enter send  Esc back  F1 help
                """#)
    }
}
