import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct OutcomeScreens {
    @Test(arguments: [(30, 120), (24, 80)]) func `A silent call that succeeds`(_ size: (Int, Int)) throws {
        var state = World.state(World.accounts, rows: size.0, columns: size.1)
        state.press(.enter)
        state.send(
            .step(Step(.account, .done, "ada@example.org"), RequestID(1)),
            .step(Step(.accessToken, .failed, "expired"), RequestID(1)))
        state.send(.step(Step(.refreshToken, .done, "refreshed at login.microsoftonline.com"), RequestID(1)))
        state.send(.acquired(try World.token(), RequestID(1)))
        try expectOverlay(
            "acquired", state,
            is: #"""
                ┌─ A token from work ──────────────────────────────────────────────────────┐
                │ ada@example.org                                                          │
                │ ✔ token ready                                                            │
                │ client    work                                                           │
                │ from      refresh                                                        │
                │ expires   in 1 h, 2026-11-21 05:00 UTC                                   │
                │ tenant    example.org                                                    │
                │ scopes    https://graph.microsoft.com/User.Read                          │
                │                                                                          │
                │ ✔ account        ada@example.org                                         │
                │ ○ cached token   expired                                                 │
                │ ✔ refresh token  refreshed at login.microsoftonline.com                  │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter done  f new token  y copy…  Esc back  ? help
                """#)
    }

    @Test func `A silent call that succeeds at 40x10`() throws {
        var state = World.state(World.accounts, rows: 10, columns: 40)
        state.press(.enter)
        state.send(
            .step(Step(.account, .done, "ada@example.org"), RequestID(1)),
            .step(Step(.accessToken, .failed, "expired"), RequestID(1)))
        state.send(.step(Step(.refreshToken, .done, "refreshed at login.microsoftonline.com"), RequestID(1)))
        state.send(.acquired(try World.token(), RequestID(1)))
        try expectScreen(
            "acquired 40x10", state,
            is: #"""
                 foyer  Accounts 3         ▲ plain file
                ┌─ A token from work ──────────────────┐
                │ ada@example.org                      │
                │ ✔ token ready                        │
                │ client    work                       │
                │ from      refresh                    │
                │ expires   in 1 h, 2026-11-21 05:00   │
                │           UTC                       ↓│
                └──────────────────────────────────────┘
                 Enter done  Esc back  ? help
                """#)
    }

    @Test func `A silent call that needs a person`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.press(.enter)
        state.send(
            .step(Step(.account, .done, "ada@example.org"), RequestID(1)),
            .step(Step(.accessToken, .failed, "expired"), RequestID(1)))
        state.send(
            .failed(
                Failure(
                    .interactionRequired,
                    "a second factor is required: a policy of the tenant changed, or you are at another location "
                        + "than before (invalid_grant, AADSTS50076)",
                    hint: "sign in again",
                    oauthError: "invalid_grant", serverCodes: [50076], claims: "{}",
                    correlationID: TokenRequest.unnumbered), RequestID(1)))
        try expectScreen(
            "interaction required", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity ●1   ▲ plain file
                ─ ada@example.org › no token ──────────────────────────────────────────── work ─
                  ✖ a second factor is required: a policy of the tenant changed, or you are at
                    another location than before (invalid_grant, AADSTS50076)
                    Issued access tokens may work until 04:42.

                  What you can do
                  ▌ Sign in again             as ada@example.org, by device code
                    Sign in another way…      the form: method, tenant, scopes
                    Remove the account here…  3 tokens, only from foyer's own store
                    Copy a report             time, codes and correlation id, without secrets

                  What was tried
                  ✔ account       ada@example.org
                  ○ cached token  expired

                  correlation id  00000000-0000-0000-0000-000000000000
                  at              2026-11-21 04:00 UTC





                 Enter sign in again  m other method  x remove  c copy id  Esc back  ? help
                """#)
    }

    @Test func `From one second on a call under way says what it waits for and how long, and a sign turns`() {
        var state = World.state(rows: 24, columns: 80)
        state.press(.enter)
        #expect(state.picture().contains("working; Esc cancels"))
        state.send(.tick(World.seconds(1)))
        #expect(state.picture().contains("⠙ reading the store, 1 s; Esc cancels"))
        state.send(.step(Step(.accessToken, .failed, "expired"), RequestID(1)), .tick(World.seconds(4)))
        #expect(state.picture().contains("⠼ waiting for the provider, 4 s; Esc cancels"))
        #expect(state.picture(.ascii).contains("| waiting for the provider, 4 s; Esc cancels"))
        state.send(.failed(Failure(.unavailable, "no"), RequestID(1)))
        #expect(!state.picture().contains("Esc cancels"))
    }

    @Test func `A silent call under way`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.press(.enter)
        state.send(
            .step(Step(.account, .done, "ada@example.org"), RequestID(1)),
            .step(Step(.accessToken, .failed, "expired"), RequestID(1)))
        try expectScreen(
            "acquiring", state, glyphs: .ascii,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ! plain file
                - Accounts 3 ------------------------------------------------- 1 needs sign-in -
                    account                              client        gets       access token
                - Needs you  1
                  o lin                                  lab                      needs sign-in
                - Ready  2
                > * ada@example.org +1 guest             work          Graph      42 min
                  ~ grace@example.org                    Azure CLI     Graph      renews on use

                  +- A token from work ------------------------------------------------------+
                  | ada@example.org                                                          |
                  | working; Esc cancels                                                     |
                  |                                                                          |
                  | + account       ada@example.org                                          |
                  | o cached token  expired                                                  |
                  +--------------------------------------------------------------------------+




                - ada@example.org --------------------------------------------------------------
                 * Enter: cached token, expires in 42 min  User.Read
                 Ada Lovelace  example.org, partner.example guest
                 Esc back  ? help
                """#)
    }
}
