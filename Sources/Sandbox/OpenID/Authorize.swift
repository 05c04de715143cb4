/// An authorization request that passed its checks (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1).
struct AuthorizeRequest: Sendable {
    var redirectUri: String
    var state: String?
    var mode: ResponseMode
    var nonce: String?
    var challenge: String?
    var prompt: Set<String>
    var loginHint: String?
    /// Whose people may be shown: a domain, `organizations` or `consumers`.
    var domainHint: String?
    /// Seconds since the sign-in after which the password is asked again (OpenID Connect Core section 3.1.2.1).
    var maxAge: Int?
    var claims: String?
    var clientInfo: Bool
    /// The client can go on at another cloud when the person belongs there.
    var instanceAware: Bool

    enum ResponseMode: String, Sendable { case query, fragment, formPost = "form_post" }

    init(_ form: Form, redirectUri: String) {
        self.redirectUri = redirectUri
        state = form["state"]
        mode = form["response_mode"].flatMap(ResponseMode.init) ?? .query
        nonce = form["nonce"]
        challenge = form["code_challenge"]
        prompt = Set((form["prompt"] ?? "").split(separator: " ").map(String.init))
        loginHint = form["login_hint"]
        domainHint = form["domain_hint"]?.lowercased()
        maxAge = form["max_age"].flatMap { Int($0) }
        claims = form["claims"]
        clientInfo = form["client_info"] == "1"
        instanceAware = form["instance_aware"]?.lowercased() == "true"
    }

    func suits(_ user: User) -> Bool {
        switch domainHint {
        case nil: true
        case "consumers": user.isPersonal
        case "organizations": !user.isPersonal
        case let domain?: user.username.hasSuffix("@" + domain)
        }
    }
}

extension ProviderState {
    /// Until client and redirect URI are known to belong together nothing is redirected (RFC 6749 section 4.1.2.1).
    mutating func authorize(_ inquiry: SandboxRequest, in realm: HostedIssuer, forced: OAuthErrorResponse?) -> Answer {
        let client: Client
        let form: Form
        do throws(OAuthErrorResponse) {
            client = try self.client(of: inquiry, in: realm)
            form = try authorizationForm(inquiry.form, client: client, in: realm)
        } catch {
            return Pages.failure(error)
        }
        let exact = realm.shape == .openID && has(.exactPort)
        if exact, let uri = form["redirect_uri"], !client.redirectUris.contains(uri) { return Pages.mismatch(uri) }
        guard let redirectUri = form["redirect_uri"], client.allows(redirect: redirectUri) else {
            return Pages.failure(
                OAuthErrorResponse(
                    "invalid_request",
                    """
                    The redirect URI '\(form["redirect_uri"] ?? "")' specified in the request does not match the \
                    redirect URIs configured for the application '\(client.clientId)'.
                    """,
                    code: 50011))
        }
        let request = AuthorizeRequest(form, redirectUri: redirectUri)
        do throws(OAuthErrorResponse) {
            if let forced { throw forced }
            let scopes = try checked(form, request: request, in: realm)
            return begin(request, scopes: scopes, client: client, in: realm, inquiry: inquiry)
        } catch {
            return redirect(error, to: request, in: realm)
        }
    }

    func checked(_ form: Form, request: AuthorizeRequest, in realm: HostedIssuer) throws(OAuthErrorResponse) -> Scopes {
        guard form["response_type"] == "code" else {
            throw OAuthErrorResponse(
                "unsupported_response_type", "Only the response type 'code' is supported.", code: 700_054)
        }
        if let mode = form["response_mode"], AuthorizeRequest.ResponseMode(rawValue: mode) == nil {
            throw OAuthErrorResponse(
                "invalid_request", "The response mode '\(mode.prefix(40))' is not supported.", code: 90014)
        }
        if let challenge = request.challenge {
            // RFC 7636 section 4.4.1: plain is refused; it protects nothing that S256 does not protect better.
            guard form["code_challenge_method"] == "S256", challenge.utf8.count == 43 else {
                throw OAuthErrorResponse(
                    "invalid_request", "The code challenge must use the method S256.", code: 501_491)
            }
        } else if realm.shape == .openID {
            throw OAuthErrorResponse("invalid_request", "code_challenge is required (RFC 7636)")
        }
        if let claims = form["claims"], (try? JSON(parsing: claims))?.members == nil {
            throw OAuthErrorResponse("invalid_request", "The claims parameter is not a JSON object.", code: 900_236)
        }
        let known: Set<String> = ["none", "login", "select_account", "consent", "create"]
        guard request.prompt.isSubset(of: known), !request.prompt.contains("none") || request.prompt.count == 1 else {
            throw OAuthErrorResponse("invalid_request", "The prompt value is not supported.", code: 90023)
        }
        guard form["max_age"] == nil || (request.maxAge ?? -1) >= 0 else {
            throw OAuthErrorResponse("invalid_request", "max_age is a number of seconds.", code: 90014)
        }
        if realm.shape == .openID, has(.nonceRequired), request.nonce == nil { throw .missing("nonce") }
        guard let text = form["scope"] else { throw .missing("scope") }
        var scopes = try readScopes(text, in: realm)
        if realm.shape == .openID, has(.consentForOffline), !request.prompt.contains("consent") {
            scopes.asked.removeAll { $0 == "offline_access" }
        }
        return scopes
    }

    private mutating func begin(
        _ request: AuthorizeRequest, scopes: Scopes, client: Client, in realm: HostedIssuer, inquiry: SandboxRequest
    ) -> Answer {
        var transaction = Transaction(
            purpose: .authorize(request), realm: realm, clientId: client.clientId, scopes: scopes, startedAt: now)
        let silent = request.prompt.contains("none")
        let remembered = rememberedSessions(inquiry, in: realm).filter {
            isYoungEnough($0, for: transaction) && isSuited($0, to: request)
        }
        if auto == nil, inquiry.isCurl, inquiry.headers["cookie"] == nil, request.prompt.isSubset(of: ["none"]),
            inquiry.method == "GET"
        {
            transaction.username = curlUser(request, in: realm)
            transaction.agreesToAll = transaction.username != nil
        } else if request.prompt.isDisjoint(with: ["login", "select_account", "create"]) {
            let hinted = request.loginHint?.lowercased()
            let session =
                remembered.first { $0.username == hinted }
                ?? (hinted == nil && remembered.count == 1 ? remembered[0] : nil)
            transaction.username = session?.username
            transaction.authTime = session?.authTime
        }
        if let auto, let user = user(auto), transaction.admits(user, atAnyCloud: sites) {
            transaction.username = user.username
            transaction.agreesToAll = true
        }
        if silent {
            guard let user = transaction.username.flatMap(user), transaction.admits(user, atAnyCloud: sites) else {
                return redirect(noSilentUser(remembered, request), to: request, in: realm)
            }
            if !transaction.agreesToAll, !openQuestions(scopes, client: client, user: user, realm: realm).isEmpty {
                var refusal = OAuthErrorResponse.consentRequired
                refusal.error = "consent_required"
                return redirect(refusal, to: request, in: realm)
            }
            if !transaction.agreesToAll,
                let missing = contextsWanted(by: request.claims, tenant: realm.tenantId(for: user)).min()
            {
                var refusal = OAuthErrorResponse.contextMissing(missing)
                refusal.error = "interaction_required"
                return redirect(refusal, to: request, in: realm)
            }
        }
        let id = RandomValue.token()
        transactions[id] = transaction
        return proceed(id, Form(), inquiry: inquiry)
    }

    /// OpenID Connect Core section 3.1.2.6: nobody is signed in, or several are and one of them would have to be
    /// chosen.
    private func noSilentUser(_ remembered: [Session], _ request: AuthorizeRequest) -> OAuthErrorResponse {
        remembered.count > 1 && request.loginHint == nil
            ? OAuthErrorResponse(
                "interaction_required",
                "Either multiple user identities are available for the current request or none was selected.",
                code: 16000)
            : OAuthErrorResponse("login_required", "Silent sign-in request failed: no user is signed in.", code: 50058)
    }

    func isYoungEnough(_ session: Session, for transaction: Transaction) -> Bool {
        transaction.maxAge.map { now - session.authTime <= $0 } ?? true
    }

    private func isSuited(_ session: Session, to request: AuthorizeRequest) -> Bool {
        user(session.username).map(request.suits) ?? false
    }

    /// curl without cookies is treated like a browser that holds a session: as the hinted user, else the first one
    /// admitted here.
    private func curlUser(_ request: AuthorizeRequest, in realm: HostedIssuer) -> String? {
        if let hint = request.loginHint { return user(typed: hint, in: realm)?.username }
        return Directory.users.first { realm.admits($0) && request.suits($0) }?.username
    }

    /// Sends the code back (RFC 6749 section 4.1.2, RFC 9207 section 2).
    mutating func redirectWithCode(_ user: User, _ request: AuthorizeRequest, transaction: Transaction) -> Answer {
        let secret = "0.sandbox." + RandomValue.token()
        let realm = transaction.realm
        codes[secret] = AuthorizationCode(
            clientId: transaction.clientId, redirectUri: request.redirectUri, challenge: request.challenge,
            realm: realm,
            username: user.username, scopes: transaction.scopes, nonce: request.nonce,
            authTime: transaction.authTime ?? now,
            saysAuthTime: request.maxAge != nil, claims: request.claims, contexts: transaction.contexts,
            expiresAt: now + AuthorizationCode.lifetime,
            chain: RandomValue.token(12))
        let extra = has(.extraParameters)
        let cloud = realm.isEntra && request.instanceAware ? sites.hosts(of: realm.cloud, withPort: true).first : nil
        return deliver(
            Form([
                ("code", secret),
                ("client_info", realm.isEntra && request.clientInfo ? ProviderState.clientInfo(user, in: realm) : nil),
                // Where the code is to be redeemed: the person may belong to another cloud than the one that was asked.
                (
                    "cloud_instance_name",
                    cloud.map { _ in realm.cloud == .sovereign ? "sovereign.example" : "microsoftonline.com" }
                ),
                ("cloud_instance_host_name", cloud), ("state", request.state),
                ("session_state", realm.isEntra || extra ? RandomValue.uuid() : nil),
                ("iss", realm.shape == .openID ? realm.issuer : nil),
                ("scope", extra ? transaction.scopes.asked.joined(separator: " ") : nil),
                ("authuser", extra ? "0" : nil),
                ("prompt", extra ? "none" : nil), ("client_info", extra && !realm.isEntra ? "bm90IGpzb24" : nil),
            ]), to: request)
    }

    func redirect(_ refusal: OAuthErrorResponse, to request: AuthorizeRequest, in realm: HostedIssuer) -> Answer {
        let body = refusal.body(in: realm, correlationId: nil, now: date)
        return deliver(
            Form([
                ("error", refusal.error), ("error_description", body["error_description"]?.string),
                ("error_subcode", realm.isEntra && refusal.codes == [65004] ? "cancel" : nil),
                ("suberror", refusal.suberror), ("claims", refusal.claims), ("state", request.state),
                ("iss", realm.shape == .openID && !has(.noIssInErrors) ? realm.issuer : nil),
            ]), to: request)
    }

    private func deliver(_ parameters: Form, to request: AuthorizeRequest) -> Answer {
        switch request.mode {
        case .query: .redirect(to: parameters.appended(to: request.redirectUri))
        // OAuth 2.0 Multiple Response Types, section 2.1: a fragment never reaches a listener, so a page has to.
        case .fragment: .redirect(to: request.redirectUri + "#" + parameters.encoded)
        case .formPost: Pages.formPost(to: request.redirectUri, parameters)
        }
    }
}
