import Explain
import FoundationEssentials
import Identity
import Keys
import Terminal

@testable import AppModel
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

    static let context = {
        var context = Context()
        context.clients = [
            ConfiguredClient(
                name: "work", clientID: work, authority: "https://login.microsoftonline.com/organizations",
                scopes: ["https://graph.microsoft.com/User.Read"]),
            ConfiguredClient(
                name: "lab", clientID: "lab-cli", authority: "https://id.example.org/realms/lab",
                scopes: ["openid", "email"], kind: .oidc),
        ]
        context.defaultClient = "work"
        context.storeLabel = "~/.local/share/foyer/token_cache.json"
        context.storeBadge = "plain file"
        context.automaticMethod = .device
        context.automaticReason = "no display here"
        context.themes = Theme.bundledNames
        return context
    }()

    static func state(
        _ accounts: [AccountOverview]? = World.accounts, rows: Int = 24, columns: Int = 80,
        context: Context = World.context, hasAllUses: Bool = false
    )
        -> State
    {
        var state = State(context, Size(rows: rows, columns: columns))
        if let accounts { state.send(.loaded(roster(accounts, hasAllUses: hasAllUses))) }
        return state
    }

    /// - Parameter hasAllUses: whether an account has a row for each of its clients, or for the first alone.
    static func roster(_ accounts: [AccountOverview], hasAllUses: Bool = false) -> AccountList {
        let standing = accounts.reduce(into: [AccountID: AccountOverview]()) { $0[$1.account.id] = $1 }
        return AccountList(
            accounts, clientName: { context.clientName($0) },
            uses: { overview in
                let clients = overview.account.clients
                let uses = (clients.filter { $0 == work } + clients.filter { $0 != work }).map(use)
                return hasAllUses ? uses : Array(uses.prefix(1))
            },
            planner: CallPlanner {
                let call = planner.call($0, $1, $2)
                return PlannedCall(
                    use: $1, request: call.request, words: call.words,
                    status: standing[$0.id]?.standing(at: $2, clientID: $1.clientID) ?? .refreshable,
                    cause: call.cause)
            })
    }

    /// What would be decided for the made-up accounts; whoever is not among them has a refresh token and nothing else.
    static let planner = CallPlanner { account, use, _ in
        let clientID = use.clientID
        let configured = context.clients.first { $0.clientID == clientID }
        let words =
            switch (account.id, clientID) {
            case (ada.id, work): "cached token, expires in 42 min"
            case (ada.id, azureCLI): "refreshes; cached token expired 10 min ago"
            case (lin.id, _): "sign-in needed; no usable token for lin"
            default: "refreshes; no cached token for these scopes"
            }
        return PlannedCall(
            use: use,
            request: TokenRequest(
                scopes: ScopeSet.toAsk(
                    configured: configured?.scopes ?? [], kind: configured?.kind ?? .aad,
                    clientID: clientID),
                account: account, correlationID: TokenRequest.unnumbered),
            words: words, status: account.id == lin.id ? .signInNeeded : .refreshable)
    }

    /// The use of a client of these accounts.
    static func use(_ clientID: String) -> ClientUse {
        ClientUse(clientID: clientID, name: context.clientName(clientID))
    }

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
            idTokenClaims: .cached(CachedClaims(nil)), account: account, correlationID: TokenRequest.unnumbered,
            trail: AcquisitionTrace()
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
    /// Its only row, of the first client.
    var row: AccountOverview.ID {
        AccountOverview.ID(
            id, client: World.use(clients.contains(World.work) ? World.work : clients.first ?? "").shownName)
    }
}

/// The model on a screen of some size.
@dynamicMemberLookup
struct State: Equatable, Sendable {
    var app: AppState
    var size: Size

    init(_ context: Context, _ size: Size) {
        app = AppState(context: context, now: World.now)
        self.size = size
    }

    subscript<Value>(dynamicMember path: KeyPath<AppState, Value>) -> Value { app[keyPath: path] }

    /// Presses keys one after the other and returns every effect.
    @discardableResult
    mutating func press(_ keys: Key...) -> [Effect] {
        var effects: [Effect] = []
        for key in keys { effects += update(&self, .key(key)) }
        return effects
    }

    /// Clicks on a picture that is made of `glyphs`.
    mutating func click(_ place: Position, _ glyphs: Glyphs) {
        let click = Key.mouse(MouseEvent(.click, at: place))
        for message in app.messages(for: click, size: size, glyphs: glyphs) { send(message) }
    }

    /// Types the letters of a text.
    @discardableResult
    mutating func type(_ text: String) -> [Effect] { text.flatMap { update(&self, .key(.character($0))) } }

    @discardableResult
    mutating func send(_ messages: Message...) -> [Effect] { messages.flatMap { update(&self, $0) } }

    mutating func resize(rows: Int, columns: Int) {
        size = Size(rows: rows, columns: columns)
        send(.resized)
    }

    func picture(_ glyphs: Glyphs = .utf8) -> String { view(app, size: size, glyphs: glyphs).plainText }

    /// Everything but the log of the session.
    static func == (left: State, right: State) -> Bool { left.told == right.told }
    private var told: String {
        "\(app.home) \(app.stack) \(app.notice ?? "") \(app.context.now) \(app.holdsClipboard) \(size)"
    }

    // MARK: What lies on top

    var acquisition: Acquisition? { top(as: Acquisition.self) }
    var palette: CommandPalette? { top(as: CommandPalette.self) }

    var place: KeyContext { app.keyContext }
    var picker: AccountPicker { app.home }
    var selectedAccount: AccountOverview? { app.home.selectedAccount }
    private func top<Kind: Feature>(as kind: Kind.Type) -> Kind? { app.top as? Kind }
    var dialog: RemovalConfirmation? { top(as: RemovalConfirmation.self) }
    var departure: Removal? { top(as: Removal.self) }
    var group: BulkRemoval? { top(as: BulkRemoval.self) }
    var form: SignInForm? { top(as: SignInForm.self) }
    var progress: SignInProgress? { top(as: SignInProgress.self) }
    var inspectorScreen: TokenInspector? { top(as: TokenInspector.self) }
    var scopesScreen: ScopeConsent? { top(as: ScopeConsent.self) }
    var storesScreen: StoresPage? { top(as: StoresPage.self) }
    var doctor: DoctorPage? { top(as: DoctorPage.self) }
    func chosen(_ inspector: TokenInspector) -> CachedCredential? { inspector.chosen(in: app.context) }
    func credentials(_ inspector: TokenInspector) -> [CachedCredential] { inspector.credentials(in: app.context) }
    func entries(_ consent: ScopeConsent) -> [ConsentSection.Scope] { consent.scopes(in: app.context) }
    /// What the footer may say now.
    var labels: [String] { app.offered.map(\.label).filter { !$0.isEmpty } }
    func layout(_ glyphs: Glyphs = .utf8) -> PageLayout {
        Views.of(app.top, in: app.context).layout(size: size, glyphs: glyphs)
    }
    var body: Rect { ScreenArea.body(of: size) }
    func overview(of id: AccountOverview.ID) -> AccountOverview? { app.context.overview(of: id) }
    var listArea: Rect {
        AccountPickerView(picker: app.home, page: app.home.page(in: app.context), context: app.context)
            .listArea(of: size)
    }
    var listRows: Int { max(1, listArea.rows) }
    var activity: ActivityLog { app.context.activity }
    var now: Date { app.context.now }
}

extension KeyTable {
    static func of(_ context: KeyContext) -> KeyTable { Registry.keys(context, .none) }
}

/// As the loop does: a key becomes what it means on this screen.
func update(_ state: inout State, _ message: Message) -> [Effect] {
    guard case .key(let key) = message else { return state.app.update(message, on: .screen(state.size)) }
    return state.app.messages(for: key, size: state.size).flatMap { state.app.update($0, on: .screen(state.size)) }
}

extension Message {
    static func step(_ step: Step, _ id: RequestID) -> Message { .reply(.step(step), id) }
    static func signIn(_ event: SignInEvent, _ id: RequestID) -> Message { .reply(.signIn(event), id) }
    static func question(_ question: SignInQuestion, _ id: RequestID) -> Message { .reply(.question(question), id) }
    static func acquired(_ token: AcquiredToken, _ id: RequestID) -> Message { .reply(.acquired(token), id) }
    static func failed(_ failure: Failure, _ id: RequestID) -> Message { .reply(.failed(failure), id) }
    static func removed(_ count: Int, _ id: RequestID) -> Message { .reply(.removed(count), id) }
    static func removedElsewhere(entries: Int, subscriptions: Int, _ id: RequestID) -> Message {
        .reply(.removedElsewhere(entries: entries, subscriptions: subscriptions), id)
    }
    static func signedOut(_ outcome: SignOutOutcome, _ id: RequestID) -> Message { .reply(.signedOut(outcome), id) }
    static func verified(_ finding: Verification, _ id: RequestID) -> Message { .reply(.verified(finding), id) }
    static func entry(_ text: String, _ id: RequestID) -> Message { .reply(.entry(text), id) }
    static func examination(_ event: DoctorEvent, _ id: RequestID) -> Message { .reply(.examination(event), id) }
    static func stores(_ lines: [StoreLine], _ id: RequestID) -> Message { .reply(.stores(lines), id) }
    static func agent(_ report: AgentReport, _ id: RequestID) -> Message { .reply(.agent(report), id) }
    static func programs(_ report: ProgramsReport, _ id: RequestID) -> Message { .reply(.programs(report), id) }
    static func began(at date: Date, correlationID: UUID?, _ id: RequestID) -> Message {
        .reply(.began(at: date, correlationID: correlationID), id)
    }
    static func ended(milliseconds: Int, _ id: RequestID) -> Message { .reply(.ended(milliseconds: milliseconds), id) }
}
