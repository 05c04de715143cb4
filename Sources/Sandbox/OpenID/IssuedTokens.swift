/// An authorization code (RFC 6749 section 4.1.2) and its grant.
struct AuthorizationCode: Sendable {
    /// RFC 6749 section 4.1.2 allows ten minutes; a waiting program needs only one.
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
    var resources: [String] = []
    /// Whether Google returns a refresh token: `access_type=offline`, and the user has just consented.
    var isOffline = false
    var expiresAt: Int
    var chain: String
    var used = false
}

struct RefreshToken: Sendable {
    enum State: Sendable { case live, spent, revoked }

    /// Entra ID expires a refresh token after 90 days without use.
    static let lifetime = 90 * 86400
    static let b2cLifetime = 14 * 86400
    /// AD FS: the single sign-on lifetime of an unregistered device.
    static let adfsLifetime = 8 * 3600

    static func lifetime(in issuer: HostedIssuer) -> Int {
        switch issuer.shape {
        case .oauth(.github): OAuthServer.gitHubRefreshLifetime
        case .entra, .openID, .oauth: lifetime
        case .b2c: b2cLifetime
        case .adfs: adfsLifetime
        }
    }

    var clientId: String
    var family: Bool
    var provider: HostedIssuer.AuthorizationServer
    /// At B2C, a refresh token is valid only for its policy.
    var policy: String?
    var username: String
    /// Identifies all tokens from the same sign-in, which are revoked together (RFC 9700 section 2.2.2).
    var chain: String
    var scopes: Scopes
    var granted: [String]
    var authTime: Int
    var contexts: Set<String> = []
    var resources: [String] = []
    var isFromDevice = false
    var expiresAt: Int
    /// RFC 9449 section 5: a public client's refresh token is bound to the key of its first request.
    var thumbprint: String?
    var state = State.live
    var answer: (tokens: JSON, at: Int)?

    /// Seconds in which a provider with a grace period repeats the response for a used token.
    static let grace = 30
}

struct AccessToken: Sendable {
    var clientId: String
    var username: String
    var scope: String
    var wished: String?
    var issuedAt: Int
    var expiresAt: Int
    var thumbprint: String?
    var provider: HostedIssuer.AuthorizationServer
    /// Only at OAuth servers.
    var chain: String?
    var resources: [String] = []
    var contexts: Set<String> = []
}

struct IssuedTokens: Sendable {
    var codes: [String: AuthorizationCode] = [:]
    var refresh: [String: RefreshToken] = [:]
    var access: [String: AccessToken] = [:]

    mutating func makeRefreshToken(for grant: Grant, client: HostedClient, chain: String, thumbprint: String?, now: Int)
        -> String
    {
        let secret =
            grant.issuer.oauth?.newRefreshToken()
            ?? (grant.issuer.shape == .openID ? "rt." : "1.sandbox.") + RandomValue.token()
        refresh[secret] = RefreshToken(
            clientId: client.clientId, family: client.family, provider: grant.issuer.provider,
            policy: grant.issuer.policy, username: grant.user.username, chain: chain, scopes: grant.scopes,
            granted: grant.granted, authTime: grant.authTime, contexts: grant.contexts, resources: grant.resources,
            isFromDevice: grant.isFromDevice,
            expiresAt: now + RefreshToken.lifetime(in: grant.issuer), thumbprint: thumbprint)
        return secret
    }

    mutating func revoke(chain: String) {
        for (secret, token) in refresh where token.chain == chain { refresh[secret]?.state = .revoked }
        endAccess(chain: chain)
    }

    mutating func endAccess(chain: String) {
        for (secret, token) in access where token.chain == chain { access[secret]?.expiresAt = 0 }
    }

    mutating func revoke(username: String, clientId: String?) -> Int {
        var count = 0
        for (secret, token) in refresh
        where token.username == username.lowercased() && (clientId == nil || token.clientId == clientId)
            && token.state == .live
        {
            refresh[secret]?.state = .revoked
            endAccess(chain: token.chain)
            count += 1
        }
        // Tokens of OAuth servers without refresh tokens.
        for (secret, token) in access
        where token.username == username.lowercased() && (clientId == nil || token.clientId == clientId)
            && token.chain != nil && token.expiresAt > 0
        {
            access[secret]?.expiresAt = 0
            count += 1
        }
        return count
    }

    /// Ends an access or refresh token with all tokens of its sign-in.
    mutating func end(_ secret: String, at provider: HostedIssuer.AuthorizationServer) {
        guard let signIn = signIn(of: secret, at: provider) else { return }
        access[secret]?.expiresAt = 0
        if let chain = signIn.chain { revoke(chain: chain) }
    }

    /// The sign-in of an access token that was not ended, or of a live refresh token.
    func signIn(of secret: String, at provider: HostedIssuer.AuthorizationServer) -> (
        username: String, clientId: String, chain: String?
    )? {
        if let token = access[secret], token.provider == provider, token.expiresAt > 0 {
            return (token.username, token.clientId, token.chain)
        }
        if let token = refresh[secret], token.provider == provider, token.state == .live {
            return (token.username, token.clientId, token.chain)
        }
        return nil
    }

    /// Ends all tokens of a user and client at one server.
    mutating func endAll(of username: String, clientId: String, at provider: HostedIssuer.AuthorizationServer) {
        for (secret, token) in access
        where token.provider == provider && token.username == username && token.clientId == clientId {
            access[secret]?.expiresAt = 0
        }
        for (secret, token) in refresh
        where token.provider == provider && token.username == username && token.clientId == clientId {
            refresh[secret]?.state = .revoked
        }
    }

    mutating func sweep(at now: Int) {
        if codes.count > 1000 { codes = codes.filter { $0.value.expiresAt + 3600 > now } }
        if access.count > 5000 { access = access.filter { $0.value.expiresAt > now } }
        if refresh.count > 20000 { refresh = refresh.filter { $0.value.state == .live } }
    }
}
