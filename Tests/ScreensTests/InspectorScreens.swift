import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct InspectorScreens {
    @Test func `The tokens of an account at 120x30`() throws {
        var state = World.state(World.accounts, rows: 30, columns: 120)
        state.type("i")
        try expectScreen(
            "inspector 120x30", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/token_cache.…  ▲ plain file
                ─ Tokens of ada@example.org 5 ────┬─ ada@example.org › access token ────────────────────────────────────────────────────
                 Azure CLI                        │ ✖ expired 10 min ago
                ▌ ○ access   Azure Reso…  expired │ Access token for Azure Resource Manager              example.org · client Azure CLI
                  ↻ refresh  Azure CLI            │ ─ Claims  Times  Raw  Store entry ─────────────────────────────────────────── Tab ─
                 work                             │ client   04b07795-8ddb-461a-bbee-02f9e1bf7b46        Azure CLI
                  ● access   Graph         42 min │ provider login.microsoftonline.com
                  ↻ refresh  work                 │ tenant   aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee        example.org
                  • ID       work                 │ scopes   https://management.core.windows.net//.default
                                                  │ type     Bearer
                                                  │ stored   2026-11-21 02:50 UTC                        1 h 10 min ago
                                                  │ expires  2026-11-21 03:50 UTC                        10 min ago
                                                  │ token    13 bytes, hidden                            R: show, Y: copy
                                                  │
                                                  │ opaque: not a JWT: expected three parts. Only its resource can read it.
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
                ──────────────────────────────────┴─────────────────────────────────────────────────────────────────────────────────────
                 Enter read  Tab view  p paste  R reveal  s consent  y copy…  Esc back  ? help
                """#)
    }

    @Test func `The tokens of an account at 80x24`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("i")
        try expectScreen(
            "inspector 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Tokens of ada@example.org 5 ──────────────────────────────────────────────────
                 Azure CLI
                ▌ ○ access   Azure Resource Manager  example.org           .default     expired
                  ↻ refresh  Azure CLI
                 work
                  ● access   Microsoft Graph         example.org           User.Read M…  42 min
                  ↻ refresh  work
                  • ID       work                    example.org














                 Enter read  Tab view  p paste  R reveal  s consent  y copy…  Esc back  ? help
                """#)
    }

    @Test func `The tokens of an account at 40x10`() throws {
        var state = World.state(World.accounts, rows: 10, columns: 40)
        state.type("i")
        try expectScreen(
            "inspector 40x10", state,
            is: #"""
                 Tokens of ada@example.o…  ▲ plain file
                 Azure CLI
                ▌ ○ access   Azure Resource M…  expired
                  ↻ refresh  Azure CLI
                 work
                  ● access   Graph               42 min
                  ↻ refresh  work
                  • ID       work

                 Enter read  Esc back  ? help
                """#)
    }

    @Test func `An ID token is explained and not called verified`() throws {
        var state = World.state(World.accounts, rows: 30, columns: 80)
        state.type("i")
        state.press(.end, .enter)
        try expectScreen(
            "inspector id token", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ ada@example.org › ID token ────────────────────────────────────────── 5 of 5 ─
                 ● expires in 42 min · signature not checked                        v to verify
                 ID token                                             example.org · client work
                 ─ Claims  Times  Raw  Store entry ────────────────────────────────────── Tab ─
                ▸iss    https://login.microsoftonline.com/aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee/
                        v2.0
                        issuer: example.org
                 aud    11111111-2222-3333-4444-555555555555      for: the client work
                 exp    2026-11-21 04:42 UTC                      expires in 42 min
                 iat    2026-11-21 03:42 UTC                      issued 18 min ago
                 name   Ada Lovelace                              display only
                 tid    aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee      tenant example.org
                 amr    pwd, mfa                                  authentication methods
                 header RS256 · kid key-1 · typ JWT               signature algorithm
                 token  404 bytes, hidden                         R: show, Y: copy












                ────────────────────────────────────────────────────────────────────────────────
                 Tab view  p paste  v verify  R reveal  y copy…  Esc back  ? help
                """#)
    }

    @Test func `An opaque token says so`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("i")
        state.press(.enter)
        try expectScreen(
            "inspector opaque", state, glyphs: .ascii,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ! plain file
                - ada@example.org > access token -------------------------------------- 1 of 5 -
                 x expired 10 min ago
                 Access token for Azure Resource Manager         example.org - client Azure CLI
                 - Claims  Times  Raw  Store entry -------------------------------------- Tab -
                >client   04b07795-8ddb-461a-bbee-02f9e1bf7b46     Azure CLI
                 provider login.microsoftonline.com
                 tenant   aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee     example.org
                 scopes   https://management.core.windows.net//.default
                 type     Bearer
                 stored   2026-11-21 02:50 UTC                     1 h 10 min ago
                 expires  2026-11-21 03:50 UTC                     10 min ago
                 token    13 bytes, hidden                         R: show, Y: copy

                 opaque: not a JWT: expected three parts. Only its resource can read it.








                 Tab view  p paste  R reveal  y copy...  Esc back  ? help
                """#)
    }

    @Test func `Scopes at 120x30`() throws {
        var state = World.state(World.accounts, rows: 30, columns: 120)
        state.type("s")
        try expectScreen(
            "scopes 120x30", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/token_cache.…  ▲ plain file
                ─ Consent of ada@example.org ───────────────────────────────────────────────────────────────────────────────────────────
                         permission                        what it allows                                       risk      who consents
                 Azure Resource Manager (https://management.core.windows.net/) · Azure CLI · example.org (home)
                 ▌ [ ] ✔ .default                          all permissions already granted for Azure Resource … high      you

                 Microsoft Graph · work · example.org (home)
                   [ ] ✔ User.Read                         signs you in and reads your own profile              low       you
                   [ ] ✔ Mail.Send                         sends mail in your name                              high      you

                 More permissions 142  m: show, /: filter

                 From the tokens in this store; the provider keeps the consent itself.

                 Revoke consent
                 https://myapps.microsoft.com/
                 open the app's menu, then "Manage your application", then "Revoke permissions"
                 for all users: https://portal.azure.com/, Enterprise applications, the app, Permissions





                 ─ Request ────────────────────────────────────────────────────────────────────────────────────────────────────────────
                 https://management.core.windows.net//.default
                 high risk; user consent; all permissions already granted for Azure Resource Manager; the double slash is correct for
                 this resource
                 Space: select
                ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
                 Space choose  Enter review  / filter  + type  m more  c compare  b revoke  y copy…  Esc back  ? help
                """#)
    }

    @Test func `Scopes at 80x24`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("s")
        try expectScreen(
            "scopes 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Consent of ada@example.org ───────────────────────────────────────────────────
                         permission             what it allows                       risk
                 Azure Resource Manager (https://management.core.windows.net/) · Azure CLI ·
                 example.org (home)
                 ▌ [ ] ✔ .default               all permissions already granted for… high

                 Microsoft Graph · work · example.org (home)
                   [ ] ✔ User.Read              signs you in and reads your own pro… low
                   [ ] ✔ Mail.Send              sends mail in your name              high

                 More permissions 142  m: show, /: filter

                 From the tokens in this store; the provider keeps the consent itself.

                 Revoke consent
                 https://myapps.microsoft.com/
                 open the app's menu, then "Manage your application", then "Revoke permissions"↓
                 ─ Request ────────────────────────────────────────────────────────────────────
                 https://management.core.windows.net//.default
                 high risk; user consent; all permissions already granted for Azure Resource
                 Manager; the double slash is correct for this resource
                 Space: select
                 Space choose  Enter review  / filter  + type  m more  Esc back  ? help
                """#)
    }

    @Test func `Scopes at 40x10`() throws {
        var state = World.state(World.accounts, rows: 10, columns: 40)
        state.type("s")
        try expectScreen(
            "scopes 40x10", state,
            is: #"""
                 Consent of ada@example.…  ▲ plain file
                 Azure Resource Manager
                 (https://management.core.windows.net/)
                 · Azure CLI · example.org (home)
                 ▌ [ ] ✔ .default  high
                         all permissions already
                         granted for Azure Resource
                         Manager; the double slash is
                         correct for this resource     ↓
                 Space choose  Esc back  ? help
                """#)
    }

}
