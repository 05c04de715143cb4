import Explain
import FoundationEssentials
import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
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
                 foyer  tokens of ada@example.org  ~/.local/share/foyer/token_cac… [plain file]
                 access token
                  claims [times] raw  entry
                                                               now
                 Azure CLI
                 ▸ access token: .default
                 ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░      ║
                   from 02:50 to 03:50, expired 10 min ago
                 work
                 • access token: User.Read Mail.Send
                                                    ░░░░░░░░░░░░║████████████████████████████
                   from 03:42 to 04:42, expires in 42 min
                 • ID token
                                                    ░░░░░░░░░░░░║████████████████████████████
                   from 03:42 to 04:42, expires in 42 min

                 Refresh tokens do not say when they expire; the provider decides.






                 Tab view  p paste  Esc back  ? help
                """#)
    }

    @Test func `The raw view has what stands there, and the token only when it is revealed`() throws {
        var state = state()
        state.press(.end, .tab, .tab)
        try expectScreen(
            "token raw", state,
            is: #"""
                 foyer  tokens of ada@example.org                ~/.local/share/foyer/token_cache.json [plain file]
                 ID token
                  claims  times [raw] entry
                 token         404 bytes, hidden
                 parts         header 55, claims 335, signature 12 characters

                 {
                   "header": {
                     "alg": "RS256",
                     "kid": "key-1",
                     "typ": "JWT"
                   },
                   "payload": {
                     "iss": "https://login.microsoftonline.com/aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee/v2.0",
                     "aud": "11111111-2222-3333-4444-555555555555",
                     "exp": 1795236120,
                     "iat": 1795232520,
                     "name": "Ada Lovelace",
                     "tid": "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
                     "amr": [
                       "pwd",
                       "mfa"
                     ]
                   }
                 }




                 Tab view  p paste  v verify  Esc back  ? help
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
        #expect(state.picture().contains("reading the store"))
        state.send(
            .entry(
                "{\n    \"AccessToken\": {\n        \"key\": {\n"
                    + "            \"secret\": \"(13 bytes, not shown)\"\n        }\n    }\n}",
                RequestID(1)))
        try expectScreen(
            "token entry", state,
            is: #"""
                 foyer  tokens of ada@example.org                ~/.local/share/foyer/token_cache.json [plain file]
                 access token
                  claims  times  raw [entry]
                 every field as it is stored; of secrets, only the length

                 {
                   "AccessToken": {
                     "key": {
                       "secret": "(13 bytes, not shown)"
                     }
                   }
                 }







                 Tab view  p paste  Esc back  ? help
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
                 foyer  pasted tokens                            ~/.local/share/foyer/token_cache.json [plain file]
                 token
                 [claims] times  raw  entry
                 scopes        User.Read Mail.Send
                 issued        2026-11-21 03:42 UTC, 18 min ago
                 expires       2026-11-21 04:42 UTC, in 42 min
                 token         361 bytes, hidden

                 ▲ signature not checked; v checks it with the issuer's keys
                 by design, only its resource can check its signature

                 Header
                 alg           RS256
                               how it is signed
                 kid           key-1
                               which of the issuer's keys signed it
                 nonce         n
                               ties the token to one request

                 Claims
                 iss           https://sts.windows.net/t/
                               who issued it
                 aud           https://graph.microsoft.com
                               audience
                 iat           2026-11-21 03:42 UTC, 18 min ago
                               issued
                 exp           2026-11-21 04:42 UTC, in 42 min
                               expires
                 scp           User.Read Mail.Send
                               what was delegated: the scopes
                 roles         Reader
                               the roles that were assigned for this resource
                 tid           t
                               the tenant
                 xms_st        2 items
                   sub           abc
                   deep          1 part
                     er            2 items
                       0             1
                       1             2
                 odd           kept

                 What it may do                                                                                   ↓
                 Tab view  p paste  v verify  Esc back  ? help
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
        state.type("p")
        state.press(.enter)
        #expect(state.inspectorScreen.map { state.credentials($0).isEmpty } == true)
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
                 foyer  tokens of ada@example.org                ~/.local/share/foyer/token_cache.json [plain file]
                 token
                  claims  times  raw  entry [difference]
                 from          ID token of work
                 to            token that was pasted: User.Read Mail.Send

                 Header
                 + nonce added: n
                   ties the token to one request
                 - typ removed: JWT
                   the type of the token

                 Claims
                 ~ iss changed: https://login.microsoftonline.com/aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee/v2.0
                   → https://sts.windows.net/t/
                   who issued it
                 ~ aud changed: 11111111-2222-3333-4444-555555555555
                   → https://graph.microsoft.com
                   audience
                 + scp added: User.Read Mail.Send
                   what was delegated: the scopes
                 + roles added: ["Reader"]
                   the roles that were assigned for this resource
                 ~ tid changed: aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee
                   → t
                   the tenant
                 + xms_st added: {"sub":"abc","deep":{"er":[1,2]}}
                 + odd added: kept
                 - name removed: Ada Lovelace                                                                     ↓
                 Tab view  d compare  p paste  v verify  Esc back  ? help
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
