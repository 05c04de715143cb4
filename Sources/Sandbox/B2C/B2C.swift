import FoundationEssentials

/// Azure AD B2C in its documents and responses: each policy has its own endpoints, sign-in and account.
extension DiscoveryDocuments {
    static func b2c(_ issuer: HostedIssuer) -> JSON {
        let root = "\(issuer.base)/\(issuer.segment)"
        return .members([
            "issuer": .string(issuer.identifier),
            "authorization_endpoint": .string("\(root)/oauth2/v2.0/authorize"),
            "token_endpoint": .string("\(root)/oauth2/v2.0/token"),
            "end_session_endpoint": .string("\(root)/oauth2/v2.0/logout"),
            "jwks_uri": .string("\(root)/discovery/v2.0/keys"),
            "response_modes_supported": .strings(["query", "fragment", "form_post"]),
            "response_types_supported": .strings(["code", "code id_token", "id_token"]),
            "scopes_supported": .strings(["openid"]),
            "subject_types_supported": .strings(["pairwise"]),
            "id_token_signing_alg_values_supported": .strings(["RS256"]),
            "token_endpoint_auth_methods_supported": .strings(["client_secret_post", "client_secret_basic"]),
            "claims_supported": .strings([
                "oid", "name", "emails", "newUser", "tfp", "acr", "sub", "iss", "iat", "exp", "aud", "nonce",
            ]),
        ])
    }
}

extension Scopes {
    /// B2C has no user consent: an administrator grants permissions, and any others are an error. The client ID as a
    /// scope requests an access token for the application itself.
    init(b2c text: String) throws(OAuthErrorResponse) {
        try self.init(plain: text)
        let apps = Directory.clients.filter { $0.kind == .b2c }.map(\.clientId)
        var resources: Set<String> = []
        for scope in resourceScopes {
            guard Directory.b2cScopes.contains(scope) || apps.contains(scope) else {
                throw .b2c(
                    90205, "unauthorized_client",
                    "This application does not have sufficient permissions against this web resource.")
            }
            resources.insert(apps.contains(scope) ? scope : Scopes.split(scope).resource)
        }
        guard resources.count < 2 else {
            throw .b2c(
                90146, "invalid_request",
                "The scope '\(text)' provided in request specifies more than one resource for an access token.")
        }
        resource = resources.first
    }
}

extension OAuthErrorResponse {
    static func b2c(_ code: Int, _ error: String, _ description: String) -> OAuthErrorResponse {
        var refusal = OAuthErrorResponse(error, description, code: code)
        refusal.origin = .b2c
        return refusal
    }

    static let forgotPassword = b2c(90118, "access_denied", "The user has forgotten their password.")
    static let cancelledAtB2C = b2c(
        90091, "access_denied", "The user has cancelled entering self-asserted information.")

    static func otherPolicy(_ actual: HostedIssuer, _ expected: HostedIssuer) -> OAuthErrorResponse {
        b2c(
            90088, "invalid_grant",
            """
            The provided grant has not been issued for this endpoint. Actual Value : \(actual.policy ?? "") and \
            Expected Value : \(expected.policy ?? "")
            """
        )
    }
}

extension TokenMint {
    private func b2cClaims(_ grant: Grant, audience: String) -> JSON {
        let user = grant.user
        let oid = user.homeObjectId ?? ""
        var claims = JSON.members([
            "ver": "1.0", "iss": .string(grant.issuer.identifier), "sub": .string(oid), "aud": .string(audience),
            "iat": .int(now),
            "nbf": .int(now), "exp": .int(now + accessTokenLifetime), "auth_time": .int(grant.authTime),
            "oid": .string(oid),
            "name": .string(user.name), "emails": .strings([user.username]),
            "newUser": people.newcomers[user.username] == nil || grant.issuer.policy != Directory.signUpPolicy
                ? nil : true,
        ])
        // Addresses of the oldest form use the older name of this claim.
        if case .b2c(let policy, let form) = grant.issuer.shape {
            claims[form == .te ? "acr" : "tfp"] = .string(form == .te ? policy.lowercased() : policy)
        }
        return claims
    }

    /// Without preferred_username and tid; `emails` is a list.
    func b2cIDClaims(_ grant: Grant) -> JSON {
        var claims = b2cClaims(grant, audience: grant.clientId)
        claims["nonce"] = grant.nonce.map { .string($0) }
        return claims
    }

    /// Without an API permission or the client ID among the scopes, there is no access token.
    func b2cAnswer(_ grant: Grant, refreshToken: String?, keys: inout CloudKeys, tokens: inout IssuedTokens) throws
        -> JSON
    {
        var accessToken: String?
        if let resource = grant.scopes.resource {
            var claims = b2cClaims(grant, audience: resource)
            claims["azp"] = .string(grant.clientId)
            claims["scp"] = .string(
                grant.scopes.resourceScopes.filter { $0 != resource }.map { Scopes.split($0).name }.joined(
                    separator: " "))
            let made = try keys.sign(claims, in: grant.issuer, type: "JWT")
            tokens.access[made] = remembered(grant)
            accessToken = made
        }
        let idToken = try idToken(grant, accessToken: accessToken, keys: &keys)
        let lasts = accessToken == nil ? nil : accessTokenLifetime
        return .members([
            "access_token": accessToken.map { .string($0) }, "id_token": idToken.map { .string($0) },
            "token_type": "Bearer", "not_before": .int(now), "expires_in": lasts.map { .int($0) },
            "expires_on": lasts.map { .int(now + $0) }, "resource": grant.scopes.resource.map { .string($0) },
            "id_token_expires_in": idToken == nil ? nil : 3600,
            "client_info": TokenMint.clientInfo(grant.user, in: grant.issuer).map { .string($0) },
            "scope": .string(accessToken == nil ? "" : grant.granted.sorted().joined(separator: " ")),
            "refresh_token": refreshToken.map { .string($0) },
            "refresh_token_expires_in": refreshToken == nil ? nil : .int(RefreshToken.b2cLifetime),
        ])
    }
}
