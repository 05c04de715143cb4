extension ProviderState {
    /// Until client and redirect URI are known to belong together nothing is redirected (RFC 6749 section 4.1.2.1).
    mutating func authorize(_ request: SandboxRequest, in realm: HostedIssuer, forced: OAuthErrorResponse?)
        -> SandboxResponse
    {
        let client: HostedClient
        let form: Form
        do throws(OAuthErrorResponse) {
            client = try clients.client(of: request, in: realm)
            form =
                realm.shape == .openID
                ? try pushed.form(for: request.form, client: client, quirks: quirks, now: now) : request.form
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
        let authorization = HostedAuthorizeRequest(form, redirectUri: redirectUri)
        do throws(OAuthErrorResponse) {
            if let forced { throw forced }
            let scopes = try authorization.checked(form, in: realm, quirks: quirks)
            return begin(authorization, scopes: scopes, client: client, in: realm, request: request)
        } catch {
            return redirect(error, to: authorization, in: realm)
        }
    }

    private mutating func begin(
        _ authorization: HostedAuthorizeRequest, scopes: Scopes, client: HostedClient, in realm: HostedIssuer,
        request: SandboxRequest
    ) -> SandboxResponse {
        var transaction = Transaction(
            purpose: .authorize(authorization), realm: realm, clientId: client.clientId, scopes: scopes, startedAt: now)
        let silent = authorization.prompt.contains("none")
        let remembered = browser.remembered(request, in: realm, people: people).filter {
            transaction.isYoungEnough($0, at: now) && isSuited($0, to: authorization)
        }
        if browser.auto == nil, request.isCurl, request.headers["cookie"] == nil,
            authorization.prompt.isSubset(of: ["none"]),
            request.method == "GET"
        {
            transaction.username = curlUser(authorization, in: realm)
            transaction.agreesToAll = transaction.username != nil
        } else if authorization.prompt.isDisjoint(with: ["login", "select_account", "create"]) {
            let hinted = authorization.loginHint?.lowercased()
            let session =
                remembered.first { $0.username == hinted }
                ?? (hinted == nil && remembered.count == 1 ? remembered[0] : nil)
            transaction.username = session?.username
            transaction.authTime = session?.authTime
        }
        if let auto = browser.auto, let user = people.user(auto), transaction.admits(user, atAnyCloud: origins) {
            transaction.username = user.username
            transaction.agreesToAll = true
        }
        if silent {
            guard let user = transaction.username.flatMap(people.user), transaction.admits(user, atAnyCloud: origins)
            else {
                return redirect(noSilentUser(remembered, authorization), to: authorization, in: realm)
            }
            if !transaction.agreesToAll,
                !consents.openQuestions(scopes, client: client, user: user, realm: realm).isEmpty
            {
                var refusal = OAuthErrorResponse.consentRequired
                refusal.error = "consent_required"
                return redirect(refusal, to: authorization, in: realm)
            }
            if !transaction.agreesToAll,
                let missing = contextDemands.wanted(by: authorization.claims, tenant: realm.tenantId(for: user)).min()
            {
                var refusal = OAuthErrorResponse.contextMissing(missing)
                refusal.error = "interaction_required"
                return redirect(refusal, to: authorization, in: realm)
            }
        }
        let id = RandomValue.token()
        browser.transactions[id] = transaction
        return proceed(id, Form(), request: request)
    }

    /// OpenID Connect Core section 3.1.2.6: nobody is signed in, or several are and one of them would have to be
    /// chosen.
    private func noSilentUser(_ remembered: [BrowserSession], _ authorization: HostedAuthorizeRequest)
        -> OAuthErrorResponse
    {
        remembered.count > 1 && authorization.loginHint == nil
            ? OAuthErrorResponse(
                "interaction_required",
                "Either multiple user identities are available for the current request or none was selected.",
                code: 16000)
            : OAuthErrorResponse("login_required", "Silent sign-in request failed: no user is signed in.", code: 50058)
    }

    private func isSuited(_ session: BrowserSession, to authorization: HostedAuthorizeRequest) -> Bool {
        people.user(session.username).map(authorization.suits) ?? false
    }

    /// curl without cookies is treated like a browser that holds a session: as the hinted user, else the first one
    /// admitted here.
    private func curlUser(_ authorization: HostedAuthorizeRequest, in realm: HostedIssuer) -> String? {
        if let hint = authorization.loginHint { return people.user(typed: hint, in: realm)?.username }
        return Directory.users.first { realm.admits($0) && authorization.suits($0) }?.username
    }

    /// Sends the code back (RFC 6749 section 4.1.2, RFC 9207 section 2).
    mutating func redirectWithCode(_ user: User, _ authorization: HostedAuthorizeRequest, transaction: Transaction)
        -> SandboxResponse
    {
        let secret = "0.sandbox." + RandomValue.token()
        let realm = transaction.realm
        tokens.codes[secret] = AuthorizationCode(
            clientId: transaction.clientId, redirectUri: authorization.redirectUri, challenge: authorization.challenge,
            realm: realm,
            username: user.username, scopes: transaction.scopes, nonce: authorization.nonce,
            authTime: transaction.authTime ?? now,
            saysAuthTime: authorization.maxAge != nil, claims: authorization.claims, contexts: transaction.contexts,
            expiresAt: now + AuthorizationCode.lifetime,
            chain: RandomValue.token(12))
        let extra = has(.extraParameters)
        let cloud =
            realm.isEntra && authorization.instanceAware ? origins.hosts(of: realm.cloud, withPort: true).first : nil
        return deliver(
            Form([
                ("code", secret),
                (
                    "client_info",
                    realm.isEntra && authorization.clientInfo ? TokenMint.clientInfo(user, in: realm) : nil
                ),
                // Where the code is to be redeemed: the person may belong to another cloud than the one that was asked.
                (
                    "cloud_instance_name",
                    cloud.map { _ in realm.cloud == .sovereign ? "sovereign.example" : "microsoftonline.com" }
                ),
                ("cloud_instance_host_name", cloud), ("state", authorization.state),
                ("session_state", realm.isEntra || extra ? RandomValue.uuid() : nil),
                ("iss", realm.shape == .openID ? realm.issuer : nil),
                ("scope", extra ? transaction.scopes.asked.joined(separator: " ") : nil),
                ("authuser", extra ? "0" : nil),
                ("prompt", extra ? "none" : nil), ("client_info", extra && !realm.isEntra ? "bm90IGpzb24" : nil),
            ]), to: authorization)
    }

    func redirect(_ refusal: OAuthErrorResponse, to authorization: HostedAuthorizeRequest, in realm: HostedIssuer)
        -> SandboxResponse
    {
        let body = refusal.body(in: realm, correlationId: nil, now: clock.date)
        return deliver(
            Form([
                ("error", refusal.error), ("error_description", body["error_description"]?.string),
                ("error_subcode", realm.isEntra && refusal.codes == [65004] ? "cancel" : nil),
                ("suberror", refusal.suberror), ("claims", refusal.claims), ("state", authorization.state),
                ("iss", realm.shape == .openID && !has(.noIssInErrors) ? realm.issuer : nil),
            ]), to: authorization)
    }

    private func deliver(_ parameters: Form, to authorization: HostedAuthorizeRequest) -> SandboxResponse {
        switch authorization.mode {
        case .query: .redirect(to: parameters.appended(to: authorization.redirectUri))
        // OAuth 2.0 Multiple Response Types, section 2.1: a fragment never reaches a listener, so a page has to.
        case .fragment: .redirect(to: authorization.redirectUri + "#" + parameters.encoded)
        case .formPost: Pages.formPost(to: authorization.redirectUri, parameters)
        }
    }
}
