import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct PickerWideScreens {

    @Test func `The picker at 200x60`() throws {
        let state = World.state(rows: 60, columns: 200)
        try expectScreen(
            "picker 200x60", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                                                                                  ~/.local/share/foyer/token_cache.json  ▲ plain file
                ─ Accounts 3 ───────────────────────────────────────────────────────────────────────────────────────────────────────────── 1 needs sign-in ─┬─ ada@example.org ─────────────────────────────────────────
                    account                     name                  tenant                   client                 gets                access token      │ Ada Lovelace                       work or school account
                ▾ Needs you  1                                                                                                                              │ home      example.org
                  ○ lin                         林 花子               id.example.org           lab                                        needs sign-in     │ guest in  partner.example as ada_ext@partner.example
                ▾ Ready  2                                                                                                                                  │ cloud     Microsoft Azure (global)
                ▌ ● ada@example.org +1 guest    Ada Lovelace          example.org              work                   Graph               42 min            │
                  ◐ grace@example.org           Grace Hopper          example.org              Azure CLI              Graph               renews on use     │ Next token                                   Enter get it
                                                                                                                                                            │ ● cached token, expires in 42 min
                                                                                                                                                            │   work · Microsoft Graph · User.Read
                                                                                                                                                            │
                                                                                                                                                            │ Tokens of Azure CLI                             i inspect
                                                                                                                                                            │ ○ access  Azure                        expired 10 min ago
                                                                                                                                                            │ ↻ family refresh
                                                                                                                                                            │
                                                                                                                                                            │ Tokens of work                                  i inspect
                                                                                                                                                            │ ● access  Graph                         ━━━━━━━─── 42 min
                                                                                                                                                            │ ↻ refresh
                                                                                                                                                            │
                                                                                                                                                            │ Allows                                          s consent
                                                                                                                                                            │ ▲ sends mail in your name                       Mail.Send
                                                                                                                                                            │ ▲ all permissions already granted for Azure Resource
                                                                                                                                                            │   Manager; the double slash is correct for this resource
                                                                                                                                                            │   .default
                                                                                                                                                            │   signs you in and reads your own profile       User.Read
                                                                                                                                                            │
                                                                                                                                                            │ in foyer's store (plain file)
                                                                                                                                                            │ home account id
                                                                                                                                                            │   ad0a0000-0000-0000-0000-000000000001.
                                                                                                                                                            │   aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                                                                                                                                                            │
                ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┴───────────────────────────────────────────────────────────
                 Enter token  a add  / filter  n next  i inspect  s consent  x remove  o sign out  t client  S sort  z group  r reload  y copy…  q quit  ? help
                """#)
    }

    @Test func `An account taken over from ADAL`() throws {
        var account = World.grace
        account.origin = .adal
        let state = World.state([AccountOverview(account: account, credentials: [])], rows: 24, columns: 120)
        try expectScreen(
            "picker adal", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/token_cache.…  ▲ plain file
                ─ Accounts 1 ───────────────────────────────────────────────────────────┬─ grace@example.org ───────────────────────────
                    account                      client        gets       access token  │ Grace Hopper           work or school account
                ▌ ◐ grace@example.org            Azure CLI     Graph      renews on use │ home      example.org
                                                                                        │ cloud     Microsoft Azure (global)
                                                                                        │ from an ADAL cache: upgraded at the first
                                                                                        │ refresh
                                                                                        │
                                                                                        │ Next token                       Enter get it
                                                                                        │ ◐ refreshes; no cached token for these scopes
                                                                                        │   Azure CLI · Microsoft Graph · .default
                                                                                        │
                                                                                        │ Tokens of Azure CLI                 i inspect
                                                                                        │ none
                                                                                        │
                                                                                        │ in foyer's store (plain file)
                                                                                        │ home account id
                                                                                        │   92ace000-0000-0000-0000-000000000002.
                                                                                        │   aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee
                                                                                        │
                                                                                        │
                                                                                        │
                                                                                        │
                 Enter token  a add  / filter  i inspect  s consent  x remove  o sign out  S sort  z group  r reload  q quit  ? help
                """#)
    }

    @Test func `A reload keeps the rows and says so`() throws {
        var state = World.state(rows: 10, columns: 80)
        state.type("r")
        try expectScreen(
            "picker reloading", state,
            is: #"""
                 foyer  Accounts 3, 1 needs sign-in                                ▲ plain file
                  ○ lin                                  lab                      needs sign-in
                ▌ ● ada@example.org +1 guest             work          Graph      42 min
                  ◐ grace@example.org                    Azure CLI     Graph      renews on use





                 Enter token  a add  / filter  n next  i inspect  s consent  q quit  ? help
                """#)
    }

    @Test func `A filter that nothing matches`() throws {
        var state = World.state(rows: 12, columns: 80)
        state.type("/zebra")
        try expectScreen(
            "filter without match", state,
            is: #"""
                 foyer  Accounts 0 of 3                                            ▲ plain file
                 / zebra                                                                      0

                  no account matches
                  Esc: show all






                 Enter keep  Esc clear  F1 help
                """#)
    }
}
