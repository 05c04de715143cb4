import FoundationEssentials
import Identity
import Terminal

@testable import Screens

/// A made-up store, and the hands that press keys on it.
enum World {
    /// 2026-11-21 04:00 UTC.
    static let now = Date(timeIntervalSince1970: 1_795_233_600)
    static let work = "11111111-2222-3333-4444-555555555555"
    static let azureCLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
    static let tenant = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
    static let other = "99999999-8888-7777-6666-555555555555"
    static let graph = "https://graph.microsoft.com/"

    static let context = Context(
        clients: [
            .init(
                name: "work", clientID: work, authority: "https://login.microsoftonline.com/organizations",
                scopes: ["https://graph.microsoft.com/User.Read"]),
            .init(
                name: "lab", clientID: "lab-cli", authority: "https://id.example.org/realms/lab",
                scopes: ["openid", "email"], kind: .oidc),
        ], defaultClient: "work", storeLabel: "~/.local/share/foyer/token_cache.json", storeBadge: "plain file",
        automaticMethod: .device,
        automaticReason: "no display here")

    static func state(
        _ accounts: [AccountOverview]? = World.accounts, rows: Int = 24, columns: Int = 80,
        context: Context = World.context
    )
        -> State
    {
        var state = State(context: context, size: Size(rows: rows, columns: columns), now: now)
        if let accounts { _ = update(&state, .loaded(Roster(accounts, clientName: context.clientName))) }
        return state
    }

    static func roster(_ accounts: [AccountOverview]) -> Roster { Roster(accounts, clientName: context.clientName) }

    static func seconds(_ seconds: Double) -> Date { now.addingTimeInterval(seconds) }

    static func credential(
        _ kind: CachedCredential.Kind, _ client: String, _ account: Account, scopes: ScopeSet = [], ends: Double? = nil,
        secret: String = "opaque-secret",
        family: String? = nil
    ) -> CachedCredential {
        CachedCredential(
            id: "\(account.homeAccountID)-\(kind.rawValue)-\(client)-\(scopes.target)", kind: kind, clientID: client,
            homeAccountID: account.homeAccountID,
            environment: account.environment, realm: kind == .refreshToken ? "" : account.homeTenantID ?? "",
            scopes: scopes,
            secret: Secret(secret),
            cachedAt: ends.map { seconds($0 - 3600) }, expiresOn: ends.map(seconds), familyID: family)
    }

    static let ada = Account(
        homeAccountID: "ad0a0000-0000-0000-0000-000000000001.\(tenant)", environment: "login.microsoftonline.com",
        username: "ada@example.org",
        name: "Ada Lovelace",
        tenantProfiles: [
            TenantProfile(tenantID: tenant, localAccountID: "ad0a0000", username: "ada@example.org", isHome: true),
            TenantProfile(
                tenantID: other, localAccountID: "ad0a9999", username: "ada_ext@partner.example", isHome: false),
        ], clients: [azureCLI, work])
    static let grace = Account(
        homeAccountID: "92ace000-0000-0000-0000-000000000002.\(tenant)", environment: "login.microsoftonline.com",
        username: "grace@example.org",
        name: "Grace Hopper",
        tenantProfiles: [
            TenantProfile(tenantID: tenant, localAccountID: "92ace", username: "grace@example.org", isHome: true)
        ],
        clients: [azureCLI])
    static let lin = Account(
        homeAccountID: "248289761001", environment: "id.example.org", username: "lin", name: "林 花子",
        clients: ["lab-cli"])

    static let idToken = jwt(
        #"{"alg":"RS256","kid":"key-1","typ":"JWT"}"#,
        #"{"iss":"https://login.microsoftonline.com/\#(tenant)/v2.0","aud":"\#(work)","exp":1795236120,"iat":1795232520,"name":"Ada Lovelace","tid":"\#(tenant)","amr":["pwd","mfa"]}"#
    )

    static func jwt(_ header: String, _ payload: String) -> String {
        [header, payload, "signature"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    }

    static let accounts = [
        AccountOverview(
            account: ada,
            credentials: [
                credential(
                    .accessToken, work, ada,
                    scopes: ["https://graph.microsoft.com/User.Read", "https://graph.microsoft.com/Mail.Send"],
                    ends: 2520),
                credential(.refreshToken, work, ada), credential(.idToken, work, ada, secret: idToken),
                credential(
                    .accessToken, azureCLI, ada, scopes: ["https://management.core.windows.net//.default"], ends: -600),
                credential(.refreshToken, azureCLI, ada, family: "1"),
            ]),
        AccountOverview(account: grace, credentials: [credential(.refreshToken, azureCLI, grace, family: "1")]),
        AccountOverview(account: lin, credentials: [credential(.idToken, "lab-cli", lin)]),
    ]

    static func many(_ count: Int) -> [AccountOverview] {
        (0..<count).map { number in
            let account = Account(
                homeAccountID: "account-\(number)", environment: "id.example.org",
                username: "user\(number)@dept\(number % 50).example.org",
                name: "Person \(number)", clients: ["lab-cli"])
            return AccountOverview(account: account, credentials: [credential(.refreshToken, "lab-cli", account)])
        }
    }

    static func token(
        _ account: Account = ada, source: AcquiredToken.Source = .refresh,
        scopes: ScopeSet = ["https://graph.microsoft.com/User.Read"]
    )
        throws -> AcquiredToken
    {
        AcquiredToken(
            accessToken: Secret("very-secret-access-token"), tokenType: "Bearer", expiresOn: seconds(3600),
            extendedExpiresOn: nil,
            scopes: scopes,
            tenantID: tenant, clientID: work,
            authority: try Authority("https://login.microsoftonline.com/organizations"), source: source,
            idTokenClaims: Claims(), account: account, correlationID: TokenRequest.unnumbered, trail: AcquisitionTrace()
        )
    }

    static func devicePrompt(_ code: String = "BCDF-GHJK", complete: String? = nil) throws -> DeviceCodePrompt {
        DeviceCodePrompt(
            userCode: code, verificationURI: try WebAddress("https://microsoft.com/devicelogin"),
            verificationURIComplete: try complete.map { try WebAddress($0) }, startedAt: now, expiresAt: seconds(900),
            interval: 5)
    }

    static func browserPrompt() throws -> BrowserPrompt {
        BrowserPrompt(
            authorizationURL: try WebAddress(
                "https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize?client_id=\(work)&response_type=code&state=abc"
            ),
            redirectURI: "http://localhost:49152", port: 49152, expiresAt: seconds(300))
    }
}

extension Account {
    /// Its row among those of foyer's own store.
    var row: AccountOverview.ID { AccountOverview.ID(id) }
}

extension State {
    /// Presses keys one after the other and returns every effect.
    @discardableResult
    mutating func press(_ keys: Key...) -> [Effect] {
        var effects: [Effect] = []
        for key in keys { effects += update(&self, .key(key)) }
        return effects
    }

    /// Types the letters of a text.
    @discardableResult
    mutating func type(_ text: String) -> [Effect] { text.flatMap { update(&self, .key(.character($0))) } }

    @discardableResult
    mutating func send(_ messages: Message...) -> [Effect] { messages.flatMap { update(&self, $0) } }

    func picture(_ glyphs: Glyphs = .utf8) -> String { view(self, size: size, glyphs: glyphs).plainText }
}
