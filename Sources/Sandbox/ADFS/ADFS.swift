/// AD FS 2019: OpenID Connect with separate issuers, user principal names, and none of Entra ID's additions.
extension DiscoveryDocuments {
    static func adfs(_ issuer: HostedIssuer) -> JSON {
        let root = issuer.identifier
        return .members([
            "issuer": .string(issuer.identifier),
            // AD FS ends it with a slash.
            "authorization_endpoint": .string("\(root)/oauth2/authorize/"),
            "token_endpoint": .string("\(root)/oauth2/token/"),
            "jwks_uri": .string("\(root)/discovery/keys"),
            "token_endpoint_auth_methods_supported": .strings([
                "client_secret_post", "client_secret_basic", "private_key_jwt",
            ]),
            "response_types_supported": .strings(["code", "id_token", "code id_token"]),
            "response_modes_supported": .strings(["query", "fragment", "form_post"]),
            "grant_types_supported": .strings([
                "authorization_code", "refresh_token", DeviceGrant.grantType, "device_code",
            ]),
            "subject_types_supported": .strings(["pairwise"]),
            "scopes_supported": .strings(["allatclaims", "openid", "profile", "email", "user_impersonation"]),
            "id_token_signing_alg_values_supported": .strings(["RS256"]),
            "access_token_issuer": .string(accessTokenIssuer(issuer)),
            "claims_supported": .strings([
                "aud", "iss", "iat", "exp", "auth_time", "nonce", "at_hash", "sub", "upn", "unique_name", "sid", "nbf",
            ]),
            "microsoft_multi_refresh_token": true,
            "userinfo_endpoint": .string("\(root)/userinfo"),
            "capabilities": .array([]),
            "end_session_endpoint": .string("\(root)/oauth2/logout"),
            "frontchannel_logout_supported": true,
            "device_authorization_endpoint": .string("\(root)/oauth2/devicecode"),
        ])
    }

    /// Access tokens and ID tokens have different issuers.
    static func accessTokenIssuer(_ issuer: HostedIssuer) -> String {
        "http://" + (issuer.base.split(separator: "/").last.map(String.init) ?? "") + "/adfs/services/trust"
    }
}

extension OAuthErrorResponse {
    static func adfs(_ code: Int, _ error: String, _ description: String) -> OAuthErrorResponse {
        var refusal = OAuthErrorResponse(error, description, code: code)
        refusal.origin = .adfs
        return refusal
    }
}

extension User {
    /// The down-level name: `CORP\barbara`.
    var domainName: String {
        let halves = username.split(separator: "@", maxSplits: 1)
        guard halves.count == 2, let domain = halves[1].split(separator: ".").first else { return username }
        return domain.uppercased() + "\\" + halves[0]
    }
}

extension TokenMint {
    func adfsIDClaims(_ grant: Grant) -> JSON {
        .members([
            "aud": .string(grant.clientId), "iss": .string(grant.issuer.identifier), "iat": .int(now), "nbf": .int(now),
            "exp": .int(now + 3600), "auth_time": .int(grant.authTime), "nonce": grant.nonce.map { .string($0) },
            "sub": .string(adfsSubject(grant)), "upn": .string(grant.user.username),
            "unique_name": .string(grant.user.domainName),
            "sid": "S-1-5-21-1004336348-1177238915-682003330-1001",
        ])
    }

    private func adfsSubject(_ grant: Grant) -> String {
        Base64URLCoding.encode(Digest.sha256("\(grant.user.username)|\(grant.clientId)|adfs"))
    }

    func adfsAnswer(_ grant: Grant, refreshToken: String?, keys: inout CloudKeys, tokens: inout IssuedTokens) throws
        -> JSON
    {
        let resource = grant.scopes.resourceScopes.first.map { Scopes.split($0).resource } ?? "urn:microsoft:userinfo"
        let accessToken = try keys.sign(
            .members([
                "aud": .string(resource), "iss": .string(DiscoveryDocuments.accessTokenIssuer(grant.issuer)),
                "iat": .int(now), "nbf": .int(now), "exp": .int(now + accessTokenLifetime), "apptype": "Public",
                "appid": .string(grant.clientId), "ver": "1.0", "sub": .string(adfsSubject(grant)),
                "upn": .string(grant.user.username),
                "scp": .string(grant.granted.map { Scopes.split($0).name }.joined(separator: " ")),
                "auth_time": .int(grant.authTime),
            ]), in: grant.issuer, type: "JWT")
        tokens.access[accessToken] = remembered(grant)
        let idToken = try idToken(grant, accessToken: accessToken, keys: &keys)
        return .members([
            "access_token": .string(accessToken), "token_type": "bearer", "expires_in": .int(accessTokenLifetime),
            "resource": .string(resource), "refresh_token": refreshToken.map { .string($0) },
            "refresh_token_expires_in": refreshToken == nil ? nil : .int(RefreshToken.adfsLifetime),
            "scope": .string(grant.granted.joined(separator: " ")), "id_token": idToken.map { .string($0) },
        ])
    }
}
