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
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/token_cache.…  ▲ plain file
                ─ Accounts 3 ───────────────────────────────────────── 1 needs sign-in ─┬─ ada@example.org ─────────────────────────────
                    account                      client        gets       access token  │ Ada Lovelace           work or school account
                ▾ Needs you  1                                                          │ home      example.org
                  ○ lin                          lab                      needs sign-in │ guest in  partner.example as
                ▾ Ready  2                                                              │           ada_ext@partner.example
                ▌ ● ada@example.org +1 guest     work          Graph      42 min        │ cloud     Microsoft Azure (global)
                  ◐ grace@example.org            Azure CLI     Graph      renews on use │
                                                                                        │ Next token                       Enter get it
                                                                                        │ ● cached token, expires in 42 min
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
                                                                                        │ ▲ all permissions already granted for Azure
                                                                                        │   Resource Manager; the double slash is
                                                                                        │   correct for this resource
                                                                                        │   .default
                                                                                        │   signs you in and reads your own profile
                                                                                        │   User.Read                                  ↓
                ────────────────────────────────────────────────────────────────────────┴───────────────────────────────────────────────
                 Enter token  a add  / filter  n next  i inspect  s consent  x remove  o sign out  t client  S sort  q quit  ? help
                """#)
    }

    @Test func `The picker at 80x24`() throws {
        let state = World.state(rows: 24, columns: 80)
        try expectScreen(
            "picker 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Accounts 3 ───────────────────────────────────────────────── 1 needs sign-in ─
                    account                              client        gets       access token
                ▾ Needs you  1
                  ○ lin                                  lab                      needs sign-in
                ▾ Ready  2
                ▌ ● ada@example.org +1 guest             work          Graph      42 min
                  ◐ grace@example.org                    Azure CLI     Graph      renews on use












                ─ ada@example.org ──────────────────────────────────────────────────────────────
                 ● Enter: cached token, expires in 42 min  User.Read
                 Ada Lovelace  example.org, partner.example guest
                 Enter token  a add  / filter  n next  i inspect  s consent  q quit  ? help
                """#)
    }

    @Test func `The picker at 40x10`() throws {
        let state = World.state(rows: 10, columns: 40)
        try expectScreen(
            "picker 40x10", state,
            is: #"""
                 foyer  Accounts 3         ▲ plain file
                  ○ lin                   needs sign-in
                ▌ ● ada@example.org       42 min
                  ◐ grace@example.org     renews on use





                 Enter token  a add  q quit  ? help
                """#)
    }

    @Test func `The picker in ASCII`() throws {
        let state = World.state()
        try expectScreen(
            "picker ascii", state, glyphs: .ascii,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ! plain file
                - Accounts 3 ------------------------------------------------- 1 needs sign-in -
                    account                              client        gets       access token
                - Needs you  1
                  o lin                                  lab                      needs sign-in
                - Ready  2
                > * ada@example.org +1 guest             work          Graph      42 min
                  ~ grace@example.org                    Azure CLI     Graph      renews on use












                - ada@example.org --------------------------------------------------------------
                 * Enter: cached token, expires in 42 min  User.Read
                 Ada Lovelace  example.org, partner.example guest
                 Enter token  a add  / filter  n next  i inspect  s consent  q quit  ? help
                """#)
    }

    @Test func `A filter shows what matched`() throws {
        var state = World.state()
        state.type("/gr")
        try expectScreen(
            "picker filter", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Accounts 1 of 3 ──────────────────────────────────────────────────────────────
                 / gr                                                                         1
                    account                              client        gets       access token
                ▌ ◐ grace@example.org                    Azure CLI     Graph      renews on use















                ─ grace@example.org ────────────────────────────────────────────────────────────
                 ◐ Enter: refreshes; no cached token for these scopes  .default
                 Grace Hopper  example.org
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
                 foyer  Accounts 3         ▲ plain file
                 / example                            3
                ▌ ● ada@example.org       42 min
                  ◐ grace@example.org     renews on use
                  ○ lin                   needs sign-in




                 Enter token  Esc all  q quit  ? help
                """#)
    }
}
