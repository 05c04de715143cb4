import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct RemovalScreens {
    @Test(arguments: [(30, 120), (24, 80)]) func `The question before remove`(_ size: (Int, Int)) throws {
        var state = World.state(World.accounts, rows: size.0, columns: size.1)
        state.type("x")
        try expectOverlay(
            "remove dialog", state,
            is: #"""
                ┌─ Remove the account? ────────────────────────────────────────────────────┐
                │ ada@example.org                                                          │
                │ client: work                                                             │
                │ • will be removed from this store for this client only                   │
                │ ✖ nothing is revoked: no server is contacted                             │
                │ ✖ the browser session is kept                                            │
                │ ✖ other clients keep their tokens                                        │
                │ ▲ issued access tokens may work until 04:42                              │
                │                                                                          │
                │ w [ ] all clients and saved data of the account                          │
                │                                                                          │
                │ ▸[ Cancel ]   [ Remove ]                                                 │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter choose  y yes  n no  ? help
                """#)
    }

    @Test func `The question before remove at 40x10`() throws {
        var state = World.state(World.accounts, rows: 10, columns: 40)
        state.type("x")
        try expectScreen(
            "remove dialog 40x10", state,
            is: #"""
                 foyer  Accounts 3         ▲ plain file
                ┌─ Remove the account? ────────────────┐
                │ ada@example.org                      │
                │ client: work                         │
                │ • will be removed from this store    │
                │   for this client only               │
                │ ✖ nothing is revoked: no server is  ↓│
                │ ▸[ Cancel ]   [ Remove ]             │
                └──────────────────────────────────────┘
                 Enter choose  y yes  n no  ? help
                """#)
    }

    @Test(arguments: [(30, 120), (24, 80)]) func `The question before sign out`(_ size: (Int, Int)) throws {
        var state = World.state(World.accounts, rows: size.0, columns: size.1)
        state.type("o")
        try expectOverlay(
            "sign out dialog", state,
            is: #"""
                ┌─ Sign out? ──────────────────────────────────────────────────────────────┐
                │ ada@example.org                                                          │
                │ client: work                                                             │
                │ ✖ nothing is revoked: Microsoft Entra ID revokes no tokens               │
                │ • what was granted can be ended at https://mysignins.microsoft.com/      │
                │ • will be removed from this store for this client                        │
                │ • browser session will be ended, where supported                         │
                │ ✖ cannot be undone                                                       │
                │ ✖ other clients keep their tokens                                        │
                │ ▲ issued access tokens may work until 04:42                              │
                │                                                                          │
                │ w [ ] all clients and saved data of the account                          │
                │ r [ ] also revoke access tokens                                          │
                │ b [✔] end the browser's session                                          │
                │                                                                          │
                │ ▸[ Cancel ]   [ Sign out ]                                               │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter choose  y yes  n no  ? help
                """#)
    }

    @Test func `The question before sign out at 40x10`() throws {
        var state = World.state(World.accounts, rows: 10, columns: 40)
        state.type("o")
        try expectScreen(
            "sign out dialog 40x10", state,
            is: #"""
                 foyer  Accounts 3         ▲ plain file
                ┌─ Sign out? ──────────────────────────┐
                │ ada@example.org                      │
                │ client: work                         │
                │ ✖ nothing is revoked: Microsoft      │
                │   Entra ID revokes no tokens         │
                │ • what was granted can be ended at  ↓│
                │ ▸[ Cancel ]   [ Sign out ]           │
                └──────────────────────────────────────┘
                 Enter choose  y yes  n no  ? help
                """#)
    }

    @Test func `What became of a removal`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("xy")
        state.send(.removed(5, RequestID(1)))
        try expectOverlay(
            "removed", state,
            is: #"""
                ┌─ Remove ─────────────────────────────────────────────────────────────────┐
                │ ada@example.org, work                                                    │
                │ ○ not revoked at the provider: "remove" works offline                    │
                │ ✔ removed here: 5 entries                                                │
                │ ○ the browser session is kept                                            │
                │                                                                          │
                │ ▲ issued access tokens may work until 04:42 (in 42 min)                  │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter close  Esc back  ? help
                """#)
    }

    @Test func `What became of a sign-out, in three parts`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("oy")
        let page = try WebAddress("https://login.example.org/logout?id_token_hint=SECRET")
        state.send(
            .signedOut(
                SignOutOutcome(
                    revoked: .notOffered, removed: .done, sessionEnded: .failed("no browser here"), endSessionURL: page,
                    accessTokensExpire: World.seconds(2520)), RequestID(1)))
        try expectOverlay(
            "signed out", state,
            is: #"""
                ┌─ Sign out ───────────────────────────────────────────────────────────────┐
                │ ada@example.org, work                                                    │
                │ ○ not revoked: not supported by the provider                             │
                │ ✔ removed here                                                           │
                │ ✖ browser session not ended: no browser here                             │
                │   b: open https://login.example.org/logout                               │
                │                                                                          │
                │ ▲ issued access tokens may work until 04:42 (in 42 min)                  │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter close  b browser  Esc back  ? help
                """#)
    }

    @Test func `A sign-out that failed`() throws {
        var state = World.state(World.accounts, rows: 10, columns: 40)
        state.type("oy")
        state.send(.failed(Failure(.storeError, "the store is locked", hint: "try again"), RequestID(1)))
        try expectScreen(
            "sign-out failed", state,
            is: #"""
                 foyer  Accounts 3         ▲ plain file
                ┌─ Sign out ───────────────────────────┐
                │ ada@example.org, work                │
                │ ✖ the store is locked                │
                │                                      │
                │ What you can do                      │
                │   try again                          │
                └──────────────────────────────────────┘

                 Enter close  Esc back  ? help
                """#)
    }

    @Test func `How far it goes is chosen in the question, and the question tells what each choice means`() throws {
        var state = World.state()
        state.type("o")
        state.type("wrb")
        try expectOverlay(
            "sign out, chosen", state,
            is: #"""
                ┌─ Sign out? ──────────────────────────────────────────────────────────────┐
                │ ada@example.org                                                          │
                │ client: work                                                             │
                │ ✖ nothing is revoked: Microsoft Entra ID revokes no tokens               │
                │ • what was granted can be ended at https://mysignins.microsoft.com/      │
                │ • will be removed from this store for every client                       │
                │ ✖ the browser stays signed in                                            │
                │ ✖ cannot be undone                                                       │
                │ ▲ issued access tokens may work until 04:42                              │
                │                                                                          │
                │ w [✔] all clients and saved data of the account                          │
                │ r [✔] also revoke access tokens                                          │
                │ b [ ] end the browser's session                                          │
                │                                                                          │
                │ ▸[ Cancel ]   [ Sign out ]                                               │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter choose  y yes  n no  ? help
                """#)
        let choices = RemovalChoices(wipes: true, revokesAccessTokens: true, endsBrowserSession: false)
        #expect(state.type("y") == [.signOut(World.ada, World.use(World.work), choices, RequestID(1))])
        state.send(
            .signedOut(
                SignOutOutcome(
                    revoked: .done, accessTokensRevoked: .failed("the provider said no"), removed: .done,
                    sessionEnded: .notOffered),
                RequestID(1)))
        try expectOverlay(
            "signed out, chosen", state,
            is: #"""
                ┌─ Sign out ───────────────────────────────────────────────────────────────┐
                │ ada@example.org, every client                                            │
                │ ✔ revoked at the provider                                                │
                │ ✖ access tokens not revoked: the provider said no                        │
                │ ✔ removed here                                                           │
                │ ○ the browser stays signed in, as you chose                              │
                │                                                                          │
                │ ▲ issued access tokens may work until 04:42 (in 42 min)                  │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter close  Esc back  ? help
                """#)
    }

    @Test func `A removal knows no server: only the clients can be chosen, and another client keeps the choice`() {
        var state = World.state(hasAllUses: true)
        state.type("x")
        state.type("rb")
        #expect(state.dialog?.choices == RemovalChoices())
        state.type("wt")
        #expect(state.dialog?.choices.wipes == true)
        #expect(state.picture().contains("removed from this store for every client"))
        #expect(
            state.type("y") == [
                .remove(World.ada, World.use(World.azureCLI), RemovalChoices(wipes: true), RequestID(1))
            ]
        )
    }
}
