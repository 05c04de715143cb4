import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct PickerScreens {
    @Test func `The picker at 120x30`() throws {
        let state = World.state(rows: 30, columns: 120)
        try expectScreen(
            "picker 120x30", state,
            is: #"""
                 foyer  3 accounts                                                   ~/.local/share/foyer/token_cache.json [plain file]
                    state          account              tenant         expires      │ ada@example.org
                ▸ ● valid          ada@example.org      example.org +1 in 42 min    │ Ada Lovelace
                  ◐ refreshable    grace@example.org    example.org                 │ ● valid, expires in 42 min
                  ○ sign-in needed lin                  id.example.org              │
                                                                                    │ Enter    cached token, expires in 42 min
                                                                                    │ client   work
                                                                                    │ scopes   https://graph.microsoft.com/User.Read
                                                                                    │
                                                                                    │ provider login.microsoftonline.com
                                                                                    │ tenant   aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee
                                                                                    │ guest in 99999999-8888-7777-6666-555555555555 as
                                                                                    │          ada_ext@partner.example
                                                                                    │
                                                                                    │ renewed  18 min ago, 03:42
                                                                                    │ store    ~/.local/share/foyer/token_cache.json
                                                                                    │          [plain file]
                                                                                    │
                                                                                    │ Azure CLI
                                                                                    │ access token, example.org
                                                                                    │   ░░░░░░░░░░░░░░ expired 10 min ago
                                                                                    │   https://management.core.windows.net//.default
                                                                                    │ family refresh token
                                                                                    │
                                                                                    │ work
                                                                                    │ access token, example.org
                                                                                    │   ██████████░░░░ expires in 42 min
                                                                                    │   https://graph.microsoft.com/User.Read
                                                                                    │   https://graph.microsoft.com/Mail.Send         ↓
                 Enter token  a sign in  / filter  i tokens  s scopes  x remove  o sign out  t client  S sort  z group  q quit  ? help
                """#)
    }

    @Test func `The picker at 80x24`() throws {
        let state = World.state(rows: 24, columns: 80)
        try expectScreen(
            "picker 80x24", state,
            is: #"""
                 foyer  3 accounts           ~/.local/share/foyer/token_cache.json [plain file]
                    state          account                 name         tenant     expires
                ▸ ● valid          ada@example.org         Ada Lovelace exampl… +1 in 42 min
                  ◐ refreshable    grace@example.org       Grace Hopper example.o…
                  ○ sign-in needed lin                     林 花子      id.exampl…














                ────────────────────────────────────────────────────────────────────────────────
                 ada@example.org  Ada Lovelace  2 tenants at login.microsoftonline.com
                 clients Azure CLI, work
                 Enter: cached token, expires in 42 min (work)
                 Enter token  a sign in  / filter  i tokens  s scopes  q quit  ? help
                """#)
    }

    @Test func `The picker at 40x10`() throws {
        let state = World.state(rows: 10, columns: 40)
        try expectScreen(
            "picker 40x10", state,
            is: #"""
                 foyer  3 accounts         [plain file]
                ▸ ● ada@example.org      valid 42 min
                  ◐ grace@example.org    refreshable
                  ○ lin                  sign in




                 Enter: cached token, expires in 42 min
                 Enter token  q quit  ? help
                """#)
    }

    @Test func `The picker in ASCII`() throws {
        let state = World.state()
        try expectScreen(
            "picker ascii", state, glyphs: .ascii,
            is: #"""
                 foyer  3 accounts           ~/.local/share/foyer/token_cache.json [plain file]
                    state          account                 name         tenant     expires
                > * valid          ada@example.org         Ada Lovelace exam... +1 in 42 min
                  ~ refreshable    grace@example.org       Grace Hopper example...
                  o sign-in needed lin                     \u{6797} ... id.exam...














                --------------------------------------------------------------------------------
                 ada@example.org  Ada Lovelace  2 tenants at login.microsoftonline.com
                 clients Azure CLI, work
                 Enter: cached token, expires in 42 min (work)
                 Enter token  a sign in  / filter  i tokens  s scopes  q quit  ? help
                """#)
    }

    @Test func `A filter shows what matched`() throws {
        var state = World.state()
        state.type("/gr")
        try expectScreen(
            "picker filter", state,
            is: #"""
                 foyer  1 of 3 accounts      ~/.local/share/foyer/token_cache.json [plain file]
                 filter: gr                                                                   1
                    state          account                 name         tenant     expires
                ▸ ◐ refreshable    grace@example.org       Grace Hopper example.o…















                ────────────────────────────────────────────────────────────────────────────────
                 grace@example.org  Grace Hopper  1 tenant at login.microsoftonline.com
                 clients Azure CLI
                 Enter: refreshes; no cached token for these scopes (Azure CLI)
                 Enter keep  Esc clear  F1 help
                """#)
    }

    @Test func `A filter in a narrow terminal`() throws {
        var state = World.state(rows: 10, columns: 40)
        state.type("/example")
        state.press(.enter)
        try expectScreen(
            "picker filter narrow", state,
            is: #"""
                 foyer  3 accounts         [plain file]
                 filter: example                      3
                ▸ ● ada@example.org      valid 42 min
                  ◐ grace@example.org    refreshable
                  ○ lin                  sign in



                 Enter: cached token, expires in 42 min
                 Enter token  q quit  ? help
                """#)
    }
}
