/// RFC 6749 section 4.1.2: a code, and what it was given for.
struct AuthorizationCode: Sendable {
    /// RFC 6749 section 4.1.2 allows ten minutes; one minute is enough for a program that waits for it.
    static let lifetime = 60

    var clientId: String
    var redirectUri: String
    var challenge: String?
    var issuer: HostedIssuer
    var username: String
    var scopes: Scopes
    var nonce: String?
    var authTime: Int
    var saysAuthTime = false
    var claims: String?
    var contexts: Set<String> = []
    var expiresAt: Int
    var chain: String
    var used = false
}

/// A refresh token and the chain of redemptions to which it belongs.
struct RefreshToken: Sendable {
    enum State: Sendable { case live, spent, revoked }

    /// Entra gives up on a refresh token that was not used for 90 days.
    static let lifetime = 90 * 86400
    static let b2cLifetime = 14 * 86400
    /// AD FS: as long as the single sign-on of a device that it does not know.
    static let adfsLifetime = 8 * 3600

    static func lifetime(in issuer: HostedIssuer) -> Int {
        switch issuer.shape {
        case .entra, .openID: lifetime
        case .b2c: b2cLifetime
        case .adfs: adfsLifetime
        }
    }

    var clientId: String
    var family: Bool
    var provider: HostedIssuer.AuthorizationServer
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
    var provider: HostedIssuer.AuthorizationServer
}

/// The codes and tokens that were given out, by their secrets.
struct IssuedTokens: Sendable {
    var codes: [String: AuthorizationCode] = [:]
    var refresh: [String: RefreshToken] = [:]
    var access: [String: AccessToken] = [:]

    /// - Parameter thumbprint: of the key that the token is bound to.
    mutating func makeRefreshToken(for grant: Grant, client: HostedClient, chain: String, thumbprint: String?, now: Int)
        -> String
    {
        let secret = (grant.issuer.shape == .openID ? "rt." : "1.sandbox.") + RandomValue.token()
        refresh[secret] = RefreshToken(
            clientId: client.clientId, family: client.family, provider: grant.issuer.provider,
            policy: grant.issuer.policy, username: grant.user.username, chain: chain, scopes: grant.scopes,
            granted: grant.granted, authTime: grant.authTime, contexts: grant.contexts,
            expiresAt: now + RefreshToken.lifetime(in: grant.issuer), thumbprint: thumbprint)
        return secret
    }

    mutating func revoke(chain: String) {
        for (secret, token) in refresh where token.chain == chain { refresh[secret]?.state = .revoked }
    }

    /// How many tokens died.
    mutating func revoke(username: String, clientId: String?) -> Int {
        var count = 0
        for (secret, token) in refresh
        where token.username == username.lowercased() && (clientId == nil || token.clientId == clientId)
            && token.state == .live
        {
            refresh[secret]?.state = .revoked
            count += 1
        }
        return count
    }

    mutating func sweep(at now: Int) {
        if codes.count > 1000 { codes = codes.filter { $0.value.expiresAt + 3600 > now } }
        if access.count > 5000 { access = access.filter { $0.value.expiresAt > now } }
        if refresh.count > 20000 { refresh = refresh.filter { $0.value.state == .live } }
    }
}
