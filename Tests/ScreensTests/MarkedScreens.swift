import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct MarkedScreens {

    @Test func `Two accounts marked at 80x24`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("  ")
        try expectScreen(
            "marked 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Accounts 2 marked of 3 ───────────────────────────────────── 1 needs sign-in ─
                    account                              client        gets       access token
                ▾ Needs you  1
                  ○ lin                                  lab                      needs sign-in
                ▾ Ready  2
                 ✔● ada@example.org +1 guest             work          Graph      42 min
                ▌✔◐ grace@example.org                    Azure CLI     Graph      renews on use












                ─ grace@example.org ────────────────────────────────────────────────────────────
                 ◐ Enter: refreshes; no cached token for these scopes  .default
                 Grace Hopper  example.org
                 Enter token  / filter  n next  x remove 2…  o sign out 2…  q quit  ? help
                """#)
    }

    @Test func `Two accounts marked at 40x10`() throws {
        var state = World.state(rows: 10, columns: 40)
        state.type("  ")
        try expectScreen(
            "marked 40x10", state,
            is: #"""
                 Accounts 2 marked of 3    ▲ plain file
                  ○ lin                   needs sign-in
                 ✔● ada@example.org       42 min
                ▌✔◐ grace@example.org     renews on use





                 Enter token  / filter  q quit  ? help
                """#)
    }

    @Test func `The question before several are signed out`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("  o")
        try expectOverlay(
            "group question sign-out", state,
            is: #"""
                ┌─ Sign out 2 accounts? ───────────────────────────────────────────────────┐
                │ ✖ nothing is revoked: Microsoft Entra ID revokes no tokens               │
                │ • what was granted can be ended at https://mysignins.microsoft.com/      │
                │ • will be removed from this store for the client shown for each          │
                │ ✖ the browser stays signed in                                            │
                │ ✖ cannot be undone                                                       │
                │ ▲ issued access tokens may work until 04:42 at the latest                │
                │                                                                          │
                │ • ada@example.org, work                                                  │
                │ • grace@example.org, Azure CLI                                           │
                │                                                                          │
                │ w [ ] all clients and saved data of the accounts                         │
                │ r [ ] also revoke access tokens                                          │
                │ b [ ] end the browser's sessions                                         │
                │                                                                          │
                │ ▸[ Cancel ]   [ Sign out ]                                               │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter choose  y yes  n no  ? help
                """#)
    }

    @Test func `The question before several are removed at 40x10`() throws {
        var state = World.state(rows: 10, columns: 40)
        state.type("  x")
        try expectScreen(
            "group question 40x10", state,
            is: #"""
                 Accounts 2 marked of 3    ▲ plain file
                ┌─ Remove 2 accounts? ─────────────────┐
                │ • will be removed from this store    │
                │   for the client shown for each      │
                │ ✖ nothing is revoked: no server is   │
                │   contacted                          │
                │ ✖ the browser session is kept       ↓│
                │ ▸[ Cancel ]   [ Remove ]             │
                └──────────────────────────────────────┘
                 Enter choose  y yes  n no  ? help
                """#)
    }

    @Test func `What became of several removals`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("  xy")
        state.send(
            .removed(3, RequestID(1)),
            .failed(Failure(.storeError, "the store is locked by another program"), RequestID(2)))
        try expectOverlay(
            "group outcome remove", state,
            is: #"""
                ┌─ Remove ─────────────────────────────────────────────────────────────────┐
                │ ▲ 1 of 2 accounts removed                                                │
                │                                                                          │
                │ ✔ ada@example.org, work: 3 entries removed here                          │
                │ ✖ grace@example.org, Azure CLI: the store is locked by another program   │
                │                                                                          │
                │ ▲ issued access tokens may work until 04:42 at the latest (in 42 min)    │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter close  r again  Esc back  ? help
                """#)
    }

    @Test func `A sign-out of several is not whole if only the access tokens failed`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("  ory")
        let failed = SignOutOutcome.Part.failed("the provider said no")
        state.send(
            .signedOut(
                SignOutOutcome(revoked: .done, accessTokensRevoked: failed, removed: .done, sessionEnded: .notOffered),
                RequestID(1)))
        let line = try #require(state.picture().split(separator: "\n").first { $0.contains("ada@example.org, work: ") })
        #expect(line.contains("▲ ada"))
    }

    @Test func `Half way through several removals`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("  xy")
        state.send(.removed(3, RequestID(1)))
        try expectOverlay(
            "group working", state,
            is: #"""
                ┌─ Remove ─────────────────────────────────────────────────────────────────┐
                │ 1 of 2 done, 0 s; Esc stops after this one                               │
                │                                                                          │
                │ ✔ ada@example.org, work: 3 entries removed here                          │
                │ ⠋ grace@example.org, Azure CLI: in progress                              │
                └──────────────────────────────────────────────────────────────────────────┘
                Esc back  ? help
                """#)
    }
}
