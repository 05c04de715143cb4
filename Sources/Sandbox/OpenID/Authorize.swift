extension ProviderState {
    /// Without a valid client and redirect URI, nothing is redirected (RFC 6749 section 4.1.2.1).
    mutating func authorize(_ request: SandboxRequest, in issuer: HostedIssuer, forced: OAuthErrorResponse?)
        -> SandboxResponse
    {
        let client: HostedClient
        let form: Form
        do throws(OAuthErrorResponse) {
            client = try clients.client(of: request, in: issuer)
            form =
                issuer.shape == .openID
                ? try pushed.form(for: request.form, client: client, quirks: quirks, now: now) : request.form
        } catch {
            return Pages.failure(error)
        }
        let exact = issuer.isStandard && has(.exactPort)
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
        var authorization = HostedAuthorizeRequest(form, redirectUri: redirectUri)
        if issuer.oauth == .github {
            // GitHub knows no other prompt, and its own name for the hint.
            authorization.prompt.formIntersection(["select_account"])
            authorization.loginHint = form["login"].flatMap { people.user(typed: $0, in: issuer)?.username }
        }
        do throws(OAuthErrorResponse) {
            if let forced { throw forced }
            authorization.resources = try ResourceIndicators.requested(form, in: issuer, quirks: quirks)
            var scopes = try authorization.checked(form, in: issuer, quirks: quirks)
            if client.ignoresScopes { scopes.asked = [] }
            return begin(authorization, scopes: scopes, client: client, in: issuer, request: request)
        } catch {
            // Google shows a page for a wrong scope.
            if issuer.oauth == .google, error.error == "invalid_scope" { return Pages.failure(error) }
            return redirect(error, to: authorization, in: issuer)
        }
    }

    private mutating func begin(
        _ authorization: HostedAuthorizeRequest, scopes: Scopes, client: HostedClient, in issuer: HostedIssuer,
        request: SandboxRequest
    ) -> SandboxResponse {
        var transaction = Transaction(
            purpose: .authorize(authorization), issuer: issuer, clientId: client.clientId, scopes: scopes,
            startedAt: now)
        if issuer.oauth != nil { transaction.contexts = authorization.acrValues }
        let silent = authorization.prompt.contains("none")
        let remembered = browser.remembered(request, in: issuer, people: people).filter {
            transaction.isYoungEnough($0, at: now) && isSuited($0, to: authorization)
        }
        if browser.auto == nil, request.isCurl, request.headers["cookie"] == nil,
            authorization.prompt.isSubset(of: ["none"]),
            request.method == "GET"
        {
            transaction.username = curlUser(authorization, in: issuer)
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
                return redirect(noSilentUser(remembered, authorization), to: authorization, in: issuer)
            }
            if !transaction.agreesToAll,
                !consents.openQuestions(scopes, client: client, user: user, issuer: issuer).isEmpty
            {
                var refusal = OAuthErrorResponse.consentRequired
                refusal.error = "consent_required"
                return redirect(refusal, to: authorization, in: issuer)
            }
            if !transaction.agreesToAll,
                let missing = contextDemands.wanted(by: authorization.claims, tenant: issuer.tenantId(for: user)).min()
            {
                var refusal = OAuthErrorResponse.contextMissing(missing)
                refusal.error = "interaction_required"
                return redirect(refusal, to: authorization, in: issuer)
            }
        }
        let id = RandomValue.token()
        browser.transactions[id] = transaction
        return proceed(id, Form(), request: request)
    }

    /// OpenID Connect Core section 3.1.2.6: no user is signed in, or several are and one would have to be selected.
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

    /// curl without cookies is treated like a browser with a session: of the hinted user, or else the first allowed
    /// one.
    private func curlUser(_ authorization: HostedAuthorizeRequest, in issuer: HostedIssuer) -> String? {
        if let hint = authorization.loginHint { return people.user(typed: hint, in: issuer)?.username }
        return Directory.users.first { issuer.admits($0) && authorization.suits($0) }?.username
    }

    /// Returns the code to the client (RFC 6749 section 4.1.2, RFC 9207 section 2).
    mutating func redirectWithCode(_ user: User, _ authorization: HostedAuthorizeRequest, transaction: Transaction)
        -> SandboxResponse
    {
        let secret = "0.sandbox." + RandomValue.token()
        let issuer = transaction.issuer
        tokens.codes[secret] = AuthorizationCode(
            clientId: transaction.clientId, redirectUri: authorization.redirectUri, challenge: authorization.challenge,
            issuer: issuer, username: user.username, scopes: transaction.scopes, nonce: authorization.nonce,
            authTime: transaction.authTime ?? now, saysAuthTime: authorization.maxAge != nil,
            claims: authorization.claims, contexts: transaction.contexts, resources: authorization.resources,
            isOffline: authorization.isOffline && transaction.isNewConsent, expiresAt: now + AuthorizationCode.lifetime,
            chain: RandomValue.token(12))
        let extra = has(.extraParameters) || issuer.oauth == .google
        let cloud =
            issuer.isEntra && authorization.instanceAware ? origins.hosts(of: issuer.cloud, withPort: true).first : nil
        return deliver(
            Form([
                ("code", secret),
                (
                    "client_info",
                    issuer.isEntra && authorization.clientInfo ? TokenMint.clientInfo(user, in: issuer) : nil
                ),
                // The cloud that redeems the code: the user may belong to another one than the client requested.
                (
                    "cloud_instance_name",
                    cloud.map { _ in issuer.cloud == .sovereign ? "sovereign.example" : "microsoftonline.com" }
                ),
                ("cloud_instance_host_name", cloud), ("state", authorization.state),
                ("session_state", issuer.isEntra || extra ? RandomValue.uuid() : nil),
                ("iss", announcedIssuer(issuer)), ("scope", extra ? grantedScope(user, transaction) : nil),
                ("authuser", extra ? "0" : nil),
                ("prompt", extra ? "none" : nil),
                ("client_info", has(.extraParameters) && !issuer.isEntra ? "bm90IGpzb24" : nil),
            ]), to: authorization)
    }

    func redirect(_ refusal: OAuthErrorResponse, to authorization: HostedAuthorizeRequest, in issuer: HostedIssuer)
        -> SandboxResponse
    {
        let body = refusal.body(in: issuer, correlationId: nil, now: clock.date)
        return deliver(
            Form([
                ("error", refusal.error), ("error_description", body["error_description"]?.string),
                ("error_subcode", issuer.isEntra && refusal.codes == [65004] ? "cancel" : nil),
                ("suberror", refusal.suberror), ("claims", refusal.claims), ("state", authorization.state),
                ("iss", has(.noIssInErrors) ? nil : announcedIssuer(issuer)),
            ]), to: authorization)
    }

    /// The `iss` parameter of RFC 9207.
    private func announcedIssuer(_ issuer: HostedIssuer) -> String? {
        guard issuer.isStandard, !has(.noIss) else { return nil }
        return has(.wrongIss) ? issuer.base + "/elsewhere" : issuer.identifier
    }

    private func grantedScope(_ user: User, _ transaction: Transaction) -> String? {
        guard let client = clients[transaction.clientId], let server = transaction.issuer.oauth else {
            return transaction.scopes.asked.joined(separator: " ")
        }
        return server.scopeText(
            consents.grantable(transaction.scopes, client: client, user: user, issuer: transaction.issuer))
    }

    private func deliver(_ parameters: Form, to authorization: HostedAuthorizeRequest) -> SandboxResponse {
        switch authorization.mode {
        case .query: .redirect(to: parameters.appended(to: authorization.redirectUri))
        // OAuth 2.0 Multiple Response Types, section 2.1: browsers do not send fragments to a listener, so a page must.
        case .fragment: .redirect(to: authorization.redirectUri + "#" + parameters.encoded)
        case .formPost: Pages.formPost(to: authorization.redirectUri, parameters)
        }
    }
}
