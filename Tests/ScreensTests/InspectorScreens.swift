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
                 foyer  tokens of ada@example.org                                    ~/.local/share/foyer/token_cache.json [plain file]
                Azure CLI                                       │ access token
                ▸ ○ access token  expired 10 min ago  https://… │ [claims] times  raw  entry
                  • refresh token of family 1                   │ client        Azure CLI (04b07795-8ddb-461a-bbee-02f9e1bf7b46)
                work                                            │ provider      login.microsoftonline.com
                  ● access token  expires in 42 min  https://gr…│ tenant        aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee
                  • refresh token stored                        │ scopes        https://management.core.windows.net//.default
                  • ID token      identity                      │ type          Bearer
                                                                │ stored        2026-11-21 02:50 UTC, 1 h 10 min ago
                                                                │ expires       2026-11-21 03:50 UTC, 10 min ago
                                                                │ token         13 bytes, hidden
                                                                │
                                                                │ opaque: this is no JWT: it does not have three parts. Only its
                                                                │ resource can read it.
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
                 Enter read  Tab view  p paste  s scopes  Esc back  ? help
                """#)
    }

    @Test func `The tokens of an account at 80x24`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("i")
        try expectScreen(
            "inspector 80x24", state,
            is: #"""
                 foyer  tokens of ada@example.org  ~/.local/share/foyer/token_cac… [plain file]
                Azure CLI
                ▸ ○ access token  expired 10 min ago  https://management.core.windows.net//.de…
                  • refresh token of family 1
                work
                  ● access token  expires in 42 min  https://graph.microsoft.com/User.Read http…
                  • refresh token stored
                  • ID token      identity















                 Enter read  Tab view  p paste  s scopes  Esc back  ? help
                """#)
    }

    @Test func `The tokens of an account at 40x10`() throws {
        var state = World.state(World.accounts, rows: 10, columns: 40)
        state.type("i")
        try expectScreen(
            "inspector 40x10", state,
            is: #"""
                 foyer  tokens of ada@exa… [plain file]
                Azure CLI
                ▸ ○ access token  expired 10 min ago  …
                  • refresh token of family 1
                work
                  ● access token  expires in 42 min  ht…
                  • refresh token stored
                  • ID token      identity

                 Enter read  Tab view  p paste  ? help
                """#)
    }

    @Test func `An ID token is explained and not called verified`() throws {
        var state = World.state(World.accounts, rows: 30, columns: 80)
        state.type("i")
        state.press(.end, .enter)
        try expectScreen(
            "inspector id token", state,
            is: #"""
                 foyer  tokens of ada@example.org  ~/.local/share/foyer/token_cac… [plain file]
                 ID token
                 [claims] times  raw  entry
                 client        work (11111111-2222-3333-4444-555555555555)
                 provider      login.microsoftonline.com
                 tenant        aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee
                 token         404 bytes, hidden

                 ▲ signature not checked; v checks it with the issuer's keys

                 Header
                 alg           RS256
                               how it is signed
                 kid           key-1
                               which of the issuer's keys signed it
                 typ           JWT
                               the type of the token

                 Claims
                 iss           https://login.microsoftonline.com/aaaaaaaa-bbbb-cccc-dddd-eeeeee
                               eeeeee/v2.0
                               who issued it
                 aud           11111111-2222-3333-4444-555555555555
                               audience
                 exp           2026-11-21 04:42 UTC, in 42 min
                               expires
                 iat           2026-11-21 03:42 UTC, 18 min ago
                               issued
                 name          Ada Lovelace                                                   ↓
                 Tab view  p paste  v verify  Esc back  ? help
                """#)
    }

    @Test func `An opaque token says so`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("i")
        state.press(.enter)
        try expectScreen(
            "inspector opaque", state, glyphs: .ascii,
            is: #"""
                 foyer  tokens of ada@example.org  ~/.local/share/foyer/token_c... [plain file]
                 access token
                 [claims] times  raw  entry
                 client        Azure CLI (04b07795-8ddb-461a-bbee-02f9e1bf7b46)
                 provider      login.microsoftonline.com
                 tenant        aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee
                 scopes        https://management.core.windows.net//.default
                 type          Bearer
                 stored        2026-11-21 02:50 UTC, 1 h 10 min ago
                 expires       2026-11-21 03:50 UTC, 10 min ago
                 token         13 bytes, hidden

                 opaque: this is no JWT: it does not have three parts. Only its resource can
                 read it.









                 Tab view  p paste  Esc back  ? help
                """#)
    }

    @Test func `Scopes at 120x30`() throws {
        var state = World.state(World.accounts, rows: 30, columns: 120)
        state.type("s")
        try expectScreen(
            "scopes 120x30", state,
            is: #"""
                 foyer  scopes of ada@example.org                                    ~/.local/share/foyer/token_cache.json [plain file]
                 Azure CLI
                 Azure Resource Manager (https://management.core.windows.net/)
                 ▸ [ ] ✔ granted   .default  high risk
                                   everything that was consented to for Azure Resource Manager, and nothing new; the two slashes are
                                   right: the resource's name ends in one, and so does the audience of the token

                 work
                 Microsoft Graph
                   [ ] ✔ granted   User.Read  low risk
                                   signs you in and reads your own profile
                   [ ] ✔ granted   Mail.Send  high risk
                                   sends mail in your name

                 Only tokens in this store are counted; consent itself is kept by the provider.

                 To revoke consent
                 https://myapps.microsoft.com/
                 open the program's menu, then "Manage your application", then "Revoke permissions"
                 for everybody: https://portal.azure.com/, Enterprise applications, the program, Permissions









                 Space choose  a ask  + type  m more  c compare  b take back  Esc back  ? help
                """#)
    }

    @Test func `Scopes at 80x24`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("s")
        try expectScreen(
            "scopes 80x24", state,
            is: #"""
                 foyer  scopes of ada@example.org  ~/.local/share/foyer/token_cac… [plain file]
                 Azure CLI
                 Azure Resource Manager (https://management.core.windows.net/)
                 ▸ [ ] ✔ granted   .default  high risk
                                   everything that was consented to for Azure Resource Manager,
                                   and nothing new; the two slashes are right: the resource's
                                   name ends in one, and so does the audience of the token

                 work
                 Microsoft Graph
                   [ ] ✔ granted   User.Read  low risk
                                   signs you in and reads your own profile
                   [ ] ✔ granted   Mail.Send  high risk
                                   sends mail in your name

                 Only tokens in this store are counted; consent itself is kept by the provider.

                 To revoke consent
                 https://myapps.microsoft.com/
                 open the program's menu, then "Manage your application", then "Revoke
                 permissions"
                 for everybody: https://portal.azure.com/, Enterprise applications, the
                 program, Permissions
                 Space choose  a ask  + type  m more  c compare  b take back  Esc back  ? help
                """#)
    }

    @Test func `Scopes at 40x10`() throws {
        var state = World.state(World.accounts, rows: 10, columns: 40)
        state.type("s")
        try expectScreen(
            "scopes 40x10", state,
            is: #"""
                 foyer  scopes of ada@exa… [plain file]
                 Azure CLI
                 Azure Resource Manager
                 (https://management.core.windows.net/)
                 ▸ [ ] ✔ granted   .default  high risk
                          everything that was consented
                          to for Azure Resource
                          Manager, and nothing new; the
                          two slashes are right: the  ↓
                 Space choose  a ask  + type  ? help
                """#)
    }

}
