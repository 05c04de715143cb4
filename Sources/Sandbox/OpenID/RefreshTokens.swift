/// The refresh grant, RFC 6749 section 6, of each kind of provider.
extension ProviderState {
    mutating func redeemRefreshToken(
        _ request: SandboxRequest, in issuer: HostedIssuer, client: HostedClient, with mint: TokenMint
    ) throws(OAuthErrorResponse) -> JSON {
        let form = request.bodyForm
        guard let secret = form["refresh_token"] else { throw .missing("refresh_token") }
        guard let token = tokens.refresh[secret], token.provider == issuer.provider,
            let user = people.user(token.username)
        else {
            throw OAuthErrorResponse("invalid_grant", "The refresh token is malformed or unknown.", code: 9_002_313)
        }
        switch issuer.shape {
        case .entra:
            return try refreshAtEntra(token, user: user, form: form, issuer: issuer, client: client, with: mint)
        case .openID, .oauth:
            return try rotate(token, secret: secret, user: user, form: form, issuer: issuer, client: client, with: mint)
        case .b2c, .adfs:
            return try refreshWithoutConsent(token, user: user, form: form, issuer: issuer, client: client, with: mint)
        }
    }

    /// At Entra ID, a refresh token is valid for every tenant and resource, and for the client family. Each use returns
    /// a new token, and the old one stays valid.
    private mutating func refreshAtEntra(
        _ token: RefreshToken, user: User, form: Form, issuer: HostedIssuer, client: HostedClient, with mint: TokenMint
    ) throws(OAuthErrorResponse) -> JSON {
        guard token.clientId == client.clientId || (token.family && client.family) else {
            throw OAuthErrorResponse(
                "invalid_grant", "The refresh token was issued to another client and this one is not of its family.",
                code: 70000,
                suberror: "client_mismatch")
        }
        guard token.state != .revoked else {
            throw OAuthErrorResponse(
                "invalid_grant",
                "The provided grant has expired due to it being revoked, a fresh auth token is needed.", code: 50173,
                suberror: "bad_token")
        }
        guard token.expiresAt > now else {
            throw OAuthErrorResponse(
                "invalid_grant", "The refresh token has expired due to inactivity.", code: 700_082,
                suberror: "token_expired")
        }
        guard issuer.admits(user) else { throw .stranger(user.username, at: issuer.segment) }
        let scopes =
            try form["scope"].map { text throws(OAuthErrorResponse) in try Scopes(entra: text) } ?? token.scopes
        guard consents.openQuestions(scopes, client: client, user: user, issuer: issuer).isEmpty else {
            throw .consentRequired
        }
        let grant = Grant(
            issuer: issuer, clientId: client.clientId, user: user, scopes: scopes,
            granted: consents.grantable(scopes, client: client, user: user, issuer: issuer), nonce: nil,
            authTime: token.authTime,
            claims: form["claims"], contexts: token.contexts)
        try contextDemands.check(grant)
        let next = makeRefreshToken(for: grant, client: client, chain: token.chain, with: mint)
        return try tokenAnswer(
            grant, refreshToken: next, clientInfo: form["client_info"] == "1", family: client.family, with: mint)
    }

    /// RFC 9700 section 2.2.2: a token works once. A second use means that two parties have it, so the chain is
    /// revoked.
    private mutating func rotate(
        _ token: RefreshToken, secret: String, user: User, form: Form, issuer: HostedIssuer, client: HostedClient,
        with mint: TokenMint
    ) throws(OAuthErrorResponse) -> JSON {
        guard token.clientId == client.clientId else {
            throw OAuthErrorResponse("invalid_grant", "the refresh token was issued to another client")
        }
        guard token.thumbprint == nil || token.thumbprint == mint.binding?.thumbprint else {
            throw OAuthErrorResponse("invalid_grant", "the refresh token is bound to another key")
        }
        switch token.state {
        case .revoked: throw OAuthErrorResponse("invalid_grant", "the refresh token was revoked")
        case .spent where has(.rotationGrace) && token.answer.map({ now - $0.at <= RefreshToken.grace }) ?? false:
            if let answer = token.answer { return answer.tokens }
        case .spent where has(.replayTolerated):
            throw OAuthErrorResponse("invalid_grant", "the refresh token was used before")
        case .spent:
            tokens.revoke(chain: token.chain)
            throw OAuthErrorResponse(
                "invalid_grant", "the refresh token was used before; all tokens of this sign-in were revoked")
        case .live: break
        }
        guard token.expiresAt > now else { throw OAuthErrorResponse("invalid_grant", "the refresh token has expired") }
        var scopes = token.scopes
        var granted = token.granted
        if let text = form["scope"] {
            scopes = try Scopes(text, in: issuer)
            guard scopes.asked.allSatisfy(token.scopes.asked.contains) else {
                throw OAuthErrorResponse("invalid_scope", "the scope is wider than what was granted")
            }
            granted = token.granted.filter(scopes.asked.contains)
        }
        let grant = Grant(
            issuer: issuer, clientId: client.clientId, user: user, scopes: scopes, granted: granted, nonce: nil,
            authTime: token.authTime, contexts: token.contexts,
            resources: try ResourceIndicators.requested(
                form, in: issuer, quirks: quirks, authorized: token.resources),
            chain: token.chain, isFromDevice: token.isFromDevice)
        if issuer.oauth == .github { tokens.endAccess(chain: token.chain) }
        if has(.noRotation) || !client.policy.rotates {
            return try tokenAnswer(grant, refreshToken: nil, clientInfo: false, family: false, with: mint)
        }
        tokens.refresh[secret]?.state = .spent
        var original = grant
        original.scopes = token.scopes
        original.granted = token.granted
        original.resources = token.resources
        let next = makeRefreshToken(for: original, client: client, chain: token.chain, with: mint)
        let answer = try tokenAnswer(grant, refreshToken: next, clientInfo: false, family: false, with: mint)
        let time = now
        tokens.refresh[secret]?.answer = (answer, time)
        return answer
    }

    /// The grant of a refresh token at B2C and AD FS, which have no user consent.
    private mutating func refreshWithoutConsent(
        _ token: RefreshToken, user: User, form: Form, issuer: HostedIssuer, client: HostedClient, with mint: TokenMint
    ) throws(OAuthErrorResponse) -> JSON {
        let isB2C = issuer.provider == .b2c
        if isB2C, token.policy != issuer.policy {
            var actual = issuer
            actual.shape = .b2c(policy: token.policy ?? "", .tfp)
            throw .otherPolicy(actual, issuer)
        }
        guard token.clientId == client.clientId else {
            throw isB2C
                ? .b2c(90088, "invalid_grant", "The provided grant has not been issued for this application.")
                : .adfs(
                    9614, "invalid_grant",
                    "The refresh token received in 'refresh_token' parameter was issued to another client.")
        }
        guard token.state == .live, token.expiresAt > now else {
            throw isB2C
                ? .b2c(
                    token.state == .live ? 90080 : 90129, "invalid_grant",
                    "The provided grant has expired or been revoked.")
                : .adfs(9615, "invalid_grant", "The refresh token received in 'refresh_token' parameter has expired.")
        }
        let scopes =
            try form["scope"].map { text throws(OAuthErrorResponse) in try Scopes(text, in: issuer) } ?? token.scopes
        let grant = Grant(
            issuer: issuer, clientId: client.clientId, user: user, scopes: scopes,
            granted: consents.grantable(scopes, client: client, user: user, issuer: issuer), nonce: nil,
            authTime: token.authTime,
            claims: form["claims"])
        // AD FS returns no new token: the first remains valid until it expires.
        let next = isB2C ? makeRefreshToken(for: grant, client: client, chain: token.chain, with: mint) : nil
        return try tokenAnswer(grant, refreshToken: next, clientInfo: true, family: false, with: mint)
    }
}
