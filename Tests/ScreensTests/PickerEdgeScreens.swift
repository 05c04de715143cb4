import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct PickerEdgeScreens {
    @Test func `The picker before the store has been read`() throws {
        let state = World.state(nil)
        try expectScreen(
            "picker loading", state,
            is: #"""
                 foyer  accounts             ~/.local/share/foyer/token_cache.json [plain file]


                  reading the store



















                 a sign in  / filter  r reload  q quit  ? help
                """#)
    }

    @Test func `An empty store says what to do at 80x24`() throws {
        let state = World.state([], rows: 24, columns: 80)
        try expectScreen(
            "picker empty 80x24", state,
            is: #"""
                 foyer  0 accounts           ~/.local/share/foyer/token_cache.json [plain file]


                  nobody is signed in here
                  a signs in
                  "foyer demo" shows everything with made-up accounts

















                 a sign in  / filter  r reload  q quit  ? help
                """#)
    }

    @Test func `An empty store says what to do at 40x10`() throws {
        let state = World.state([], rows: 10, columns: 40)
        try expectScreen(
            "picker empty 40x10", state,
            is: #"""
                 foyer  0 accounts         [plain file]

                  nobody is signed in here
                  a signs in
                  "foyer demo" shows everything with
                  made-up accounts



                 a sign in  / filter  q quit  ? help
                """#)
    }

    @Test func `A store that cannot be read says why and what to do`() throws {
        var state = World.state(nil)
        state.send(.storeFailed(message: "the file is not JSON", hint: "move it away and sign in again"))
        try expectScreen(
            "picker store error", state,
            is: #"""
                 foyer  accounts             ~/.local/share/foyer/token_cache.json [plain file]


                  the store cannot be used: the file is not JSON
                  move it away and sign in again
                  r tries again

















                 a sign in  / filter  r reload  q quit  ? help
                """#)
    }

    @Test func `A terminal that is too small says so`() throws {
        let state = World.state(rows: 9, columns: 39)
        try expectScreen(
            "too small", state,
            is: #"""
                terminal too small: needs 40x10, has
                39x9







                """#)
    }

    @Test func `The help of the picker`() throws {
        var state = World.state()
        state.type("?")
        try expectScreen(
            "help 80x24", state,
            is: #"""
                 foyer  3 accounts           ~/.local/share/foyer/token_cache.json [plain file]
                  ┌─ Keys: Accounts ─────────────────────────────────────────────────────────┐
                ▸ │ Enter                     a token for the account, silently, step by     │
                  │                           step; of another program's account the tokens  │
                  │ a                         sign in, with a new account or again           │
                  │ /                         filter by name, username, tenant, client or    │
                  │                           identifier                                     │
                  │ i                         the account's tokens and what is in them       │
                  │ s                         what each client was granted                   │
                  │ p                         paste a token to inspect it; it is not stored  │
                  │ x                         remove the account, or all that are marked,    │
                  │                           from one client here; asks first               │
                  │ o                         revoke, remove and end the browser session, of │
                  │                           one or all that are marked; asks first         │
                  │ t                         show one client's accounts, the next one, all  │
                  │ S                         sort by what is used most, by name, by last    │
                  │                           use, by what expires first                     │
                  │ z                         group by cloud, by tenant, by client, by       │
                  │                           store, not at all                              │
                ──│ Space                     mark the account for removing or signing out   │──
                 a│                           several, or unmark it                          │
                 c│ v                         mark all from the last mark to here          ↓ │
                 E└──────────────────────────────────────────────────────────────────────────┘
                 Esc back
                """#)
    }

    @Test func `The help in a narrow terminal scrolls`() throws {
        var state = World.state(rows: 10, columns: 40)
        state.type("?")
        state.press(.pageDown)
        try expectScreen(
            "help 40x10", state, glyphs: .ascii,
            is: #"""
                 foyer  3 accounts         [plain file]
                +- Keys: Accounts ---------------------+
                | a                 sign in, with a  ^ |
                |                   new account or     |
                |                   again              |
                | /                 filter by name,    |
                |                   username, tenant,  |
                |                   client or        v |
                +--------------------------------------+
                 Esc back
                """#)
    }
}
