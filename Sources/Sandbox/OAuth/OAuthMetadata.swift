/// The metadata of the OAuth servers that have any.
extension DiscoveryDocuments {
    static func google(_ issuer: HostedIssuer) -> JSON {
        let root = issuer.identifier
        return .members([
            "issuer": .string(root), "authorization_endpoint": .string("\(root)/o/oauth2/v2/auth"),
            "device_authorization_endpoint": .string("\(root)/device/code"),
            "token_endpoint": .string("\(root)/token"), "userinfo_endpoint": .string("\(root)/v1/userinfo"),
            "revocation_endpoint": .string("\(root)/revoke"), "jwks_uri": .string("\(root)/oauth2/v3/certs"),
            "response_types_supported": .strings(["code", "token", "id_token", "none"]),
            "response_modes_supported": .strings(["query", "fragment", "form_post"]),
            "subject_types_supported": .strings(["public"]),
            "id_token_signing_alg_values_supported": .strings(["RS256"]),
            "scopes_supported": .strings(["openid", "email", "profile"]),
            "token_endpoint_auth_methods_supported": .strings(["client_secret_post", "client_secret_basic"]),
            "claims_supported": .strings(["aud", "email", "email_verified", "exp", "iat", "iss", "name", "sub"]),
            "code_challenge_methods_supported": .strings(["plain", "S256"]),
            "grant_types_supported": .strings(["authorization_code", "refresh_token", DeviceGrant.grantType]),
        ])
    }

    /// RFC 8414 section 2.
    static func plainOAuth(_ issuer: HostedIssuer) -> JSON {
        let root = issuer.identifier
        let methods: JSON = .strings(["none", "client_secret_basic", "client_secret_post"])
        return .members([
            "issuer": .string(root), "authorization_endpoint": .string("\(root)/authorize"),
            "token_endpoint": .string("\(root)/token"), "response_types_supported": .strings(["code"]),
            "device_authorization_endpoint": .string("\(root)/device"),
            "revocation_endpoint": .string("\(root)/revoke"),
            "introspection_endpoint": .string("\(root)/introspect"),
            "userinfo_endpoint": .string("\(root)/userinfo"), "registration_endpoint": .string("\(root)/register"),
            "scopes_supported": .strings(OAuthServer.plainScopes),
            "response_modes_supported": .strings(["query", "fragment", "form_post"]),
            "grant_types_supported": .strings(["authorization_code", "refresh_token", DeviceGrant.grantType]),
            "code_challenge_methods_supported": .strings(["S256"]),
            "token_endpoint_auth_methods_supported": methods, "revocation_endpoint_auth_methods_supported": methods,
            "introspection_endpoint_auth_methods_supported": methods,
            "authorization_response_iss_parameter_supported": true,
        ])
    }
}
