/// Everything that decides what a token says: who, for which client, where, and with which permissions.
struct Grant: Sendable, Equatable {
    var realm: Realm
    var clientId: String
    var user: User
    /// What was asked for, and what of it a person agreed to.
    var scopes: Scopes
    var granted: [String]
    var nonce: String?
    var authTime: Int
}

extension Ledger {
    /// The claims of an ID token (OpenID Connect Core section 2; Entra's additions for its shape).
    private func idClaims(_ grant: Grant, accessToken: String, bent by: TokenBend?) -> JSON {
        let user = grant.user
        let tenantId = grant.realm.tenantId(for: user)
        let issuer = tenantId.map { "\(grant.realm.base)/\($0)/v2.0" } ?? grant.realm.issuer
        var claims = JSON.members([
            "aud": .string(grant.clientId), "iss": .string(issuer), "iat": .int(now), "nbf": grant.realm.isEntra ? .int(now) : nil,
            "exp": .int(now + 3600), "sub": .string(subject(of: user, client: grant.clientId, tenantId: tenantId)),
            "nonce": grant.nonce.map { .string($0) },
            "auth_time": grant.realm.isEntra ? nil : .int(grant.authTime),
            // OpenID Connect Core 3.1.3.6: the left half of the hash of the access token.
            "at_hash": grant.realm.isEntra ? nil : .string(Base64URL.encode(Digest.sha256(accessToken).prefix(16))),
        ])
        let shown = grant.realm.isEntra || grant.granted.contains("profile")
        if shown {
            claims["name"] = .string(user.name)
            claims["preferred_username"] = .string(user.username)
        }
        if grant.granted.contains("email") { claims["email"] = .string(user.username) }
        if let tenantId {
            claims["oid"] = user.objectIds[tenantId].map { .string($0) }
            claims["tid"] = .string(tenantId)
            claims["uti"] = .string(Chance.token(16))
            claims["ver"] = "2.0"
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
        return claims
    }

    private func accessClaims(_ grant: Grant) -> JSON {
        let user = grant.user
        guard let tenantId = grant.realm.tenantId(for: user) else {
            // RFC 9068 for the plain issuer.
            return .members([
                "iss": .string(grant.realm.issuer), "aud": .string(grant.realm.issuer), "sub": .string(user.username),
                "client_id": .string(grant.clientId), "scope": .string(grant.granted.joined(separator: " ")), "iat": .int(now),
                "exp": .int(now + accessTokenLifetime), "jti": .string(Chance.token(16)),
            ])
        }
        let names = grant.granted.filter { !$0.hasSuffix("/.default") && $0 != ".default" }
            .map { Scopes.openIDNames.contains($0) ? $0 : Scopes.split($0).name }
        return .members([
            "aud": .string(grant.scopes.resource ?? Scopes.graph), "iss": .string("\(grant.realm.base)/\(tenantId)/v2.0"),
            "iat": .int(now), "nbf": .int(now), "exp": .int(now + accessTokenLifetime), "appid": .string(grant.clientId),
            "azp": .string(grant.clientId), "azpacr": "0", "name": .string(user.name),
            "oid": user.objectIds[tenantId].map { .string($0) }, "preferred_username": .string(user.username),
            "roles": user.username == "ada@contoso.example" ? .array(["Reader"]) : nil, "scp": .string(names.joined(separator: " ")),
            "sub": .string(subject(of: user, client: grant.clientId, tenantId: tenantId)), "tid": .string(tenantId),
            "uti": .string(Chance.token(16)), "ver": "2.0",
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
    ) throws(Refusal) -> JSON {
        do {
            let accessToken = try keys.sign(accessClaims(grant), type: grant.realm.isEntra ? "JWT" : "at+jwt")
            accessTokens[accessToken] = AccessToken(
                clientId: grant.clientId, username: grant.user.username, scope: grant.granted.joined(separator: " "),
                issuedAt: now, expiresAt: now + accessTokenLifetime)
            var idToken: String?
            if grant.scopes.isOpenID, by != .missing {
                idToken = try keys.sign(idClaims(grant, accessToken: accessToken, bent: by), type: "JWT", bent: by)
            }
            let entra = grant.realm.isEntra
            let long = accessTokenLifetime > 7200
            return .members([
                "token_type": "Bearer", "scope": .string(grant.granted.joined(separator: " ")), "expires_in": .int(accessTokenLifetime),
                "ext_expires_in": entra ? .int(accessTokenLifetime) : nil,
                "refresh_in": entra && long ? .int(accessTokenLifetime / 2) : nil, "access_token": .string(accessToken),
                "refresh_token": refreshToken.map { .string($0) }, "id_token": idToken.map { .string($0) },
                "foci": entra && family ? "1" : nil,
                "client_info": entra && clientInfo ? Ledger.clientInfo(grant.user).map { .string($0) } : nil,
            ])
        } catch {
            throw Refusal("server_error", "the token could not be signed", status: 500)
        }
    }

    static func clientInfo(_ user: User) -> String? {
        guard let uid = user.homeObjectId, let utid = user.homeTenant else { return nil }
        return Base64URL.encode(Array(JSON.members(["uid": .string(uid), "utid": .string(utid)]).text.utf8))
    }
}
