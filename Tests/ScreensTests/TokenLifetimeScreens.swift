import Explain
import FoundationEssentials
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Console
@testable import Screens

@Suite struct TokenLifetimeScreens {
    private func state(rows: Int = 30, columns: Int = 100) -> State {
        var state = World.state(World.accounts, rows: rows, columns: columns)
        state.type("i")
        return state
    }

    private static let access = World.jwt(
        #"{"alg":"RS256","kid":"key-1","nonce":"n"}"#,
        #"{"iss":"https://sts.windows.net/t/","aud":"https://graph.microsoft.com","iat":1795232520,"exp":1795236120,"scp":"User.Read Mail.Send","roles":["Reader"],"tid":"t","xms_st":{"sub":"abc","deep":{"er":[1,2]}},"odd":"kept"}"#
    )

    @Test func `The lives of all tokens stand on one line of time`() throws {
        var state = state(rows: 24, columns: 80)
        state.press(.tab)
        try expectScreen(
            "token times", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ ada@example.org › access token ────────────────────────────────────── 1 of 5 ─
                 ✖ expired 10 min ago
                 Access token for Azure Resource Manager         example.org · client Azure CLI
                 ─ Claims  Times  Raw  Store entry ────────────────────────────────────── Tab ─
                                                               now
                 Azure CLI
                 ▸ access token: .default
                 ─────────────────────────────────────────      ║
                   from 02:50 to 03:50, expired 10 min ago
                 work
                 • access token: User.Read Mail.Send
                                                    ────────────║━━━━━━━━━━━━━━━━━━━━━━━━━━━━
                   from 03:42 to 04:42, expires in 42 min
                 • ID token
                                                    ────────────║━━━━━━━━━━━━━━━━━━━━━━━━━━━━
                   from 03:42 to 04:42, expires in 42 min

                 The provider decides when refresh tokens expire.




                 Tab view  p paste  R reveal  y copy…  Esc back  ? help
                """#)
    }

    @Test func `The raw view has what stands there, and the token only when it is revealed`() throws {
        var state = state()
        state.press(.end, .tab, .tab)
        try expectScreen(
            "token raw", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                     ▲ plain file
                ─ Tokens of ada@example.org 5 ────┬─ ada@example.org › ID token ────────────────────────────────────
                 Azure CLI                        │ ● expires in 42 min · signature not checked         v to verify
                  ○ access   Azure Reso…  expired │ ID token                              example.org · client work
                  ↻ refresh  Azure CLI            │ ─ Claims  Times  Raw  Store entry ─────────────────────── Tab ─
                 work                             │ token         404 bytes, hidden
                  ● access   Graph         42 min │ parts         header 55, claims 335, signature 12 characters
                  ↻ refresh  work                 │
                ▌ • ID       work                 │ {
                                                  │   "header": {
                                                  │     "alg": "RS256",
                                                  │     "kid": "key-1",
                                                  │     "typ": "JWT"
                                                  │   },
                                                  │   "payload": {
                                                  │     "iss": "https://login.microsoftonline.com/aaaaaaaa-bbbb-ccc
                                                  │     c-dddd-eeeeeeeeeeee/v2.0",
                                                  │     "aud": "11111111-2222-3333-4444-555555555555",
                                                  │     "exp": 1795236120,
                                                  │     "iat": 1795232520,
                                                  │     "name": "Ada Lovelace",
                                                  │     "tid": "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
                                                  │     "amr": [
                                                  │       "pwd",
                                                  │       "mfa"
                                                  │     ]
                                                  │   }
                                                  │ }
                ──────────────────────────────────┴─────────────────────────────────────────────────────────────────
                 Enter read  Tab view  p paste  v verify  R reveal  s consent  y copy…  Esc back  ? help
                """#)
        #expect(!state.picture().contains(World.idToken.prefix(40)))
        state.type("R")
        #expect(state.picture().contains(World.idToken.prefix(40)))
    }

    @Test func `The entry in the store is read when it is looked at`() throws {
        var state = state(rows: 20)
        state.press(.tab, .tab)
        let effects = state.press(.tab)
        let first = try #require(state.inspectorScreen.flatMap(state.chosen))
        #expect(effects == [.readEntry(first, store: nil, RequestID(1))])
        #expect(state.picture().contains("loading"))
        state.send(
            .entry(
                "{\n    \"AccessToken\": {\n        \"key\": {\n"
                    + "            \"secret\": \"(13 bytes, not shown)\"\n        }\n    }\n}",
                RequestID(1)))
        try expectScreen(
            "token entry", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                     ▲ plain file
                ─ Tokens of ada@example.org 5 ────┬─ ada@example.org › access token ────────────────────────────────
                 Azure CLI                        │ ✖ expired 10 min ago
                ▌ ○ access   Azure Reso…  expired │ Access token for Azure Resource Manager
                  ↻ refresh  Azure CLI            │   example.org · client Azure CLI
                 work                             │ ─ Claims  Times  Raw  Store entry ─────────────────────── Tab ─
                  ● access   Graph         42 min │ all stored fields; secrets hidden
                  ↻ refresh  work                 │
                  • ID       work                 │ {
                                                  │   "AccessToken": {
                                                  │     "key": {
                                                  │       "secret": "(13 bytes, not shown)"
                                                  │     }
                                                  │   }
                                                  │ }
                                                  │
                                                  │
                                                  │
                                                  │
                 Enter read  Tab view  p paste  R reveal  s consent  y copy…  Esc back  ? help
                """#)
        #expect(
            state.send(.loaded(World.roster(World.accounts))) == [.readEntry(first, store: nil, RequestID(2))],
            "it may be another one now")
    }

    @Test func `Any token can be pasted and is explained, and nothing of it is kept`() throws {
        var state = World.state(World.accounts, rows: 44, columns: 100)
        state.type("p")
        #expect(state.place == .line)
        state.press(.paste("Bearer \(Self.access)\n"))
        #expect(state.place == .inspector)
        state.press(.enter)
        try expectScreen(
            "token pasted", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                     ▲ plain file
                ─ Pasted tokens 1 ────────────────┬─ pasted tokens › token ─────────────────────────────────────────
                 pasted (not kept)                │ ▲ expires in 42 min · signature: only its resource can check it
                ▌ ● pasted   Graph         42 min │   · high-risk scope
                                                  │ Pasted token for Microsoft Graph                              t
                                                  │ Allows                        delegated (on behalf of the user)
                                                  │ high       Mail.Send  sends mail in your name
                                                  │ low        User.Read  signs you in and reads your own profile
                                                  │ role       Reader
                                                  │ ─ Claims  Times  Raw  Store entry ─────────────────────── Tab ─
                                                  │▸iss    https://sts.windows.net/t/           issuer
                                                  │ aud    https://graph.microsoft.com          for: Microsoft Gra…
                                                  │ iat    2026-11-21 03:42 UTC                 issued 18 min ago
                                                  │ exp    2026-11-21 04:42 UTC                 expires in 42 min
                                                  │ scp    User.Read Mail.Send                  high risk: Mail.Se…
                                                  │ roles  Reader                               app roles granted
                                                  │ tid    t                                    tenant
                                                  │ xms_st 2 items
                                                  │   sub    abc
                                                  │   deep   1 item
                                                  │     er     2 items
                                                  │       0      1
                                                  │       1      2
                                                  │ odd    kept
                                                  │ header RS256 · kid key-1 · nonce n          signature algorithm
                                                  │ token  361 bytes, hidden                    R: show, Y: copy
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
                ──────────────────────────────────┴─────────────────────────────────────────────────────────────────
                 Tab view  p paste  v verify  R reveal  y copy…  Esc back  ? help
                """#)
        state.press(.escape, .escape)
        #expect(state.stack.isEmpty)
        state.type("i")
        #expect(!state.picture().contains("pasted"))
    }

    @Test func `A pasted text that is no token says so, and its characters are not shown`() throws {
        var state = World.state(rows: 20, columns: 60)
        state.type("p")
        state.type("no token")
        #expect(!state.picture().contains("no token"), "masked while it is typed")
        state.press(.enter, .enter)
        #expect(state.picture().contains("opaque"))
    }

    @Test func `An empty line pastes nothing, and Esc closes it first`() {
        var state = World.state()
        state.type("ip")
        state.press(.enter)
        #expect(state.place == .inspector)
        state.type("p")
        state.press(.escape)
        #expect(state.place == .inspector)
        state.press(.escape)
        #expect(state.stack.isEmpty)
    }

    @Test func `A marked token is compared with another one, claim by claim`() throws {
        var state = state(rows: 30)
        state.press(.end)
        state.type(" p")
        state.press(.paste(Self.access))
        state.type("d")
        try expectScreen(
            "token difference", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity                     ▲ plain file
                ─ Tokens of ada@example.org 6 ────┬─ ada@example.org › token ───────────────────────────────────────
                 Azure CLI                        │ ▲ expires in 42 min · signature: only its resource can check it
                  ○ access   Azure Reso…  expired │   · high-risk scope
                  ↻ refresh  Azure CLI            │ Pasted token for Microsoft Graph                              t
                 work                             │ Allows  high Mail.Send  low User.Read  role Reader
                  ● access   Graph         42 min │ ─ Claims  Times  Raw  Store entry  Difference ─────────── Tab ─
                  ↻ refresh  work                 │ from          ID token of work
                 ✔• ID       work                 │ to            token that was pasted: User.Read Mail.Send
                 pasted (not kept)                │
                ▌ ● pasted   Graph         42 min │ Header
                                                  │ + nonce  n
                                                  │   ties the token to one request
                                                  │ - typ  JWT
                                                  │   token type
                                                  │
                                                  │ Claims
                                                  │ - iss  https://login.microsoftonline.com/aaaaaaaa-bbbb-cccc-ddd
                                                  │ d-eeeeeeeeeeee/v2.0
                                                  │ + iss  https://sts.windows.net/t/
                                                  │   issuer
                                                  │ - aud  11111111-2222-3333-4444-555555555555
                                                  │ + aud  https://graph.microsoft.com
                                                  │   audience
                                                  │ + scp  User.Read Mail.Send
                                                  │   delegated permissions (scopes)
                                                  │ + roles  ["Reader"]
                                                  │   roles assigned for this resource                             ↓
                ──────────────────────────────────┴─────────────────────────────────────────────────────────────────
                 Tab view  d compare  p paste  v verify  R reveal  y copy…  Esc back  ? help
                """#)
        state.type("d")
        #expect(state.inspectorScreen?.view == .claims)
    }

    @Test func `Opaque tokens are compared by what the store notes of them`() {
        var state = state(rows: 24)
        state.type(" jjd")
        let picture = state.picture()
        #expect(picture.contains("opaque") && picture.contains("+ https://graph.microsoft.com/User.Read"))
    }

    @Test func `Without a mark there is nothing to compare with`() {
        var state = state()
        #expect(!state.app.isOffered(.difference))
        state.type("  d")
        #expect(state.inspectorScreen?.view == .claims, "marked and unmarked again")
    }

    @Test func `Claims go into a file that the person names, and to the clipboard by the key for it`() throws {
        var state = state()
        state.type("E")
        #expect(state.place == .inspector, "an opaque token has no claims")
        state.press(.end)
        state.type("E")
        #expect(state.place == .line)
        state.press(.control("u"))
        state.type("~/ada.json")
        let text = DecodedToken.exported(try DecodedJWT(Secret(World.idToken)))
        #expect(state.press(.enter) == [.export(text, toFile: "~/ada.json")])
        #expect(state.type("C") == [.copy(text)])
        #expect(!text.contains(World.idToken))
    }

    @Test func `A claim of four thousand characters is cut and said to be`() {
        var state = World.state(rows: 60, columns: 80)
        state.type("p")
        state.press(
            .paste(
                World.jwt(
                    #"{"alg":"none"}"#, "{\"long\":\"\(String(repeating: "x", count: 4000))\",\"after\":\"here\"}")))
        state.press(.enter)
        let picture = state.picture()
        #expect(picture.contains("4000 characters") && picture.contains("after"))
    }

    private static let sizes: [(rows: Int, columns: Int)] = [(10, 40), (24, 80), (30, 120)]

    @Test(arguments: sizes)
    func `Every look fits every size`(_ size: (rows: Int, columns: Int)) {
        var state = state(rows: size.rows, columns: size.columns)
        state.press(.end)
        for _ in 0..<5 {
            state.press(.tab, .pageDown)
            for line in state.picture().split(separator: "\n") {
                #expect(DisplayWidth.columns(String(line)) <= size.columns)
            }
        }
    }
}
