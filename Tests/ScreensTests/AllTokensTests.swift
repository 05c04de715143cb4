import Identity
import Keys
import Synchronization
import Testing

@testable import AppModel
@testable import Screens

@Suite struct AllTokensTests {
    private func open(_ accounts: [AccountOverview], rows: Int = 30, columns: Int = 110) -> State {
        var state = World.state(accounts, rows: rows, columns: columns)
        state.app.stack = [TokenInspector.ofAll(in: state.app.context, at: nil)]
        return state
    }

    @Test func `The tokens of all accounts at 110x30`() throws {
        try expectScreen(
            "all tokens 110x30", open(World.accounts),
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/to…  ▲ plain file
                ─ Tokens of all accounts 7 ───────┬─ ada@example.org › access token ──────────────────────────────────────────
                 ada@example.org                  │ ✖ expired 10 min ago
                ▌ ○ access   Azure Reso…  expired │ Access token for Azure Resource Manager    example.org · client Azure CLI
                  ↻ refresh  Azure CLI            │ ─ Claims  Times  Raw  Store entry ───────────────────────────────── Tab ─
                  ● access   Graph         42 min │ client   04b07795-8ddb-461a-bbee-02f9e1bf7b46  Azure CLI
                  ↻ refresh  work                 │ provider login.microsoftonline.com
                  • ID       work                 │ tenant   aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee  example.org
                 grace@example.org                │ scopes   https://management.core.windows.net//.default
                  ↻ refresh  Azure CLI            │ type     Bearer
                 lin                              │ stored   2026-11-21 02:50 UTC                  1 h 10 min ago
                  • ID       lab                  │ expires  2026-11-21 03:50 UTC                  10 min ago
                                                  │ token    13 bytes, hidden                      R: show, Y: copy
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
                ──────────────────────────────────┴───────────────────────────────────────────────────────────────────────────
                 Enter read  Tab view  p paste  R reveal  s consent  y copy…  Esc back  ? help
                """#)
    }

    @Test func `Wide screens name what a token is for, its tenant and its scopes in the list`() {
        let picture = open(World.accounts, columns: 200).picture()
        #expect(picture.contains("○ access   Azure Resource Manager  example.org "), "\(picture)")
    }

    @Test func `The tokens of all accounts at 80x24`() throws {
        var state = open(World.accounts, rows: 24, columns: 80)
        state.type("j")
        try expectScreen(
            "all tokens 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Tokens of all accounts 7 ─────────────────────────────────────────────────────
                 ada@example.org
                  ○ access   Azure Resource Manager  example.org           .default     expired
                ▌ ↻ refresh  Azure CLI
                  ● access   Microsoft Graph         example.org           User.Read M…  42 min
                  ↻ refresh  work
                  • ID       work                    example.org
                 grace@example.org
                  ↻ refresh  Azure CLI
                 lin
                  • ID       lab











                 Enter read  Tab view  p paste  R reveal  s consent  y copy…  Esc back  ? help
                """#)
    }

    @Test func `A token is listed in the same place whatever the order of the store`() throws {
        func token(_ kind: CachedCredential.Kind, _ realm: String) -> CachedCredential {
            var token = World.credential(kind, World.work, World.ada, secret: "\(kind) \(realm)")
            (token.realm, token.id) = (realm, "\(kind.rawValue)-\(realm)")
            return token
        }
        let wanted = [
            token(.accessToken, World.tenant), token(.accessToken, World.other), token(.refreshToken, ""),
            token(.idToken, World.tenant), token(.idToken, World.other),
        ]
        for turn in wanted.indices {
            let mixed = Array(wanted[turn...] + wanted[..<turn]).reversed()
            let overview = AccountOverview(account: World.ada, credentials: Array(mixed))
            #expect(TokenInspector.credentials(overview) == wanted)
        }
    }

    @Test func `What was pasted stands behind the tokens of the store, and belongs to nobody`() {
        var state = open(World.accounts)
        state.type("p")
        state.press(.paste(World.jwt(#"{"alg":"none"}"#, "{}")))
        #expect(state.picture().contains("pasted (not kept)") && state.picture().contains("unsigned (alg none)"))
        state.type("s")
        #expect(state.place == .inspector)
    }

    @Test func `Keys go from account to account, and the store's reading again keeps the place`() throws {
        var state = open(World.accounts)
        state.press(.end)
        let last = try #require(state.inspectorScreen.flatMap(state.chosen))
        #expect(last.clientID == "lab-cli")
        state.send(.loaded(World.roster(World.accounts)))
        #expect(state.inspectorScreen.flatMap(state.chosen) == last)
        state.press(.home)
        #expect(state.inspectorScreen.flatMap(state.chosen)?.homeAccountID == World.ada.homeAccountID)
    }

    @Test func `Of ten thousand accounts only those are read whose tokens are seen`() {
        let read = Mutex<Set<Int>>([])
        let lives = World.accounts[1].lives
        let reader = CredentialReader(
            credentials: { number in
                read.withLock { _ = $0.insert(number) }
                return World.many(1)[0].credentials
            },
            lives: { _, _ in lives })
        let accounts = (0..<10_000).map { number in
            AccountOverview(
                account: Account(
                    homeAccountID: "account-\(number)", environment: "id.example.org", username: "user\(number)",
                    clients: ["lab-cli"]), reader: reader, number: number)
        }
        var state = World.state(accounts, rows: 30, columns: 110)
        read.withLock { $0 = [] }
        state.app.stack = [TokenInspector.ofAll(in: state.app.context, at: nil)]
        #expect(state.picture().contains("refresh"))
        state.press(.end)
        _ = state.picture()
        state.press(.up, .pageUp)
        _ = state.picture()
        #expect(read.withLock(\.count) < 100)
        #expect(state.inspectorScreen.map(state.credentials)?.count == 1)
    }
}
