import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct SignInScreens {
    @Test func `A sign-in that succeeded`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("a")
        state.press(.enter)
        state.send(
            .signIn(.method(.device, reason: "no display here"), RequestID(1)),
            .signIn(.step(Step(.discovery, .done, "login.microsoftonline.com")), RequestID(1)),
            .signIn(.deviceCode(try World.devicePrompt()), RequestID(1)),
            .signIn(
                .poll(DevicePoll(answer: .pending, number: 3, interval: 5, nextAt: World.seconds(64))), RequestID(1)),
            .tick(World.seconds(60)))
        state.send(
            .acquired(
                try World.token(source: .interactive, scopes: ["https://graph.microsoft.com/Mail.Read"]), RequestID(1)))
        try expectScreen(
            "signed in", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Sign in to work ────────────────────────────────── any work or school tenant ─
                 ✔ signed in as ada@example.org
                 client    work
                 from      sign-in
                 expires   in 59 min, 2026-11-21 05:00 UTC
                 tenant    example.org
                 scopes    https://graph.microsoft.com/Mail.Read
                 declined  https://graph.microsoft.com/User.Read
                 Enter: show the account

                 method    device code (no display here)
                 ✔ provider metadata  login.microsoftonline.com










                 Enter done  y copy…  Esc back  ? help
                """#)
    }

    @Test func `A sign-in that failed`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("a")
        state.press(.enter)
        state.send(
            .signIn(.method(.device, reason: "no display here"), RequestID(1)),
            .signIn(.step(Step(.discovery, .done, "login.microsoftonline.com")), RequestID(1)),
            .signIn(.deviceCode(try World.devicePrompt()), RequestID(1)),
            .signIn(
                .poll(DevicePoll(answer: .pending, number: 3, interval: 5, nextAt: World.seconds(64))), RequestID(1)),
            .tick(World.seconds(60)))
        state.send(.failed(Failure(.cancelled, "the sign-in was declined", oauthError: "access_denied"), RequestID(1)))
        try expectScreen(
            "sign-in failed", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity ●1   ▲ plain file
                ─ Sign in to work ────────────────────────────────── any work or school tenant ─
                 · the sign-in was not finished
                 ✖ the sign-in was declined                                       access_denied

                 What you can do
                 ▌ Try again            by device code
                   Sign in another way  by browser
                   Change the request   back to the form: client, scopes, method
                   Copy a report        time, codes and correlation id, without secrets

                 method    device code (no display here)

                 What was tried
                 ✔ provider metadata  login.microsoftonline.com








                 Enter try again  m other method  y copy…  Esc back  ? help
                """#)
    }
}
