/// Creates the tokens of a request, determined only by the grant and the properties here.
struct TokenMint: Sendable {
    let now: Int
    /// Seconds.
    let accessTokenLifetime: Int
    let quirks: Quirks
    let people: People
    let contextDemands: ContextDemands
    /// The key to bind tokens to; nil for bearer tokens.
    var binding: RequestedBinding?
    var bend: TokenFault?
    var agentSession: String?

    private func has(_ quirk: Quirk) -> Bool { quirks.has(quirk) }

    /// The claims of an ID token (OpenID Connect Core section 2, with Entra ID's additions).
    ///
    /// - Parameter algorithm: of the token, whose hash `at_hash` has.
    func idClaims(_ grant: Grant, accessToken: String?, _ algorithm: SigningAlgorithm) -> JSON {
        var claims =
            switch grant.issuer.shape {
            case .entra, .openID, .oauth: standardIDClaims(grant, accessToken: accessToken, algorithm)
            case .b2c: b2cIDClaims(grant)
            case .adfs: adfsIDClaims(grant)
            }
        switch bend {
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
        return quirks.applied(toClaims: claims)
    }

    private func standardIDClaims(_ grant: Grant, accessToken: String?, _ algorithm: SigningAlgorithm) -> JSON {
        let user = grant.user
        let tenantId = grant.issuer.tenantId(for: user)
        var issuer = tenantId.map { "\(grant.issuer.base)/\($0)/v2.0" } ?? grant.issuer.identifier
        if grant.issuer.oauth == .google, has(.schemelessIssuer), let end = issuer.firstRange(of: "//")?.upperBound {
            issuer = String(issuer[end...])
        }
        var claims = JSON.members([
            "aud": .string(grant.clientId), "iss": .string(issuer), "iat": .int(now),
            "nbf": grant.issuer.isEntra ? .int(now) : nil,
            "exp": .int(now + 3600),
            "sub": .string(
                TokenMint.subject(of: user, client: grant.clientId, tenantId: tenantId, in: grant.issuer)),
            "nonce": grant.nonce.map { .string($0) },
            // Entra ID includes the sign-in time only if the request limits its age.
            "auth_time": grant.issuer.isEntra && !grant.saysAuthTime ? nil : .int(grant.authTime),
            // OpenID Connect Core 3.1.3.6: the left half of the access token's hash.
            "at_hash": grant.issuer.isEntra
                ? nil : accessToken.map { .string(Base64URLCoding.encode(algorithm.halfHash(of: $0))) },
        ])
        let isNameless = has(.namelessIDToken) && !grant.issuer.isEntra
        let shown = grant.issuer.isEntra || grant.granted.contains("profile") && !isNameless
        if shown {
            claims["name"] = .string(user.name)
            claims["preferred_username"] = .string(user.username)
        }
        if grant.granted.contains("email"), !isNameless { claims["email"] = .string(user.username) }
        if grant.issuer.oauth == .google {
            claims["azp"] = .string(grant.clientId)
            claims["email_verified"] = claims["email"].map { _ in true }
        }
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
        guard let tenantId = grant.issuer.tenantId(for: user) else {
            // RFC 9068 for the plain issuer.
            return .members([
                "iss": .string(grant.issuer.identifier),
                "aud": has(.listAudience) ? .array([]) : .string(grant.issuer.identifier),
                "sub": .string(user.username), "client_id": .string(grant.clientId),
                "scope": .string(grant.granted.joined(separator: " ")), "iat": .int(now),
                "exp": .int(now + accessTokenLifetime), "jti": .string(RandomValue.token(16)),
                "cnf": binding?.confirmation,
            ])
        }
        let capabilities = Grant.wishes(in: grant.claims)?["xms_cc"]?["values"]
        let contexts = contextDemands.wanted(grant).intersection(grant.contexts).sorted()
        let names = grant.granted.filter { !$0.hasSuffix("/.default") && $0 != ".default" }
            .map { Scopes.openIDNames.contains($0) ? $0 : Scopes.split($0).name }
        return .members([
            "aud": .string(grant.scopes.resource ?? Scopes.graph),
            "iss": .string("\(grant.issuer.base)/\(tenantId)/v2.0"),
            "iat": .int(now), "nbf": .int(now), "exp": .int(now + accessTokenLifetime),
            "appid": .string(grant.clientId),
            "azp": .string(grant.clientId), "azpacr": "0", "name": .string(user.name),
            "oid": user.objectIds[tenantId].map { .string($0) }, "preferred_username": .string(user.username),
            "roles": user.username == "ada@contoso.example" ? .array(["Reader"]) : nil,
            "scp": .string(names.joined(separator: " ")),
            "sub": .string(
                TokenMint.subject(of: user, client: grant.clientId, tenantId: tenantId, in: grant.issuer)),
            "tid": .string(tenantId),
            "uti": .string(RandomValue.token(16)), "ver": "2.0",
            // Client capabilities and authentication contexts are returned as claims.
            "xms_cc": capabilities, "acrs": contexts.isEmpty ? nil : .strings(contexts), "cnf": binding?.confirmation,
            "xms_cli_sid": agentSession.map { .string($0) },
        ])
    }

    /// Pairwise at Entra ID: each client sees another subject. The plain issuer announces `public` subjects.
    static func subject(of user: User, client: String, tenantId: String?, in issuer: HostedIssuer) -> String {
        guard let tenantId, let oid = user.objectIds[tenantId] else {
            return issuer.oauth == .google ? user.googleSubject : user.username
        }
        return Base64URLCoding.encode(Digest.sha256("\(oid)|\(client)|\(tenantId)"))
    }

    /// A successful response of the token endpoint (RFC 6749 section 5.1).
    ///
    /// - Parameters:
    ///  - keys: sign the tokens.
    ///  - tokens: records them.
    func answer(
        _ grant: Grant, refreshToken: String?, clientInfo: Bool, family: Bool, keys: inout CloudKeys,
        tokens: inout IssuedTokens
    ) throws(OAuthErrorResponse) -> JSON {
        do {
            return switch grant.issuer.shape {
            case .b2c: try b2cAnswer(grant, refreshToken: refreshToken, keys: &keys, tokens: &tokens)
            case .adfs: try adfsAnswer(grant, refreshToken: refreshToken, keys: &keys, tokens: &tokens)
            case .entra, .openID, .oauth:
                try standardAnswer(
                    grant, refreshToken: refreshToken, clientInfo: clientInfo, family: family, keys: &keys,
                    tokens: &tokens)
            }
        } catch {
            throw OAuthErrorResponse("server_error", "the token could not be signed", status: 500)
        }
    }

    private func standardAnswer(
        _ grant: Grant, refreshToken: String?, clientInfo: Bool, family: Bool, keys: inout CloudKeys,
        tokens: inout IssuedTokens
    ) throws -> JSON {
        let accessToken = try keys.sign(
            accessClaims(grant), in: grant.issuer, type: grant.issuer.isEntra ? "JWT" : "at+jwt")
        tokens.access[accessToken] = remembered(grant)
        let idToken = try idToken(grant, accessToken: accessToken, keys: &keys)
        let entra = grant.issuer.isEntra
        let long = accessTokenLifetime > 7200
        return .members([
            "token_type": .string(binding?.tokenType ?? "Bearer"),
            "scope": .string(grant.granted.joined(separator: " ")),
            "expires_in": .int(accessTokenLifetime),
            "ext_expires_in": entra ? .int(accessTokenLifetime) : nil,
            "refresh_in": entra && long ? .int(accessTokenLifetime / 2) : nil, "access_token": .string(accessToken),
            "refresh_token": refreshToken.map { .string($0) }, "id_token": idToken.map { .string($0) },
            "foci": entra && family ? "1" : nil,
            "client_info": entra && clientInfo
                ? TokenMint.clientInfo(grant.user, in: grant.issuer).map { .string($0) } : nil,
        ])
    }

    /// Nil without OpenID scopes, or if a fault omits it.
    func idToken(_ grant: Grant, accessToken: String?, keys: inout CloudKeys) throws -> String? {
        guard grant.scopes.isOpenID, bend != .missing else { return nil }
        let claims = idClaims(grant, accessToken: accessToken, try keys.keys(of: grant.issuer.cloud).algorithm)
        return try keys.sign(claims, in: grant.issuer, type: "JWT", bent: bend)
    }

    func remembered(_ grant: Grant) -> AccessToken {
        AccessToken(
            clientId: grant.clientId, username: grant.user.username, scope: grant.granted.joined(separator: " "),
            wished: grant.claims, issuedAt: now, expiresAt: now + accessTokenLifetime, thumbprint: binding?.thumbprint,
            provider: grant.issuer.provider)
    }

    static func clientInfo(_ user: User, in issuer: HostedIssuer) -> String? {
        guard let oid = user.homeObjectId, let utid = user.homeTenant else { return nil }
        // At B2C, each policy has its own account for the same user.
        let uid = issuer.policy.map { "\(oid)-\($0.lowercased())" } ?? oid
        return Base64URLCoding.encode(Array(JSON.members(["uid": .string(uid), "utid": .string(utid)]).text.utf8))
    }
}
