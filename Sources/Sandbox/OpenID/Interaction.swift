/// One person at one set of pages: signing in, choosing, agreeing. Every step is one POST that names the transaction.
struct Transaction: Sendable {
    enum Purpose: Sendable {
        case authorize(AuthorizeRequest)
        case device(String)
    }

    var purpose: Purpose
    var realm: HostedIssuer
    var clientId: String
    var scopes: Scopes
    var startedAt: Int
    var username: String?
    /// When the person gave the password, in seconds since 1970; nil: just now.
    var authTime: Int?
    /// The authentication contexts that were proved on the way.
    var contexts: Set<String> = []
    /// Nobody is asked: the pages answer themselves.
    var agreesToAll = false

    var prompt: Set<String> { if case .authorize(let request) = purpose { request.prompt } else { [] } }
    var loginHint: String? { if case .authorize(let request) = purpose { request.loginHint } else { nil } }
    var claims: String? { if case .authorize(let request) = purpose { request.claims } else { nil } }
    var maxAge: Int? { if case .authorize(let request) = purpose { request.maxAge } else { nil } }
    var isInstanceAware: Bool { if case .authorize(let request) = purpose { request.instanceAware } else { false } }

    /// Whether the person may sign in here; for a client that knows of clouds also at the person's own cloud, to which
    /// this transaction then moves.
    mutating func admits(_ user: User, atAnyCloud sites: Origins) -> Bool {
        if realm.admits(user) { return true }
        guard isInstanceAware, realm.isEntra else { return false }
        var other = realm
        other.cloud = realm.cloud == .global ? .sovereign : .global
        other.base = sites.base(of: other.cloud)
        guard other.admits(user) else { return false }
        realm = other
        return true
    }
}

/// A person's sign-in that a browser's cookie remembers.
struct Session: Sendable, Equatable {
    var username: String
    /// Seconds since 1970.
    var authTime: Int
}

extension ProviderState {
    static let cookieName = "foyer_sandbox"

    /// The next page, or the end, of the transaction.
    mutating func proceed(_ id: String, _ form: Form, inquiry: SandboxRequest) -> Answer {
        guard var transaction = transactions[id], transaction.startedAt + 3600 > now,
            let client = clients[transaction.clientId]
        else {
            return Pages.failure(
                OAuthErrorResponse(
                    "invalid_request", "This sign-in is over or was never begun. Start again from the application."))
        }
        if form.has("cancel") { return decline(id, transaction) }
        if transaction.realm.policy != nil, form.has("forgot") { return decline(id, transaction, .forgotPassword) }
        var cookie: String?
        if transaction.username == nil {
            switch signIn(id, form, transaction: transaction, client: client, inquiry: inquiry) {
            case .page(let page): return page
            case .user(let session, let newCookie):
                transaction.username = session.username
                transaction.authTime = session.authTime
                cookie = newCookie
            }
        }
        guard let user = transaction.username.flatMap(user), transaction.admits(user, atAnyCloud: sites) else {
            let stranger = OAuthErrorResponse.stranger(transaction.username ?? "", at: transaction.realm.segment)
            transaction.username = nil
            transactions[id] = transaction
            return signInPage(
                id, transaction, client: client, hint: nil, problem: "AADSTS50020: " + stranger.description)
        }
        transactions[id] = transaction
        if let page = verificationPage(id, &transaction, form, user: user, client: client)
            ?? (transaction.agreesToAll ? nil : profilePage(id, transaction, form, user: user, client: client))
        {
            return cookie.map { ProviderState.setting(cookie: $0, on: page, base: transaction.realm.base) } ?? page
        }
        let answer = agree(id, transaction, form, user: user, client: client)
        return cookie.map { ProviderState.setting(cookie: $0, on: answer, base: transaction.realm.base) } ?? answer
    }

    enum SignInStep { case page(Answer), user(Session, cookie: String?) }

    private mutating func signIn(
        _ id: String, _ form: Form, transaction: Transaction, client: Client, inquiry: SandboxRequest
    ) -> SignInStep {
        // A session that is too old for the request, or a request for the password, leaves nothing to choose from.
        let remembered =
            transaction.prompt.isDisjoint(with: ["login", "create"])
            ? rememberedSessions(inquiry, in: transaction.realm).filter { isYoungEnough($0, for: transaction) } : []
        if let chosen = form["account"]?.lowercased(), let session = remembered.first(where: { $0.username == chosen })
        {
            return .user(session, cookie: nil)
        }
        if let step = signUpOrReset(id, form, transaction, client: client) {
            switch step {
            case .page: return step
            case .user(let session, _): return .user(session, cookie: remember(session, inquiry))
            }
        }
        if let username = form["username"], form.has("password") {
            guard let user = user(typed: username, in: transaction.realm),
                form["password"] == password(of: user.username)
            else {
                return .page(
                    signInPage(
                        id, transaction, client: client, hint: username,
                        problem:
                            """
                            AADSTS50126: this user name and password do not go together. Every password here is \
                            \"sandbox\".
                            """
                    ))
            }
            let session = Session(username: user.username, authTime: now)
            return .user(session, cookie: remember(session, inquiry))
        }
        let hint = form["username"] ?? transaction.loginHint
        if !remembered.isEmpty, !form.has("another"), form["username"] == nil {
            return .page(Pages.chooseAccount(id, client: client, accounts: remembered.map(\.username)))
        }
        return .page(signInPage(id, transaction, client: client, hint: hint, problem: nil))
    }

    /// Consent: what is still open, or everything when `prompt=consent` asks for it.
    private mutating func agree(_ id: String, _ transaction: Transaction, _ form: Form, user: User, client: Client)
        -> Answer
    {
        let entra = transaction.realm.isEntra
        let open = openQuestions(transaction.scopes, client: client, user: user, realm: transaction.realm)
        let forbidden = open.filter { user.adminOnly.contains(Scopes.split($0).name.lowercased()) }
        guard forbidden.isEmpty else {
            return Pages.needsAdministrator(id, client: client, user: user, scopes: forbidden)
        }
        let questions =
            transaction.prompt.contains("consent") && transaction.realm.asksConsent
            ? transaction.scopes.questions(entra: entra) : open
        if !questions.isEmpty {
            let keys = questions.map { ProviderState.consentKey($0, entra: entra) }
            if transaction.agreesToAll {
                settleConsent(client.clientId, user, asked: keys, given: keys)
            } else if form["consent"] == "accept" {
                // A form that shows the boxes and comes back without any means none; a one-shot POST without any means
                // all.
                let ticked = form.all("scope").flatMap { $0.split(separator: " ").map(String.init) }
                    .map { ProviderState.consentKey($0, entra: entra) }
                let given = ticked.isEmpty && form["boxes"] == nil ? keys : keys.filter(ticked.contains)
                guard !given.isEmpty else { return decline(id, transaction) }
                settleConsent(client.clientId, user, asked: keys, given: given)
            } else {
                return Pages.consent(id, client: client, user: user, scopes: questions)
            }
        }
        transactions[id] = nil
        switch transaction.purpose {
        case .authorize(let request): return redirectWithCode(user, request, transaction: transaction)
        case .device(let code):
            devices[code]?.contexts = transaction.contexts
            approveDevice(code, user)
            return Pages.done(client: client, user: user)
        }
    }

    private mutating func decline(_ id: String, _ transaction: Transaction, _ why: OAuthErrorResponse? = nil) -> Answer
    {
        transactions[id] = nil
        switch transaction.purpose {
        case .authorize(let request):
            let declined = OAuthErrorResponse(
                "access_denied", "User declined to consent to access the app.", code: 65004)
            let refusal = why ?? (transaction.realm.policy == nil ? declined : .cancelledAtB2C)
            return redirect(refusal, to: request, in: transaction.realm)
        case .device(let code):
            devices[code]?.state = .denied
            return Pages.declined()
        }
    }

    mutating func settleConsent(_ clientId: String, _ user: User, asked: [String], given: [String]) {
        consents[ConsentKey(clientId: clientId, username: user.username), default: []].subtract(asked)
        consent(clientId, user, to: given)
    }

    // MARK: The device page

    mutating func devicePage(_ inquiry: SandboxRequest) -> Answer {
        let form = inquiry.form
        guard let typed = form["user_code"] ?? form["code"] ?? form["otc"] else {
            return Pages.deviceCode(nil, problem: nil)
        }
        guard inquiry.method == "POST" || auto != nil else { return Pages.deviceCode(typed, problem: nil) }
        guard let code = deviceCode(for: typed), let device = devices[code] else {
            return Pages.deviceCode(typed, problem: "No device waits with this code. Check it, or ask for a new one.")
        }
        var transaction = Transaction(
            purpose: .device(code), realm: device.realm, clientId: device.clientId, scopes: device.scopes,
            startedAt: now)
        if let auto, let user = user(auto), device.realm.admits(user) {
            transaction.username = user.username
            transaction.agreesToAll = true
        }
        let id = RandomValue.token()
        transactions[id] = transaction
        return proceed(id, inquiry.method == "POST" ? form : Form(), inquiry: inquiry)
    }

    // MARK: Sessions

    func rememberedSessions(_ inquiry: SandboxRequest, in realm: HostedIssuer) -> [Session] {
        guard let cookie = inquiry.cookie(ProviderState.cookieName), let found = sessions[cookie] else { return [] }
        return found.filter { user($0.username).map(realm.admits) ?? false }
    }

    private mutating func remember(_ session: Session, _ inquiry: SandboxRequest) -> String {
        var cookie = RandomValue.token()
        if let old = inquiry.cookie(ProviderState.cookieName), sessions[old] != nil { cookie = old }
        sessions[cookie] = [session] + (sessions[cookie] ?? []).filter { $0.username != session.username }
        return cookie
    }

    static func setting(cookie: String, on answer: Answer, base: String) -> Answer {
        var answer = answer
        let secure = base.hasPrefix("https:") ? "; Secure" : ""
        answer.headers.append(("Set-Cookie", "\(cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Lax\(secure)"))
        return answer
    }
}
