/// A refresh token and the chain of redemptions to which it belongs.
struct RefreshToken: Sendable {
    enum State: Sendable { case live, spent, revoked }

    /// Entra gives up on a refresh token that was not used for 90 days.
    static let lifetime = 90 * 86400
    static let b2cLifetime = 14 * 86400
    /// AD FS: as long as the single sign-on of a device that it does not know.
    static let adfsLifetime = 8 * 3600

    static func lifetime(in realm: HostedIssuer) -> Int {
        switch realm.shape {
        case .entra, .openID: lifetime
        case .b2c: b2cLifetime
        case .adfs: adfsLifetime
        }
    }

    var clientId: String
    var family: Bool
    var provider: HostedIssuer.Provider
    /// At B2C a refresh token is good for its policy alone.
    var policy: String?
    var username: String
    /// Every token won from the same sign-in: RFC 9700 section 2.2.2 revokes them together.
    var chain: String
    var scopes: Scopes
    var granted: [String]
    var authTime: Int
    var contexts: Set<String> = []
    var expiresAt: Int
    /// RFC 9449 section 5: a public client's refresh token is bound to the key of its first request.
    var thumbprint: String?
    var state = State.live
    /// What it was redeemed for and when, where it is answered again.
    var answer: (tokens: JSON, at: Int)?

    /// Seconds in which a provider with a time of grace answers a spent token the same once more.
    static let grace = 30
}

extension ProviderState {
    mutating func makeRefreshToken(for grant: Grant, client: Client, chain: String) -> String {
        let secret = (grant.realm.shape == .openID ? "rt." : "1.sandbox.") + RandomValue.token()
        refreshTokens[secret] = RefreshToken(
            clientId: client.clientId, family: client.family, provider: grant.realm.provider,
            policy: grant.realm.policy,
            username: grant.user.username, chain: chain,
            scopes: grant.scopes, granted: grant.granted, authTime: grant.authTime, contexts: grant.contexts,
            expiresAt: now + RefreshToken.lifetime(in: grant.realm),
            thumbprint: asking?.scheme == .dpop ? asking?.thumbprint : nil)
        return secret
    }

    mutating func revoke(chain: String) {
        for (secret, token) in refreshTokens where token.chain == chain { refreshTokens[secret]?.state = .revoked }
    }

    /// How many tokens died.
    mutating func revoke(username: String, clientId: String?) -> Int {
        var count = 0
        for (secret, token) in refreshTokens
        where token.username == username.lowercased() && (clientId == nil || token.clientId == clientId)
            && token.state == .live
        {
            refreshTokens[secret]?.state = .revoked
            count += 1
        }
        return count
    }

    /// RFC 6749 section 6.
    mutating func redeemRefreshToken(
        _ inquiry: SandboxRequest, in realm: HostedIssuer, client: Client, bent by: TokenBend?
    ) throws(OAuthErrorResponse) -> JSON {
        let form = inquiry.bodyForm
        guard let secret = form["refresh_token"] else { throw .missing("refresh_token") }
        guard let token = refreshTokens[secret], token.provider == realm.provider, let user = user(token.username)
        else {
            throw OAuthErrorResponse("invalid_grant", "The refresh token is malformed or unknown.", code: 9_002_313)
        }
        switch realm.shape {
        case .entra: return try refreshAtEntra(token, user: user, form: form, realm: realm, client: client, bent: by)
        case .openID:
            return try rotate(token, secret: secret, user: user, form: form, realm: realm, client: client, bent: by)
        case .b2c, .adfs:
            return try refreshWithoutConsent(token, user: user, form: form, realm: realm, client: client, bent: by)
        }
    }

    /// Entra: good for every tenant and resource, and for the family; a new token each time, and the old one stays
    /// good.
    private mutating func refreshAtEntra(
        _ token: RefreshToken, user: User, form: Form, realm: HostedIssuer, client: Client, bent by: TokenBend?
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
        guard realm.admits(user) else { throw .stranger(user.username, at: realm.segment) }
        let scopes =
            try form["scope"].map { text throws(OAuthErrorResponse) in try Scopes(entra: text) } ?? token.scopes
        guard openQuestions(scopes, client: client, user: user, realm: realm).isEmpty else { throw .consentRequired }
        let grant = Grant(
            realm: realm, clientId: client.clientId, user: user, scopes: scopes,
            granted: grantable(scopes, client: client, user: user, realm: realm), nonce: nil, authTime: token.authTime,
            claims: form["claims"], contexts: token.contexts)
        try checkContexts(grant)
        let next = makeRefreshToken(for: grant, client: client, chain: token.chain)
        return try tokenAnswer(
            grant, refreshToken: next, clientInfo: form["client_info"] == "1", family: client.family, bent: by)
    }

    /// RFC 9700 section 2.2.2: each token works once; a second use means that two hold it, so the whole chain ends.
    private mutating func rotate(
        _ token: RefreshToken, secret: String, user: User, form: Form, realm: HostedIssuer, client: Client,
        bent by: TokenBend?
    ) throws(OAuthErrorResponse) -> JSON {
        guard token.clientId == client.clientId else {
            throw OAuthErrorResponse("invalid_grant", "the refresh token was issued to another client")
        }
        guard token.thumbprint == nil || token.thumbprint == asking?.thumbprint else {
            throw OAuthErrorResponse("invalid_grant", "the refresh token is bound to another key")
        }
        switch token.state {
        case .revoked: throw OAuthErrorResponse("invalid_grant", "the refresh token was revoked")
        case .spent where has(.rotationGrace) && token.answer.map({ now - $0.at <= RefreshToken.grace }) ?? false:
            if let answer = token.answer { return answer.tokens }
        case .spent where has(.replayTolerated):
            throw OAuthErrorResponse("invalid_grant", "the refresh token was used before")
        case .spent:
            revoke(chain: token.chain)
            throw OAuthErrorResponse(
                "invalid_grant", "the refresh token was used before; all tokens of this sign-in were revoked")
        case .live: break
        }
        guard token.expiresAt > now else { throw OAuthErrorResponse("invalid_grant", "the refresh token has expired") }
        var scopes = token.scopes
        var granted = token.granted
        if let text = form["scope"] {
            scopes = try Scopes(plain: text)
            guard scopes.asked.allSatisfy(token.scopes.asked.contains) else {
                throw OAuthErrorResponse("invalid_scope", "the scope is wider than what was granted")
            }
            granted = token.granted.filter(scopes.asked.contains)
        }
        let grant = Grant(
            realm: realm, clientId: client.clientId, user: user, scopes: scopes, granted: granted, nonce: nil,
            authTime: token.authTime)
        if has(.noRotation) {
            return try tokenAnswer(grant, refreshToken: nil, clientInfo: false, family: false, bent: by)
        }
        refreshTokens[secret]?.state = .spent
        var original = grant
        original.scopes = token.scopes
        original.granted = token.granted
        let next = makeRefreshToken(for: original, client: client, chain: token.chain)
        let answer = try tokenAnswer(grant, refreshToken: next, clientInfo: false, family: false, bent: by)
        let time = now
        refreshTokens[secret]?.answer = (answer, time)
        return answer
    }
}
