/// Everything that decides what a token says: who, for which client, where, and with which permissions.
struct Grant: Sendable, Equatable {
    var realm: HostedIssuer
    var clientId: String
    var user: User
    /// What was asked for, and what of it a person agreed to.
    var scopes: Scopes
    var granted: [String]
    var nonce: String?
    var authTime: Int
    var saysAuthTime = false
    /// The claims parameter that came with the request (OpenID Connect Core section 5.5).
    var claims: String?

    /// The authentication contexts that the sign-in has won.
    var contexts: Set<String> = []

    /// What a claims parameter asks of the access token.
    static func wishes(in claims: String?) -> JSON? { claims.flatMap { try? JSON(parsing: $0) }?["access_token"] }
}

extension ProviderState {
    /// The claims of an ID token (OpenID Connect Core section 2; Entra's additions for its shape).
    func idClaims(_ grant: Grant, accessToken: String?, bent by: TokenBend?) -> JSON {
        var claims =
            switch grant.realm.shape {
            case .entra, .openID: standardIDClaims(grant, accessToken: accessToken)
            case .b2c: b2cIDClaims(grant)
            case .adfs: adfsIDClaims(grant)
            }
        switch by {
        case .wrongIssuer: claims["iss"] = "https://issuer.invalid/v2.0"
        case .wrongAudience: claims["aud"] = "99999999-0000-0000-0000-000000000000"
        case .wrongNonce: claims["nonce"] = "not-the-nonce-that-was-sent"
        case .missingNonce: claims["nonce"] = nil
        case .expired:
            claims["iat"] = .int(now - 7200)
            claims["exp"] = .int(now - 3600)
        case .missingSub: claims["sub"] = nil
        case .futureIat: claims["iat"] = .int(now + 86400)
        case .algNone, .hs256WithPublicKey, .badSignature, .missing, nil: break
        }
        if has(.listAudience), let audience = claims["aud"] { claims["aud"] = .array([audience]) }
        return habitual(claims)
    }

    private func standardIDClaims(_ grant: Grant, accessToken: String?) -> JSON {
        let user = grant.user
        let tenantId = grant.realm.tenantId(for: user)
        let issuer = tenantId.map { "\(grant.realm.base)/\($0)/v2.0" } ?? grant.realm.issuer
        var claims = JSON.members([
            "aud": .string(grant.clientId), "iss": .string(issuer), "iat": .int(now),
            "nbf": grant.realm.isEntra ? .int(now) : nil,
            "exp": .int(now + 3600), "sub": .string(subject(of: user, client: grant.clientId, tenantId: tenantId)),
            "nonce": grant.nonce.map { .string($0) },
            // Entra says when a person signed in only to those who set a bound to it.
            "auth_time": grant.realm.isEntra && !grant.saysAuthTime ? nil : .int(grant.authTime),
            // OpenID Connect Core 3.1.3.6: the left half of the hash of the access token.
            "at_hash": grant.realm.isEntra
                ? nil : accessToken.map { .string(Base64URL.encode(Digest.sha256($0).prefix(16))) },
        ])
        let isNameless = has(.namelessIDToken) && !grant.realm.isEntra
        let shown = grant.realm.isEntra || grant.granted.contains("profile") && !isNameless
        if shown {
            claims["name"] = .string(user.name)
            claims["preferred_username"] = .string(user.username)
        }
        if grant.granted.contains("email"), !isNameless { claims["email"] = .string(user.username) }
        if let tenantId {
            claims["oid"] = user.objectIds[tenantId].map { .string($0) }
            claims["tid"] = .string(tenantId)
            claims["uti"] = .string(RandomValue.token(16))
            claims["ver"] = "2.0"
        }
        return claims
    }

    private func accessClaims(_ grant: Grant) -> JSON {
        let user = grant.user
        guard let tenantId = grant.realm.tenantId(for: user) else {
            // RFC 9068 for the plain issuer.
            return .members([
                "iss": .string(grant.realm.issuer),
                "aud": has(.listAudience) ? .array([]) : .string(grant.realm.issuer),
                "sub": .string(user.username),
                "client_id": .string(grant.clientId), "scope": .string(grant.granted.joined(separator: " ")),
                "iat": .int(now),
                "exp": .int(now + accessTokenLifetime), "jti": .string(RandomValue.token(16)),
                "cnf": asking?.confirmation,
            ])
        }
        let capabilities = Grant.wishes(in: grant.claims)?["xms_cc"]?["values"]
        let contexts = contextsWanted(grant).intersection(grant.contexts).sorted()
        let names = grant.granted.filter { !$0.hasSuffix("/.default") && $0 != ".default" }
            .map { Scopes.openIDNames.contains($0) ? $0 : Scopes.split($0).name }
        return .members([
            "aud": .string(grant.scopes.resource ?? Scopes.graph),
            "iss": .string("\(grant.realm.base)/\(tenantId)/v2.0"),
            "iat": .int(now), "nbf": .int(now), "exp": .int(now + accessTokenLifetime),
            "appid": .string(grant.clientId),
            "azp": .string(grant.clientId), "azpacr": "0", "name": .string(user.name),
            "oid": user.objectIds[tenantId].map { .string($0) }, "preferred_username": .string(user.username),
            "roles": user.username == "ada@contoso.example" ? .array(["Reader"]) : nil,
            "scp": .string(names.joined(separator: " ")),
            "sub": .string(subject(of: user, client: grant.clientId, tenantId: tenantId)), "tid": .string(tenantId),
            "uti": .string(RandomValue.token(16)), "ver": "2.0",
            // Client capabilities and authentication contexts come back as claims of their own.
            "xms_cc": capabilities, "acrs": contexts.isEmpty ? nil : .strings(contexts), "cnf": asking?.confirmation,
        ])
    }

    /// Pairwise at Entra: another client sees another subject. The plain issuer announces `public` subjects.
    func subject(of user: User, client: String, tenantId: String?) -> String {
        guard let tenantId, let oid = user.objectIds[tenantId] else { return user.username }
        return Base64URL.encode(Digest.sha256("\(oid)|\(client)|\(tenantId)"))
    }

    /// A successful answer of the token endpoint (RFC 6749 section 5.1).
    mutating func tokenAnswer(
        _ grant: Grant, refreshToken: String?, clientInfo: Bool, family: Bool, bent by: TokenBend?
    ) throws(OAuthErrorResponse) -> JSON {
        switch grant.realm.shape {
        case .b2c: return try b2cAnswer(grant, refreshToken: refreshToken, bent: by)
        case .adfs: return try adfsAnswer(grant, refreshToken: refreshToken, bent: by)
        case .entra, .openID: break
        }
        do {
            let accessToken = try sign(
                accessClaims(grant), in: grant.realm, type: grant.realm.isEntra ? "JWT" : "at+jwt")
            remember(accessToken, of: grant)
            var idToken: String?
            if grant.scopes.isOpenID, by != .missing {
                idToken = try sign(
                    idClaims(grant, accessToken: accessToken, bent: by), in: grant.realm, type: "JWT", bent: by)
            }
            let entra = grant.realm.isEntra
            let long = accessTokenLifetime > 7200
            return .members([
                "token_type": .string(asking?.tokenType ?? "Bearer"),
                "scope": .string(grant.granted.joined(separator: " ")),
                "expires_in": .int(accessTokenLifetime),
                "ext_expires_in": entra ? .int(accessTokenLifetime) : nil,
                "refresh_in": entra && long ? .int(accessTokenLifetime / 2) : nil, "access_token": .string(accessToken),
                "refresh_token": refreshToken.map { .string($0) }, "id_token": idToken.map { .string($0) },
                "foci": entra && family ? "1" : nil,
                "client_info": entra && clientInfo
                    ? ProviderState.clientInfo(grant.user, in: grant.realm).map { .string($0) } : nil,
            ])
        } catch {
            throw OAuthErrorResponse("server_error", "the token could not be signed", status: 500)
        }
    }

    mutating func remember(_ accessToken: String, of grant: Grant) {
        accessTokens[accessToken] = AccessToken(
            clientId: grant.clientId, username: grant.user.username, scope: grant.granted.joined(separator: " "),
            wished: grant.claims, issuedAt: now, expiresAt: now + accessTokenLifetime, thumbprint: asking?.thumbprint,
            provider: grant.realm.provider)
    }

    /// Each cloud signs with keys of its own.
    mutating func sign(_ claims: JSON, in realm: HostedIssuer, type: String, bent by: TokenBend? = nil) throws -> String
    {
        try signingKeys(of: realm.cloud).sign(claims, type: type, bent: by)
    }

    mutating func signingKeys(of cloud: HostedIssuer.Cloud) throws -> SigningKeys {
        guard cloud == .sovereign else { return keys }
        if let sovereignKeys { return sovereignKeys }
        let made = try SigningKeys()
        sovereignKeys = made
        return made
    }

    mutating func rotateKeys() throws {
        try keys.rotate()
        try sovereignKeys?.rotate()
    }

    static func clientInfo(_ user: User, in realm: HostedIssuer) -> String? {
        guard let oid = user.homeObjectId, let utid = user.homeTenant else { return nil }
        // At B2C every policy makes another account of the same person.
        let uid = realm.policy.map { "\(oid)-\($0.lowercased())" } ?? oid
        return Base64URL.encode(Array(JSON.members(["uid": .string(uid), "utid": .string(utid)]).text.utf8))
    }
}
