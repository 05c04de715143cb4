import FoundationEssentials

/// All that the provider remembers: a value, changed under one lock, so that every request sees one state of the world.
struct ProviderState: Sendable {
    var keys: SigningKeys
    /// Made when the sovereign cloud first signs or shows one.
    var sovereignKeys: SigningKeys?
    /// Settled once the sandbox listens.
    var sites = Origins()
    let accessTokenLifetime: Int
    let deviceInterval: Int
    let initialAuto: String?

    var clients: [String: Client]
    var people = People()
    /// Tenant id to the authentication context without which it gives no token.
    var contextsDemanded: [String: String] = [:]
    /// The user for whom pages answer themselves.
    var auto: String?
    /// Seconds by which the sandbox's clock is ahead of the machine's.
    var clockAhead = 0
    var requests: [String: Int] = [:]
    var faults: [Fault] = []
    /// Endpoint and issuer of each token that came to an issuer which had not given it, or no longer knew it.
    var misplaced: [String] = []

    var codes: [String: AuthorizationCode] = [:]
    var pushed: [String: PushedRequest] = [:]
    /// Continuation token to what it continues.
    var flows: [String: NativeFlow] = [:]
    var mails: [Mail] = []
    var devices: [String: DeviceGrant] = [:]
    var refreshTokens: [String: RefreshToken] = [:]
    var accessTokens: [String: AccessToken] = [:]
    var transactions: [String: Transaction] = [:]
    /// Cookie to those who signed in with it, newest first.
    var sessions: [String: [Session]] = [:]
    /// Client and user to the keys of the permissions that were given.
    var consents: [ConsentKey: Set<String>] = [:]

    struct ConsentKey: Hashable, Sendable {
        var clientId: String
        var username: String
    }

    struct AccessToken: Sendable {
        var clientId: String
        var username: String
        var scope: String
        /// The claims parameter with which it was asked for.
        var wished: String?
        var issuedAt: Int
        var expiresAt: Int
        /// Of the key that it is bound to.
        var thumbprint: String?
        var provider: HostedIssuer.Provider
    }

    /// What the token request under way asks its tokens to be bound to.
    var asking: TokenBinding?
    /// What the next proof at the token endpoint must hold, and the next signed request, while the habits
    /// ``Quirk/proofNonce`` and ``Quirk/popNonce`` last.
    var proofNonce: String?
    var popNonce: String?
    /// Identifiers of proofs, and until when they are remembered.
    var seenProofs: [String: Int] = [:]

    init(accessTokenLifetime: Int, deviceInterval: Int, auto: String?) throws {
        keys = try SigningKeys()
        self.accessTokenLifetime = accessTokenLifetime
        self.deviceInterval = deviceInterval
        self.auto = auto
        initialAuto = auto
        clients = Dictionary(uniqueKeysWithValues: Directory.clients.map { ($0.clientId, $0) })
    }

    /// Seconds since 1970 by the sandbox's own clock.
    var now: Int { Int(preciseNow) }
    var preciseNow: Double { Date().timeIntervalSince1970 + Double(clockAhead) }
    var date: Date { Date(timeIntervalSince1970: preciseNow) }

    /// Everything but the keys, as it was at the start.
    mutating func reset() {
        auto = initialAuto
        clockAhead = 0
        requests = [:]
        faults = []
        misplaced = []
        codes = [:]
        devices = [:]
        pushed = [:]
        flows = [:]
        proofNonce = nil
        popNonce = nil
        mails = []
        refreshTokens = [:]
        accessTokens = [:]
        transactions = [:]
        sessions = [:]
        consents = [:]
        people = People()
        contextsDemanded = [:]
        clients = Dictionary(uniqueKeysWithValues: Directory.clients.map { ($0.clientId, $0) })
    }

    /// Keeps a sandbox that runs for days within bounds: what is long dead is forgotten.
    mutating func sweep() {
        let now = now
        if codes.count > 1000 { codes = codes.filter { $0.value.expiresAt + 3600 > now } }
        pushed = pushed.filter { $0.value.expiresAt > now }
        if flows.count > 1000 {
            flows = flows.filter { $0.value.expiresAt > now }
            // Half of those that are left: those that end first.
            if flows.count > 1000 {
                let last = flows.values.map(\.expiresAt).sorted()[flows.count / 2]
                flows = flows.filter { $0.value.expiresAt > last }
            }
        }
        if devices.count > 1000 { devices = devices.filter { $0.value.expiresAt + 3600 > now } }
        if transactions.count > 1000 { transactions = transactions.filter { $0.value.startedAt + 3600 > now } }
        if accessTokens.count > 5000 { accessTokens = accessTokens.filter { $0.value.expiresAt > now } }
        if sessions.count > 5000 { sessions = [:] }
        if refreshTokens.count > 20000 { refreshTokens = refreshTokens.filter { $0.value.state == .live } }
        if clients.count > 1000 {
            clients = Dictionary(uniqueKeysWithValues: Directory.clients.map { ($0.clientId, $0) })
        }
    }

    // MARK: Consent

    func consented(_ clientId: String, _ user: User) -> Set<String> {
        consents[ConsentKey(clientId: clientId, username: user.username)] ?? []
    }

    mutating func consent(_ clientId: String, _ user: User, to keys: some Sequence<String>) {
        consents[ConsentKey(clientId: clientId, username: user.username), default: []].formUnion(keys)
    }

    static func consentKey(_ scope: String, entra: Bool) -> String { entra ? Scopes.key(scope) : scope }

    /// The permissions that still have to be asked for. First-party (family) clients are consented beforehand, as at
    /// Entra.
    func openQuestions(_ scopes: Scopes, client: Client, user: User, realm: HostedIssuer) -> [String] {
        if client.family || !realm.asksConsent { return [] }
        let given = consented(client.clientId, user)
        return scopes.questions(entra: realm.isEntra).filter {
            !given.contains(ProviderState.consentKey($0, entra: realm.isEntra))
        }
    }

    /// What may be put into a token for this client and user now.
    func grantable(_ scopes: Scopes, client: Client, user: User, realm: HostedIssuer) -> [String] {
        guard realm.asksConsent || realm.isEntra else { return scopes.asked }
        if client.family || !realm.asksConsent {
            let all = scopes.questions(entra: realm.isEntra).map { ProviderState.consentKey($0, entra: realm.isEntra) }
            return scopes.granted(from: Set(all), entra: realm.isEntra)
        }
        return scopes.granted(from: consented(client.clientId, user), entra: realm.isEntra)
    }

    func readScopes(_ text: String, in realm: HostedIssuer) throws(OAuthErrorResponse) -> Scopes {
        switch realm.shape {
        case .entra: try Scopes(entra: text)
        case .b2c: try Scopes(b2c: text)
        case .openID, .adfs: try Scopes(plain: text)
        }
    }

    // MARK: Clients

    /// RFC 6749 section 2.3.1: in the body, or as HTTP Basic; a public client's password is empty there.
    func client(of inquiry: SandboxRequest, in realm: HostedIssuer) throws(OAuthErrorResponse) -> Client {
        guard let clientId = ProviderState.clientId(of: inquiry) else { throw .missing("client_id") }
        guard let client = clients[clientId], realm.admits(client) else {
            throw .unknownClient(clientId, entra: realm.isEntra)
        }
        return client
    }

    static func clientId(of inquiry: SandboxRequest) -> String? {
        if let named = inquiry.form["client_id"] { return named }
        guard let value = inquiry.headers["authorization"], value.lowercased().hasPrefix("basic "),
            let bytes = Data(base64Encoded: String(value.dropFirst(6)))
        else { return inquiry.queryForm["client_id"] }
        let pair = String(decoding: bytes, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return Form(parsing: "id=" + (pair.first ?? ""))["id"]
    }
}
