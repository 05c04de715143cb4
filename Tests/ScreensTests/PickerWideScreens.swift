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
                 foyer  3 accounts                                                                                                                                   ~/.local/share/foyer/token_cache.json [plain file]
                    state          account                       name                tenant            clients                     expires      │ ada@example.org
                ▸ ● valid          ada@example.org               Ada Lovelace        example.org +1    Azure CLI, work             in 42 min    │ Ada Lovelace
                  ◐ refreshable    grace@example.org             Grace Hopper        example.org       Azure CLI                                │ ● valid, expires in 42 min
                  ○ sign-in needed lin                           林 花子             id.example.org    lab                                      │
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
                                                                                                                                                │ store    ~/.local/share/foyer/token_cache.json [plain file]
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
                                                                                                                                                │   https://graph.microsoft.com/Mail.Send
                                                                                                                                                │ ID token, example.org
                                                                                                                                                │ refresh token
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
                                                                                                                                                │
                 Enter token  a sign in  / filter  i tokens  s scopes  x remove  o sign out  t client  S sort  z group  r reload  q quit  ? help
                """#)
    }

    @Test func `An account taken over from ADAL`() throws {
        var account = World.grace
        account.origin = .adal
        let state = World.state([AccountOverview(account: account, credentials: [])], rows: 24, columns: 120)
        try expectScreen(
            "picker adal", state,
            is: #"""
                 foyer  1 account                                                    ~/.local/share/foyer/token_cache.json [plain file]
                    state          account              tenant         expires      │ grace@example.org
                ▸ ◐ ADAL, not use… grace@example.org    example.org                 │ Grace Hopper
                                                                                    │ ◐ ADAL, not used yet
                                                                                    │ from an old ADAL cache: the first refresh moves
                                                                                    │ it over
                                                                                    │
                                                                                    │ Enter    refreshes; no cached token for these
                                                                                    │          scopes
                                                                                    │ client   Azure CLI
                                                                                    │ scopes   https://graph.microsoft.com/.default
                                                                                    │
                                                                                    │ provider login.microsoftonline.com
                                                                                    │ tenant   aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee
                                                                                    │
                                                                                    │ store    ~/.local/share/foyer/token_cache.json
                                                                                    │          [plain file]
                                                                                    │
                                                                                    │ Azure CLI
                                                                                    │ no token of its own
                                                                                    │
                                                                                    │
                                                                                    │
                 Enter token  a sign in  / filter  i tokens  s scopes  x remove  o sign out  S sort  z group  r reload  q quit  ? help
                """#)
    }

    @Test func `A reload keeps the rows and says so`() throws {
        var state = World.state(rows: 10, columns: 80)
        state.type("r")
        try expectScreen(
            "picker reloading", state,
            is: #"""
                 foyer  3 accounts, reading the store  ~/.local/share/foyer/token… [plain file]
                ▸ ● valid          ada@example.org         Ada Lovelace exampl… +1 in 42 min
                  ◐ refreshable    grace@example.org       Grace Hopper example.o…
                  ○ sign-in needed lin                     林 花子      id.exampl…




                 Enter: cached token, expires in 42 min
                 Enter token  a sign in  / filter  i tokens  s scopes  q quit  ? help
                """#)
    }

    @Test func `A filter that nothing matches`() throws {
        var state = World.state(rows: 12, columns: 80)
        state.type("/zebra")
        try expectScreen(
            "filter without match", state,
            is: #"""
                 foyer  0 of 3 accounts      ~/.local/share/foyer/token_cache.json [plain file]
                 filter: zebra                                                                0

                  no account matches
                  Esc shows all






                 Enter keep  Esc clear  F1 help
                """#)
    }
}
