/// Metadata documents for clients (OpenID Connect Discovery, RFC 8414, Entra ID's instance discovery).
enum DiscoveryDocuments {
    static func document(for issuer: HostedIssuer) -> JSON {
        switch issuer.shape {
        case .entra: entra(issuer)
        case .openID: plain(issuer)
        case .b2c: b2c(issuer)
        case .adfs: adfs(issuer)
        case .oauth(.google): google(issuer)
        case .oauth: plainOAuth(issuer)
        }
    }

    private static func entra(_ issuer: HostedIssuer) -> JSON {
        let root = "\(issuer.base)/\(issuer.segment)"
        return .members([
            "token_endpoint": .string("\(root)/oauth2/v2.0/token"),
            "token_endpoint_auth_methods_supported": .strings([
                "client_secret_post", "private_key_jwt", "client_secret_basic",
            ]),
            "jwks_uri": .string("\(root)/discovery/v2.0/keys"),
            "response_modes_supported": .strings(["query", "fragment", "form_post"]),
            "subject_types_supported": .strings(["pairwise"]),
            "id_token_signing_alg_values_supported": .strings(["RS256"]),
            "response_types_supported": .strings(["code"]),
            "scopes_supported": .strings(["openid", "profile", "email", "offline_access"]),
            "issuer": .string(issuer.identifier),
            "request_uri_parameter_supported": false,
            "userinfo_endpoint": .string("\(root)/openid/userinfo"),
            "authorization_endpoint": .string("\(root)/oauth2/v2.0/authorize"),
            "device_authorization_endpoint": .string("\(root)/oauth2/v2.0/devicecode"),
            "end_session_endpoint": .string("\(root)/oauth2/v2.0/logout"),
            "claims_supported": .strings([
                "sub", "iss", "aud", "exp", "iat", "nonce", "preferred_username", "name", "tid", "oid", "ver", "uti",
                "email",
            ]),
            "tenant_region_scope": issuer.cloud == .sovereign ? "SV" : "WW",
            "cloud_instance_name": issuer.cloud == .sovereign ? "sovereign.example" : "microsoftonline.com",
            "msgraph_host": issuer.cloud == .sovereign ? "graph.sovereign.example" : "graph.microsoft.com",
        ])
    }

    private static func plain(_ issuer: HostedIssuer) -> JSON {
        let root = issuer.identifier
        return .members([
            "issuer": .string(issuer.identifier),
            "authorization_endpoint": .string("\(root)/authorize"),
            "token_endpoint": .string("\(root)/token"),
            "device_authorization_endpoint": .string("\(root)/device"),
            "userinfo_endpoint": .string("\(root)/userinfo"),
            "jwks_uri": .string("\(root)/jwks"),
            "revocation_endpoint": .string("\(root)/revoke"),
            "introspection_endpoint": .string("\(root)/introspect"),
            "end_session_endpoint": .string("\(root)/logout"),
            "registration_endpoint": .string("\(root)/register"),
            "pushed_authorization_request_endpoint": .string("\(root)/par"),
            "scopes_supported": .strings(["openid", "profile", "email", "offline_access", "notes.read", "notes.write"]),
            "response_types_supported": .strings(["code"]),
            "response_modes_supported": .strings(["query", "fragment", "form_post"]),
            "grant_types_supported": .strings(["authorization_code", "refresh_token", DeviceGrant.grantType]),
            "code_challenge_methods_supported": .strings(["S256"]),
            "token_endpoint_auth_methods_supported": .strings(["none"]),
            "revocation_endpoint_auth_methods_supported": .strings(["none"]),
            "introspection_endpoint_auth_methods_supported": .strings(["none"]),
            "subject_types_supported": .strings(["public"]), "dpop_signing_alg_values_supported": .strings(["ES256"]),
            "id_token_signing_alg_values_supported": .strings(["RS256"]),
            "claims_supported": .strings([
                "sub", "iss", "aud", "exp", "iat", "nonce", "auth_time", "name", "preferred_username", "email",
            ]),
            "prompt_values_supported": .strings(["none", "login", "consent", "select_account", "create"]),
            "authorization_response_iss_parameter_supported": true,
            "claims_parameter_supported": false,
            "request_uri_parameter_supported": false,
        ])
    }

    /// `/common/discovery/instance`: the hosts of each cloud. Unknown hosts are rejected as at Entra ID.
    ///
    /// Each cloud here knows both of them and the public one: at Entra ID, each cloud answers for all.
    static func instance(_ request: SandboxRequest, origins: Origins) throws(OAuthErrorResponse) -> JSON {
        let query = request.queryForm
        guard let endpoint = query["authorization_endpoint"] else {
            throw OAuthErrorResponse(
                "invalid_request", "The request must contain the parameter 'authorization_endpoint'.", code: 90014)
        }
        let stranger = OAuthErrorResponse("invalid_instance", "Unknown or invalid instance.", code: 50049)
        let parts = endpoint.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        guard parts.count >= 3, parts[0] == "https:" || parts[0] == "http:" else { throw stranger }
        let host = parts[1].lowercased()
        let document: String
        if let base = origins.base(ofHost: host) {
            document = "\(base)/\(parts[2])"
        } else if publicHosts.contains(host) {
            document = "https://\(host)/\(parts[2])"
        } else {
            throw stranger
        }
        func group(_ aliases: [String], cache: String? = nil) -> JSON {
            let first = aliases.first ?? ""
            return .members([
                "preferred_network": .string(first), "preferred_cache": .string(cache ?? first),
                "aliases": .strings(aliases),
            ])
        }
        let hasPort = host.contains(":")
        return .members([
            "tenant_discovery_endpoint": .string("\(document)/v2.0/.well-known/openid-configuration"),
            "api-version": .string(query["api-version"] ?? "1.0"),
            "metadata": query["api-version"] == "1.1"
                ? .array([
                    group(publicHosts, cache: "login.windows.net"),
                    group(origins.hosts(of: .global, withPort: hasPort)),
                    group(origins.hosts(of: .sovereign, withPort: hasPort)),
                ]) : nil,
        ])
    }

    private static let publicHosts = [
        "login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net",
    ]
}
