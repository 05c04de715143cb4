import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct GroupedScreens {

    @Test func `Grouped by tenant at 120x24`() throws {
        var state = World.state(rows: 24, columns: 120)
        state.type("zz")
        try expectScreen(
            "grouped tenant 120x24", state,
            is: #"""
                 foyer  3 accounts, by tenant                                        ~/.local/share/foyer/token_cache.json [plain file]
                    state          account              tenant         expires      │ ada@example.org
                ▾ 99999999  99999999-8888-7777-6666-555555555555  1                 │ Ada Lovelace
                ▸ ● valid          ada@example.org      example.org +1 in 42 min    │ ● valid, expires in 42 min
                ▾ example.org  aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee  2              │
                  ● valid          ada@example.org      example.org +1 in 42 min    │ Enter    cached token, expires in 42 min
                  ◐ refreshable    grace@example.org    example.org                 │ client   work
                ▾ id.example.org  1                                                 │ scopes   https://graph.microsoft.com/User.Read
                  ○ sign-in needed lin                  id.example.org              │
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
                                                                                    │ family refresh token                            ↓
                 Enter token  a sign in  / filter  i tokens  s scopes  x remove  o sign out  t client  S sort  z group  q quit  ? help
                """#)
    }

    @Test func `Grouped by client at 80x24`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("zzz")
        try expectScreen(
            "grouped client 80x24", state,
            is: #"""
                 foyer  3 accounts, by client  ~/.local/share/foyer/token_cache.j… [plain file]
                    state          account                 name         tenant     expires
                ▾ Azure CLI  2
                ▸ ◐ refreshable    ada@example.org         Ada Lovelace exampl… +1
                  ◐ refreshable    grace@example.org       Grace Hopper example.o…
                ▾ lab  1
                  ○ sign-in needed lin                     林 花子      id.exampl…
                ▾ work  1
                  ● valid          ada@example.org         Ada Lovelace exampl… +1 in 42 min










                ────────────────────────────────────────────────────────────────────────────────
                 ada@example.org  Ada Lovelace  2 tenants at login.microsoftonline.com
                 clients Azure CLI, work
                 Enter: refreshes; cached token expired 10 min ago (Azure CLI)
                 Enter token  a sign in  / filter  i tokens  s scopes  q quit  ? help
                """#)
    }

    @Test func `Grouped by cloud at 40x10`() throws {
        var state = World.state(rows: 10, columns: 40)
        state.type("z")
        try expectScreen(
            "grouped cloud 40x10", state,
            is: #"""
                 foyer  3 accounts, by cl… [plain file]
                ▾ id.example.org  1
                  ○ lin                  sign in
                ▾ Public  Microsoft cloud, login.mi…  2
                ▸ ● ada@example.org      valid 42 min
                  ◐ grace@example.org    refreshable


                 Enter: cached token, expires in 42 min
                 Enter token  q quit  ? help
                """#)
    }

    @Test func `Grouped by client with a filter`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("zzz/azure")
        try expectScreen(
            "grouped client filter", state,
            is: #"""
                 foyer  2 of 3 accounts, by client  ~/.local/share/foyer/token_ca… [plain file]
                 filter: azure                                                                2
                    state          account                 name         tenant     expires
                ▾ Azure CLI  2
                ▸ ◐ refreshable    ada@example.org         Ada Lovelace exampl… +1
                  ◐ refreshable    grace@example.org       Grace Hopper example.o…
                ▾ work  1
                  ● valid          ada@example.org         Ada Lovelace exampl… +1 in 42 min











                ────────────────────────────────────────────────────────────────────────────────
                 ada@example.org  Ada Lovelace  2 tenants at login.microsoftonline.com
                 clients Azure CLI, work
                 Enter: refreshes; cached token expired 10 min ago (Azure CLI)
                 Enter keep  Esc clear  F1 help
                """#)
    }
}
