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
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/token_cache.…  ▲ plain file
                ─ Accounts 3 ───────────────────────────── 1 needs sign-in · by tenant ─┬─ ada@example.org ─────────────────────────────
                    account                      client        gets       access token  │ Ada Lovelace           work or school account
                ▾ 99999999…  99999999-8888-7777-6666-555555555555  1                    │ home      example.org
                ▌ ● ada@example.org +1 guest     work          Graph      42 min        │ guest in  partner.example as
                ▾ example.org  aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee  2                  │           ada_ext@partner.example
                  ● ada@example.org +1 guest     work          Graph      42 min        │ cloud     Microsoft Azure (global)
                  ◐ grace@example.org            Azure CLI     Graph      renews on use │
                ▾ id.example.org  1                                                     │ Next token                       Enter get it
                  ○ lin                          lab                      needs sign-in │ ● cached token, expires in 42 min
                                                                                        │   work · Microsoft Graph · User.Read
                                                                                        │
                                                                                        │ Tokens of Azure CLI                 i inspect
                                                                                        │ ○ access  Azure            expired 10 min ago
                                                                                        │ ↻ family refresh
                                                                                        │
                                                                                        │ Tokens of work                      i inspect
                                                                                        │ ● access  Graph             ━━━━━━━─── 42 min
                                                                                        │ ↻ refresh
                                                                                        │
                                                                                        │ Allows                              s consent
                                                                                        │ ▲ sends mail in your name           Mail.Send
                                                                                        │ ▲ all permissions already granted for Azure  ↓
                 Enter token  a add  / filter  n next  i inspect  s consent  x remove  o sign out  t client  S sort  q quit  ? help
                """#)
    }

    @Test func `Grouped by client at 80x24`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("zzz")
        try expectScreen(
            "grouped client 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Accounts 3 ───────────────────────────────────── 1 needs sign-in · by client ─
                    account                              client        gets       access token
                ▾ Azure CLI  1
                  ◐ grace@example.org                    Azure CLI     Graph      renews on use
                ▾ lab  1
                  ○ lin                                  lab                      needs sign-in
                ▾ work  1
                ▌ ● ada@example.org +1 guest             work          Graph      42 min











                ─ ada@example.org ──────────────────────────────────────────────────────────────
                 ● Enter: cached token, expires in 42 min  User.Read
                 Ada Lovelace  example.org, partner.example guest
                 Enter token  a add  / filter  n next  i inspect  s consent  q quit  ? help
                """#)
    }

    @Test func `Grouped by cloud at 40x10`() throws {
        var state = World.state(rows: 10, columns: 40)
        state.type("z")
        try expectScreen(
            "grouped cloud 40x10", state,
            is: #"""
                 foyer  Accounts 3         ▲ plain file
                ▾ id.example.org  1
                  ○ lin                   needs sign-in
                ▾ Public  Microsoft cloud, login.mic…  2
                ▌ ● ada@example.org       42 min
                  ◐ grace@example.org     renews on use



                 Enter token  a add  q quit  ? help
                """#)
    }

    @Test func `Grouped by client with a filter`() throws {
        var state = World.state(rows: 24, columns: 80)
        state.type("zzz/azure")
        try expectScreen(
            "grouped client filter", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Accounts 1 of 3 ────────────────────────────────────────────────── by client ─
                 / azure                                                                      1
                    account                              client        gets       access token
                ▾ Azure CLI  1
                ▌ ◐ grace@example.org                    Azure CLI     Graph      renews on use














                ─ grace@example.org ────────────────────────────────────────────────────────────
                 ◐ Enter: refreshes; no cached token for these scopes  .default
                 Grace Hopper  example.org
                 Enter keep  Esc clear  F1 help
                """#)
    }
}
