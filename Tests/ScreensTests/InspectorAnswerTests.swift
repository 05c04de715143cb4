import Identity
import Keys
import Testing

@testable import AppModel
@testable import Screens

@Suite struct InspectorAnswerTests {
    /// As Entra ID gives them, and as the demo does.
    private static let payload =
        #"{"aud":"https://graph.microsoft.com","iss":"https://login.microsoftonline.com/\#(World.tenant)/v2.0","#
        + #""iat":1795232520,"nbf":1795232520,"exp":1795236120,"appid":"\#(World.work)","azp":"\#(World.work)","#
        + #""azpacr":"0","name":"Ada Lovelace","oid":"ada00000-0000-4000-8000-000000000001","#
        + #""preferred_username":"ada@example.org","roles":["Reader"],"scp":"openid profile User.Read Mail.Read","#
        + #""sub":"ynlKwImyCR11t06Gnr0WverefpLJGADkJ3AabcdefghijklmnopqrstuvwxyzABCDEF","tid":"\#(World.tenant)","#
        + #""uti":"v2NL5eOfUUe2gFEl_ZhhNg","ver":"2.0"}"#
    private static let access = World.jwt(#"{"alg":"RS256","kid":"HEWfbU7tCT5pqXro","typ":"JWT"}"#, payload)

    private static let accounts = [
        AccountOverview(
            account: World.ada,
            credentials: [
                World.credential(
                    .accessToken, World.work, World.ada, scopes: ["https://graph.microsoft.com/User.Read"], ends: 2520,
                    secret: access)
            ])
    ]

    private func state(rows: Int, columns: Int) -> State {
        var state = World.state(Self.accounts, rows: rows, columns: columns)
        state.type("i")
        return state
    }

    @Test func `The answer and every claim are on one screen at 110x30`() throws {
        try expectScreen(
            "token answer 110x30", state(rows: 30, columns: 110),
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/to…  ▲ plain file
                ─ Tokens of ada@example.org 1 ────┬─ ada@example.org › access token ──────────────────────────────────────────
                 work                             │ ● expires in 42 min · signature not checked                   v to verify
                ▌ ● access   Graph         42 min │ Access token for Microsoft Graph                example.org · client work
                                                  │ ada@example.org
                                                  │ Allows                                  delegated (on behalf of the user)
                                                  │ medium     Mail.Read  reads your mail
                                                  │ low        User.Read  signs you in and reads your own profile
                                                  │ role       Reader
                                                  │ ─ Claims  Times  Raw  Store entry ───────────────────────────────── Tab ─
                                                  │ aud        https://graph.microsoft.com          for: Microsoft Graph
                                                  │ iss        https://login.microsoftonline.com/a… issuer: example.org
                                                  │ iat nbf    2026-11-21 03:42 UTC                 issued 18 min ago
                                                  │ exp        2026-11-21 04:42 UTC                 expires in 42 min
                                                  │ appid azp  11111111-2222-3333-4444-555555555555 the client work
                                                  │ azpacr     0                                    public client, no secret
                                                  │ name       Ada Lovelace                         display only
                                                  │ oid        ada00000-0000-4000-8000-000000000001 user ID in this tenant
                                                  │ preferred_username ada@example.org              display only
                                                  │ roles      Reader                               app roles granted
                                                  │ scp        openid profile User.Read Mail.Read   scopes, see above
                                                  │ sub        ynlKwImyCR11t06Gnr0WverefpLJGADkJ3A… user ID (per app)
                                                  │ tid        aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee tenant example.org
                                                  │ uti        v2NL5eOfUUe2gFEl_ZhhNg               ID in the sign-in logs
                                                  │ ver        2.0                                  token version
                                                  │ header     RS256 · kid HEWfbU7tCT5pqXro · typ … signature algorithm
                                                  │ token      896 bytes, hidden                    R: show, Y: copy
                                                  │
                ──────────────────────────────────┴───────────────────────────────────────────────────────────────────────────
                 Enter read  Tab view  p paste  v verify  R reveal  s consent  y copy…  Esc back  ? help
                """#)
    }

    @Test func `The answer and every claim are on one screen at 80x24`() throws {
        var state = state(rows: 24, columns: 80)
        state.press(.enter)
        try expectScreen(
            "token answer 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ ada@example.org › access token ────────────────────────────────────── 1 of 1 ─
                 ● expires in 42 min · signature not checked                        v to verify
                 Access token for Microsoft Graph                     example.org · client work
                 Allows  medium Mail.Read  low User.Read  role Reader
                 ─ Claims  Times  Raw  Store entry ────────────────────────────────────── Tab ─
                ▸aud        https://graph.microsoft.com             for: Microsoft Graph
                 iss        https://login.microsoftonline.com/aaaa… issuer: example.org
                 iat nbf    2026-11-21 03:42 UTC                    issued 18 min ago
                 exp        2026-11-21 04:42 UTC                    expires in 42 min
                 appid azp  11111111-2222-3333-4444-555555555555    the client work
                 azpacr     0                                       public client, no secret
                 name       Ada Lovelace                            display only
                 oid        ada00000-0000-4000-8000-000000000001    user ID in this tenant
                 preferred_username ada@example.org                 display only
                 roles      Reader                                  app roles granted
                 scp        openid profile User.Read Mail.Read      scopes, see above
                 sub        ynlKwImyCR11t06Gnr0WverefpLJGADkJ3Aabc… user ID (per app)
                 tid        aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee    tenant example.org
                 uti        v2NL5eOfUUe2gFEl_ZhhNg                  ID in the sign-in logs
                 ver        2.0                                     token version
                 header     RS256 · kid HEWfbU7tCT5pqXro · typ JWT  signature algorithm
                 token      896 bytes, hidden                       R: show, Y: copy
                 Tab view  p paste  v verify  R reveal  y copy…  Esc back  ? help
                """#)
    }

    @Test func `The answer comes first at 40x10, and the meaning below each value`() throws {
        var state = state(rows: 10, columns: 40)
        state.press(.enter)
        try expectScreen(
            "token answer 40x10", state,
            is: #"""
                 foyer  access token       ▲ plain file
                 ● expires in 42 min · signature not
                   checked
                   v to verify
                 Access token for Microsoft Graph
                   example.org · client work
                 Allows  medium Mail.Read  low
                 User.Read  role Reader
                 ─ Claims  Times  Raw  Store entry     ↓
                 Tab view  p paste  Esc back  ? help
                """#)
    }

    @Test(arguments: [(30, 110), (24, 80)])
    func `Nothing of the answer and no claim is off the screen`(rows: Int, columns: Int) throws {
        var state = state(rows: rows, columns: columns)
        state.press(.enter)
        let picture = state.picture()
        for word in [
            "aud", "iss", "iat nbf", "exp", "appid azp", "azpacr", "name", "oid", "preferred_username", "roles", "scp",
            "sub", "tid", "uti", "ver", "header", "expires in 42 min", "signature not checked", "medium", "Mail.Read",
            "Access token for Microsoft Graph", "example.org", "bytes, hidden",
        ] { #expect(picture.contains(word), "\(word)") }
    }

    @Test func `A value that is cut is whole on the row that is marked`() throws {
        var state = state(rows: 24, columns: 80)
        state.press(.enter)
        let end = "ABCDEF"
        #expect(!state.picture().contains(end))
        while state.inspectorScreen?.entry.map({ $0 < 11 }) == true { state.press(.down) }
        #expect(state.picture().contains(end))
    }

    @Test func `The secret is on the screen after R, in every view and however far was scrolled`() throws {
        for tabs in 0..<5 {
            var state = state(rows: 24, columns: 80)
            state.press(.enter)
            if tabs == 4 { state.type(" d") }
            for _ in 0..<min(tabs, 3) { state.press(.tab) }
            state.press(.end)
            state.type("R")
            #expect(state.picture().contains("shown for 10 seconds"), "after \(tabs) tabs")
            #expect(state.picture().contains(Self.access.prefix(60)), "after \(tabs) tabs")
        }
    }

    @Test func `Of a changed value only what differs is marked`() {
        let (old, new) = TextDiff.of("https://a.example/v1/x", "https://a.example/v2/x")
        #expect(old.map(\.isChanged) == [false, true, false] && old[1].text == "1" && new[1].text == "2")
        let (before, after) = TextDiff.of("openid User.Read", "openid Mail.Read User.Read")
        #expect(!before.contains(where: \.isChanged) && after.filter(\.isChanged).map(\.text) == [" Mail.Read"])
        #expect(TextDiff.of("", "x").new == [.init("x", true)])
    }

    @Test func `Names of JSON are told apart from texts and numbers`() {
        let line = TokenInspector.coloured(#""a\"b": 12,"#)
        #expect(line.map(\.text).joined() == #""a\"b": 12,"# && line.map(\.tone) == [.key, .muted, .ok])
        #expect(TokenInspector.coloured(#""only a text","#).map(\.tone) == [.text])
        #expect(TokenInspector.coloured("},").map(\.tone) == [.muted])
    }
}
