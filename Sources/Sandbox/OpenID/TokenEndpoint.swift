/// RFC 6749 section 3.2: three grants, all for public clients.
struct AuthorizationCode: Sendable {
    /// RFC 6749 section 4.1.2 allows ten minutes; one minute is enough for a program that waits for it.
    static let lifetime = 60

    var clientId: String
    var redirectUri: String
    var challenge: String?
    var realm: HostedIssuer
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

extension ProviderState {
    mutating func token(_ inquiry: SandboxRequest, in realm: HostedIssuer, bent by: TokenBend?)
        throws(OAuthErrorResponse) -> JSON
    {
        guard inquiry.method == "POST" else {
            throw OAuthErrorResponse("invalid_request", "the token endpoint takes POST", status: 405)
        }
        let form = inquiry.bodyForm
        let client = try client(of: inquiry, in: realm)
        guard let kind = form["grant_type"] else { throw .missing("grant_type") }
        asking = try bindingAsked(inquiry, in: realm)
        defer { asking = nil }
        switch kind {
        case "authorization_code": return try redeemCode(form, in: realm, client: client, bent: by)
        case "refresh_token": return try redeemRefreshToken(inquiry, in: realm, client: client, bent: by)
        case DeviceGrant.grantType, "device_code": return try pollDevice(form, in: realm, client: client, bent: by)
        case let kind where ProviderState.nativeGrants.contains(kind) && realm.customerTenant != nil:
            return try nativeToken(form, in: realm, client: client, bent: by)
        default:
            throw OAuthErrorResponse(
                "unsupported_grant_type", "The app requested an unsupported grant type.", code: 70003)
        }
    }

    private mutating func redeemCode(_ form: Form, in realm: HostedIssuer, client: Client, bent by: TokenBend?)
        throws(OAuthErrorResponse) -> JSON
    {
        guard let secret = form["code"] else { throw .missing("code") }
        guard var code = codes[secret], code.realm.provider == realm.provider, let user = user(code.username) else {
            throw OAuthErrorResponse("invalid_grant", "The provided authorization code is not known.", code: 9_002_313)
        }
        guard code.realm.policy == realm.policy else { throw .otherPolicy(code.realm, realm) }
        guard !code.used else {
            // RFC 6749 section 4.1.2: a code used twice takes down what was won with it.
            revoke(chain: code.chain)
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
        guard form["redirect_uri"] == code.redirectUri else {
            throw OAuthErrorResponse(
                "invalid_grant",
                "The reply address does not match the reply address provided when requesting the code.", code: 500_112)
        }
        if let challenge = code.challenge {
            // RFC 7636 section 4.6.
            guard let verifier = form["code_verifier"], (43...128).contains(verifier.utf8.count),
                Base64URL.encode(Digest.sha256(verifier)) == challenge
            else {
                throw OAuthErrorResponse(
                    "invalid_grant",
                    "The Code_Verifier does not match the code_challenge supplied in the authorization request.",
                    code: 501_481)
            }
        }
        code.used = true
        codes[secret] = code
        var scopes = code.scopes
        // MSAL repeats the scopes here, and may leave out those that it only wanted consent for.
        if realm.shape != .openID, let text = form["scope"] { scopes = try readScopes(text, in: realm) }
        let grant = Grant(
            realm: realm, clientId: client.clientId, user: user, scopes: scopes,
            granted: grantable(scopes, client: client, user: user, realm: realm), nonce: code.nonce,
            authTime: code.authTime,
            saysAuthTime: code.saysAuthTime, claims: form["claims"] ?? code.claims, contexts: code.contexts)
        try checkContexts(grant)
        return try firstTokens(
            grant, client: client, chain: code.chain, offline: code.scopes.offline, form: form, bent: by)
    }

    mutating func firstTokens(
        _ grant: Grant, client: Client, chain: String, offline: Bool, form: Form, bent by: TokenBend?
    ) throws(OAuthErrorResponse) -> JSON {
        // A person may decline offline_access at the plain issuer; AD FS gives one to whoever signs in.
        let wanted =
            grant.realm.shape == .adfs || offline && (grant.realm.isEntra || grant.granted.contains("offline_access"))
        let refreshToken = wanted ? makeRefreshToken(for: grant, client: client, chain: chain) : nil
        return try tokenAnswer(
            grant, refreshToken: refreshToken, clientInfo: ["1", "true"].contains(form["client_info"]),
            family: client.family,
            bent: by)
    }

    /// Tokens without pages, for tests: as if the user had signed in and agreed to everything.
    mutating func issue(username: String, clientId: String, tenant: String, scope: String, nonce: String?, base: String)
        throws(OAuthErrorResponse)
        -> JSON
    {
        guard let user = user(username) else {
            throw OAuthErrorResponse("invalid_request", "there is no user \(username)")
        }
        guard let client = clients[clientId] else {
            throw OAuthErrorResponse("invalid_request", "there is no client \(clientId)")
        }
        let realm = try realm(of: client, user: user, tenant: tenant, base: base)
        guard realm.admits(user) else { throw .stranger(username, at: realm.segment) }
        let scopes = try readScopes(scope, in: realm)
        consent(
            clientId, user,
            to: scopes.questions(entra: realm.isEntra).map { ProviderState.consentKey($0, entra: realm.isEntra) })
        let grant = Grant(
            realm: realm, clientId: clientId, user: user, scopes: scopes,
            granted: grantable(scopes, client: client, user: user, realm: realm), nonce: nonce, authTime: now,
            contexts: contextsWanted(by: nil, tenant: realm.tenantId(for: user)))
        return try firstTokens(
            grant, client: client, chain: RandomValue.token(12), offline: scopes.offline,
            form: Form([("client_info", "1")]), bent: nil)
    }

    /// - Parameter tenant: a tenant at the Entra shape; a policy at B2C.
    private func realm(of client: Client, user: User, tenant: String, base: String) throws(OAuthErrorResponse)
        -> HostedIssuer
    {
        switch client.kind {
        case .openID: return HostedIssuer(shape: .openID, base: base)
        case .adfs: return HostedIssuer(shape: .adfs, base: base)
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
                shape: .entra(audience), base: cloud == .sovereign ? sites.sovereignBase : base, cloud: cloud)
        }
    }
}
