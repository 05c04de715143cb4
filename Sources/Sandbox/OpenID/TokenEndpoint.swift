/// The token endpoint (RFC 6749 section 3.2) with three grants.
extension ProviderState {
    mutating func token(_ request: SandboxRequest, in issuer: HostedIssuer, bent bend: TokenFault?)
        throws(OAuthErrorResponse) -> JSON
    {
        guard request.method == "POST" else {
            throw OAuthErrorResponse("invalid_request", "the token endpoint takes POST", status: 405)
        }
        let form = request.bodyForm
        let client = try clients.client(of: request, in: issuer)
        guard let kind = form["grant_type"] ?? issuer.oauth?.defaultGrantType else { throw .missing("grant_type") }
        // GitHub requires no secret in the device flow, and to refresh tokens from there.
        let isFromDevice =
            kind == DeviceGrant.grantType || form["refresh_token"].flatMap { tokens.refresh[$0] }?.isFromDevice == true
        try ClientAuthentication(request).check(client, isExempt: issuer.oauth == .github && isFromDevice)
        let binding = try proofs.bindingAsked(request, in: issuer, quirks: quirks, now: now)
        var mint = mint(binding: binding, bend: bend)
        if issuer.isEntra { mint.agentSession = try agentSession(of: request) }
        switch kind {
        case "authorization_code": return try redeemCode(form, in: issuer, client: client, with: mint)
        case "refresh_token": return try redeemRefreshToken(request, in: issuer, client: client, with: mint)
        case DeviceGrant.grantType, "device_code": return try pollDevice(form, in: issuer, client: client, with: mint)
        case let kind where NativeForm.grants.contains(kind) && issuer.customerTenant != nil:
            return try nativeToken(form, in: issuer, client: client, with: mint)
        default:
            throw OAuthErrorResponse(
                "unsupported_grant_type", "The app requested an unsupported grant type.", code: 70003)
        }
    }

    /// Azure CLI sends it in both the query and the form.
    private func agentSession(of request: SandboxRequest) throws(OAuthErrorResponse) -> String? {
        let session = request.bodyForm["client_session"]
        guard session == request.queryForm["client_session"] else {
            throw OAuthErrorResponse("invalid_request", "the query and the form name different agent's sessions")
        }
        return session
    }

    private mutating func redeemCode(_ form: Form, in issuer: HostedIssuer, client: HostedClient, with mint: TokenMint)
        throws(OAuthErrorResponse) -> JSON
    {
        guard let secret = form["code"] else { throw .missing("code") }
        guard var code = tokens.codes[secret], code.issuer.provider == issuer.provider,
            let user = people.user(code.username)
        else {
            throw OAuthErrorResponse("invalid_grant", "The provided authorization code is unknown.", code: 9_002_313)
        }
        guard code.issuer.policy == issuer.policy else { throw .otherPolicy(code.issuer, issuer) }
        guard !code.used else {
            // RFC 6749 section 4.1.2: using a code twice revokes the tokens issued for it.
            tokens.revoke(chain: code.chain)
            throw OAuthErrorResponse(
                "invalid_grant", "OAuth2 Authorization code was already redeemed, please retry with a new valid code.",
                code: 54005)
        }
        guard code.clientId == client.clientId else {
            throw OAuthErrorResponse("invalid_grant", "The code was issued to another client.", code: 70000)
        }
        guard code.expiresAt > now else {
            throw OAuthErrorResponse("invalid_grant", "The provided authorization code has expired.", code: 70008)
        }
        // At GitHub, it is optional.
        guard form["redirect_uri"] == code.redirectUri || issuer.oauth == .github && !form.has("redirect_uri") else {
            throw OAuthErrorResponse(
                "invalid_grant",
                "The reply address does not match the reply address provided when requesting the code.", code: 500_112)
        }
        if let challenge = code.challenge {
            // RFC 7636 section 4.6.
            guard let verifier = form["code_verifier"], (43...128).contains(verifier.utf8.count),
                Base64URLCoding.encode(Digest.sha256(verifier)) == challenge
            else {
                throw OAuthErrorResponse(
                    "invalid_grant",
                    "The Code_Verifier does not match the code_challenge supplied in the authorization request.",
                    code: 501_481)
            }
        }
        code.used = true
        tokens.codes[secret] = code
        var scopes = code.scopes
        // MSAL repeats the scopes here, and may omit those that were only for consent.
        if issuer.shape != .openID, issuer.oauth == nil, let text = form["scope"] {
            scopes = try Scopes(text, in: issuer)
        }
        let resources = try ResourceIndicators.requested(form, in: issuer, quirks: quirks, authorized: code.resources)
        let grant = Grant(
            issuer: issuer, clientId: client.clientId, user: user, scopes: scopes,
            granted: consents.grantable(scopes, client: client, user: user, issuer: issuer), nonce: code.nonce,
            authTime: code.authTime,
            saysAuthTime: code.saysAuthTime, claims: form["claims"] ?? code.claims, contexts: code.contexts,
            resources: resources)
        try contextDemands.check(grant)
        return try firstTokens(
            grant, client: client, chain: code.chain,
            offline: issuer.oauth == .google ? code.isOffline : code.scopes.offline, form: form, with: mint)
    }

    mutating func firstTokens(
        _ grant: Grant, client: HostedClient, chain: String, offline: Bool, form: Form, with mint: TokenMint
    ) throws(OAuthErrorResponse) -> JSON {
        var grant = grant
        grant.chain = chain
        let wanted =
            switch grant.issuer.shape {
            // Every sign-in has a refresh token.
            case .adfs: true
            case .entra, .b2c: offline
            // Users may decline offline_access.
            case .openID: offline && grant.granted.contains("offline_access")
            case .oauth(.google): offline
            case .oauth: client.policy.refreshes
            }
        let refreshToken = wanted ? makeRefreshToken(for: grant, client: client, chain: chain, with: mint) : nil
        return try tokenAnswer(
            grant, refreshToken: refreshToken, clientInfo: ["1", "true"].contains(form["client_info"]),
            family: client.family,
            with: mint)
    }

    private func mint(binding: RequestedBinding?, bend: TokenFault?) -> TokenMint {
        TokenMint(
            now: now, accessTokenLifetime: settings.accessTokenLifetime, quirks: quirks, people: people,
            contextDemands: contextDemands, binding: binding, bend: bend)
    }

    mutating func makeRefreshToken(for grant: Grant, client: HostedClient, chain: String, with mint: TokenMint)
        -> String
    {
        tokens.makeRefreshToken(
            for: grant, client: client, chain: chain,
            thumbprint: mint.binding?.scheme == .dpop ? mint.binding?.thumbprint : nil, now: now)
    }

    mutating func tokenAnswer(
        _ grant: Grant, refreshToken: String?, clientInfo: Bool, family: Bool, with mint: TokenMint
    ) throws(OAuthErrorResponse) -> JSON {
        if let server = grant.issuer.oauth, let client = clients[grant.clientId] {
            return try OpaqueTokens.answer(
                grant, from: server, client: client, refreshToken: refreshToken, with: mint, keys: &keys,
                tokens: &tokens)
        }
        return try mint.answer(
            grant, refreshToken: refreshToken, clientInfo: clientInfo, family: family, keys: &keys, tokens: &tokens)
    }

    /// Issues tokens without pages, for tests, as if the user had signed in and consented to everything.
    mutating func issue(username: String, clientId: String, tenant: String, scope: String, nonce: String?, base: String)
        throws(OAuthErrorResponse)
        -> JSON
    {
        guard let user = people.user(username) else {
            throw OAuthErrorResponse("invalid_request", "there is no user \(username)")
        }
        guard let client = clients[clientId] else {
            throw OAuthErrorResponse("invalid_request", "there is no client \(clientId)")
        }
        let issuer = try issuer(of: client, user: user, tenant: tenant, base: base)
        guard issuer.admits(user) else { throw .stranger(username, at: issuer.segment) }
        let scopes = try Scopes(scope, in: issuer)
        consents.add(
            clientId, user,
            scopes.questions(entra: issuer.isEntra).map { Consents.key($0, entra: issuer.isEntra) })
        let grant = Grant(
            issuer: issuer, clientId: clientId, user: user, scopes: scopes,
            granted: consents.grantable(scopes, client: client, user: user, issuer: issuer), nonce: nonce,
            authTime: now,
            contexts: contextDemands.wanted(by: nil, tenant: issuer.tenantId(for: user)))
        return try firstTokens(
            grant, client: client, chain: RandomValue.token(12), offline: scopes.offline || issuer.oauth != nil,
            form: Form([("client_info", "1")]), with: mint(binding: nil, bend: nil))
    }

    /// - Parameter tenant: a tenant at Entra ID; a policy at B2C; the name of a plain OAuth server.
    private func issuer(of client: HostedClient, user: User, tenant: String, base: String) throws(OAuthErrorResponse)
        -> HostedIssuer
    {
        switch client.kind {
        case .openID: return HostedIssuer(shape: .openID, base: base)
        case .adfs: return HostedIssuer(shape: .adfs, base: base)
        case .github: return HostedIssuer(shape: .oauth(.github), base: base)
        case .google: return HostedIssuer(shape: .oauth(.google), base: base)
        case .slack: return HostedIssuer(shape: .oauth(.slack), base: base)
        case .oauth: return HostedIssuer(shape: .oauth(.plain(tenant == "common" ? "one" : tenant)), base: base)
        case .b2c:
            guard let policy = Directory.policy(tenant == "common" ? Directory.signInPolicy : tenant) else {
                throw .unknownTenant(tenant)
            }
            return HostedIssuer(shape: .b2c(policy: policy, .tfp), base: base)
        case .entra:
            let cloud: HostedIssuer.Cloud = user.home == .sovereign ? .sovereign : .global
            let only = client.onlyTenant.flatMap(Directory.tenant)
            guard let audience = only.map(HostedIssuer.Audience.tenant) ?? HostedIssuer.Audience(segment: tenant) else {
                throw .unknownTenant(tenant)
            }
            return HostedIssuer(
                shape: .entra(audience), base: cloud == .sovereign ? origins.sovereignBase : base, cloud: cloud)
        }
    }
}
