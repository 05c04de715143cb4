import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct OutcomeScreens {
    @Test func `A silent call that succeeds at 120x30`() throws {
        var state = World.state(World.accounts, rows: 30, columns: 120)
        state.press(.enter)
        state.send(
            .step(Step(.account, .done, "ada@example.org"), RequestID(1)),
            .step(Step(.accessToken, .failed, "expired"), RequestID(1)))
        state.send(.step(Step(.refreshToken, .done, "refreshed at login.microsoftonline.com"), RequestID(1)))
        state.send(.acquired(try World.token(), RequestID(1)))
        try expectScreen(
            "acquired 120x30", state,
            is: #"""
                 foyer  3 accounts                                                   ~/.local/share/foyer/token_cache.json [plain file]
                    state          account              tenant         expires      │ ada@example.org
                ▸ ● valid          ada@example.org      example.org +1 in 42 min    │ Ada Lovelace
                  ◐ refreshable    grace@example.org    example.org                 │ ● valid, expires in 42 min
                  ○ sign-in needed lin                  id.example.org              │
                                                                                    │ Enter    cached token, expires in 42 min
                                                                                    │ client   work
                                                                                    │ scopes   https://graph.microsoft.com/User.Read
                                      ┌─ A token from work ──────────────────────────────────────────────────────┐
                                      │ ada@example.org                                                          │ne.com
                                      │ ✔ token ready                                                            │dddd-eeeeeeeeeeee
                                      │ client    work                                                           │6666-555555555555 as
                                      │ from      refresh                                                        │mple
                                      │ expires   in 1 h 00 min, 2026-11-21 05:00 UTC                            │
                                      │ tenant    aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee                           │
                                      │ scopes    https://graph.microsoft.com/User.Read                          │r/token_cache.json
                                      │                                                                          │
                                      │ ✔ account: ada@example.org                                               │
                                      │ ✖ cached token: expired                                                  │
                                      │ ✔ refresh token: refreshed at login.microsoftonline.com                  │
                                      └──────────────────────────────────────────────────────────────────────────┘min ago
                                                                                    │   https://management.core.windows.net//.default
                                                                                    │ family refresh token
                                                                                    │
                                                                                    │ work
                                                                                    │ access token, example.org
                                                                                    │   ██████████░░░░ expires in 42 min
                                                                                    │   https://graph.microsoft.com/User.Read
                                                                                    │   https://graph.microsoft.com/Mail.Send         ↓
                 Enter continue  f new token  Esc back  ? help
                """#)
    }

    @Test func `A silent call that succeeds at 80x24`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.press(.enter)
        state.send(
            .step(Step(.account, .done, "ada@example.org"), RequestID(1)),
            .step(Step(.accessToken, .failed, "expired"), RequestID(1)))
        state.send(.step(Step(.refreshToken, .done, "refreshed at login.microsoftonline.com"), RequestID(1)))
        state.send(.acquired(try World.token(), RequestID(1)))
        try expectScreen(
            "acquired 80x24", state,
            is: #"""
                 foyer  3 accounts           ~/.local/share/foyer/token_cache.json [plain file]
                    state          account                 name         tenant     expires
                ▸ ● valid          ada@example.org         Ada Lovelace exampl… +1 in 42 min
                  ◐ refreshable    grace@example.org       Grace Hopper example.o…
                  ○ sign-in needed lin                     林 花子      id.exampl…
                  ┌─ A token from work ──────────────────────────────────────────────────────┐
                  │ ada@example.org                                                          │
                  │ ✔ token ready                                                            │
                  │ client    work                                                           │
                  │ from      refresh                                                        │
                  │ expires   in 1 h 00 min, 2026-11-21 05:00 UTC                            │
                  │ tenant    aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee                           │
                  │ scopes    https://graph.microsoft.com/User.Read                          │
                  │                                                                          │
                  │ ✔ account: ada@example.org                                               │
                  │ ✖ cached token: expired                                                  │
                  │ ✔ refresh token: refreshed at login.microsoftonline.com                  │
                  └──────────────────────────────────────────────────────────────────────────┘

                ────────────────────────────────────────────────────────────────────────────────
                 ada@example.org  Ada Lovelace  2 tenants at login.microsoftonline.com
                 clients Azure CLI, work
                 Enter: cached token, expires in 42 min (work)
                 Enter continue  f new token  Esc back  ? help
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
                 foyer  3 accounts         [plain file]
                ┌─ A token from work ──────────────────┐
                │ ada@example.org                      │
                │ ✔ token ready                        │
                │ client    work                       │
                │ from      refresh                    │
                │ expires   in 1 h 00 min, 2026-11-21  │
                │           05:00 UTC                ↓ │
                └──────────────────────────────────────┘
                 Enter continue  f new token  ? help
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
                    .interactionRequired, "the provider no longer accepts this sign-in (invalid_grant)",
                    hint: "sign in again",
                    oauthError: "invalid_grant", serverCodes: [50076], claims: "{}",
                    correlationID: TokenRequest.unnumbered), RequestID(1)))
        try expectScreen(
            "interaction required", state,
            is: #"""
                 foyer  3 accounts           ~/.local/share/foyer/token_cache.json [plain file]
                    state          account                 name         tenant     expires
                ▸ ● valid          ada@example.org         Ada Lovelace exampl… +1 in 42 min
                  ◐ refreshable    grace@example.org       Grace Hopper example.o…
                  ○ sign-in needed lin                     林 花子      id.exampl…

                  ┌─ A token from work ──────────────────────────────────────────────────────┐
                  │ ada@example.org                                                          │
                  │ ✖ the provider no longer accepts this sign-in (invalid_grant)            │
                  │   sign in again                                                          │
                  │ provider    invalid_grant, AADSTS50076                                   │
                  │ correlation 00000000-0000-0000-0000-000000000000                         │
                  │ Enter to sign in                                                         │
                  │                                                                          │
                  │ ✔ account: ada@example.org                                               │
                  │ ✖ cached token: expired                                                  │
                  └──────────────────────────────────────────────────────────────────────────┘


                ────────────────────────────────────────────────────────────────────────────────
                 ada@example.org  Ada Lovelace  2 tenants at login.microsoftonline.com
                 clients Azure CLI, work
                 Enter: cached token, expires in 42 min (work)
                 Enter continue  a sign in  f new token  c copy id  Esc back  ? help
                """#)
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
                 foyer  3 accounts           ~/.local/share/foyer/token_cache.json [plain file]
                    state          account                 name         tenant     expires
                > * valid          ada@example.org         Ada Lovelace exam... +1 in 42 min
                  ~ refreshable    grace@example.org       Grace Hopper example...
                  o sign-in needed lin                     \u{6797} ... id.exam...



                  +- A token from work ------------------------------------------------------+
                  | ada@example.org                                                          |
                  | working; Esc cancels                                                     |
                  |                                                                          |
                  | + account: ada@example.org                                               |
                  | x cached token: expired                                                  |
                  +--------------------------------------------------------------------------+




                --------------------------------------------------------------------------------
                 ada@example.org  Ada Lovelace  2 tenants at login.microsoftonline.com
                 clients Azure CLI, work
                 Enter: cached token, expires in 42 min (work)
                 Esc back  ? help
                """#)
    }
}
