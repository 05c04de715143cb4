/// A user's sign-in through the pages. Each step is a POST that names the transaction.
struct Transaction: Sendable {
    enum Purpose: Sendable {
        case authorize(HostedAuthorizeRequest)
        case device(String)
    }

    var purpose: Purpose
    var issuer: HostedIssuer
    var clientId: String
    var scopes: Scopes
    var startedAt: Int
    var username: String?
    /// When the user entered the password, in seconds since 1970; nil for just now.
    var authTime: Int?
    var contexts: Set<String> = []
    var agreesToAll = false
    /// Whether the user had to consent, and did.
    var isNewConsent = false

    var prompt: Set<String> { if case .authorize(let authorization) = purpose { authorization.prompt } else { [] } }
    var loginHint: String? { if case .authorize(let authorization) = purpose { authorization.loginHint } else { nil } }
    var claims: String? { if case .authorize(let authorization) = purpose { authorization.claims } else { nil } }
    var maxAge: Int? { if case .authorize(let authorization) = purpose { authorization.maxAge } else { nil } }
    var isInstanceAware: Bool {
        if case .authorize(let authorization) = purpose { authorization.instanceAware } else { false }
    }

    /// Whether the user may sign in here. For a client that supports several clouds, also at the user's own cloud,
    /// which the transaction then moves to.
    mutating func admits(_ user: User, atAnyCloud origins: Origins) -> Bool {
        if issuer.admits(user) { return true }
        guard isInstanceAware, issuer.isEntra else { return false }
        var other = issuer
        other.cloud = issuer.cloud == .global ? .sovereign : .global
        other.base = origins.base(of: other.cloud)
        guard other.admits(user) else { return false }
        issuer = other
        return true
    }

    func isYoungEnough(_ session: BrowserSession, at now: Int) -> Bool {
        maxAge.map { now - session.authTime <= $0 } ?? true
    }
}

struct BrowserSession: Sendable, Equatable {
    var username: String
    /// Seconds since 1970.
    var authTime: Int
}

struct BrowserSessions: Sendable {
    static let cookieName = "foyer_sandbox"

    /// The user that pages sign in automatically.
    var auto: String?
    var transactions: [String: Transaction] = [:]
    private var sessions: [String: [BrowserSession]] = [:]

    init(auto: String?) { self.auto = auto }

    func remembered(_ request: SandboxRequest, in issuer: HostedIssuer, people: People) -> [BrowserSession] {
        guard let cookie = request.cookie(BrowserSessions.cookieName), let found = sessions[cookie] else { return [] }
        return found.filter { people.user($0.username).map(issuer.admits) ?? false }
    }

    mutating func remember(_ session: BrowserSession, _ request: SandboxRequest) -> String {
        var cookie = RandomValue.token()
        if let old = request.cookie(BrowserSessions.cookieName), sessions[old] != nil { cookie = old }
        sessions[cookie] = [session] + (sessions[cookie] ?? []).filter { $0.username != session.username }
        return cookie
    }

    /// - Parameter username: nil for all users of this browser.
    mutating func signOut(_ request: SandboxRequest, username: String?) {
        guard let cookie = request.cookie(BrowserSessions.cookieName) else { return }
        if let username { sessions[cookie]?.removeAll { $0.username == username } } else { sessions[cookie] = nil }
    }

    mutating func sweep(at now: Int) {
        if transactions.count > 1000 { transactions = transactions.filter { $0.value.startedAt + 3600 > now } }
        if sessions.count > 5000 { sessions = [:] }
    }

    static func setting(cookie: String, on answer: SandboxResponse, base: String) -> SandboxResponse {
        var answer = answer
        let secure = base.hasPrefix("https:") ? "; Secure" : ""
        answer.headers.append(("Set-Cookie", "\(cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Lax\(secure)"))
        return answer
    }
}
