/// Dynamic client registration, RFC 7591, and the management of a registration, RFC 7592.
enum RegistrationEndpoint {
    /// The OpenID Connect issuer registers only public clients.
    static func answer(
        _ request: SandboxRequest, in issuer: HostedIssuer, clients: inout Clients, quirks: Quirks, now: Int
    ) throws(OAuthErrorResponse) -> JSON {
        guard request.method == "POST", let wish = try? JSON(parsing: request.body), wish.members != nil else {
            throw OAuthErrorResponse("invalid_client_metadata", "the body is not a JSON object")
        }
        let redirects = wish["redirect_uris"]?.array?.compactMap(\.string) ?? []
        let grants = wish["grant_types"]?.array?.compactMap(\.string) ?? ["authorization_code"]
        guard redirects.count <= 16, redirects.allSatisfy(mayRegister),
            !redirects.isEmpty || !grants.contains("authorization_code")
        else {
            throw OAuthErrorResponse(
                "invalid_redirect_uri", "redirect URIs are loopback, https, or of a private-use scheme with a dot")
        }
        if quirks.has(.registrationStrictGrants),
            grants.contains(where: { $0 != "authorization_code" && $0 != "refresh_token" })
        {
            throw OAuthErrorResponse("invalid_client_metadata", "a grant type is not allowed")
        }
        let scopes = (wish["scope"]?.string ?? "").split(separator: " ").map(String.init)
        if quirks.has(.registrationStrictScopes), scopes.contains(where: { !["openid", "profile"].contains($0) }) {
            throw OAuthErrorResponse("invalid_client_metadata", "a scope is not allowed")
        }
        let name = String((wish["client_name"]?.string ?? "A registered client").prefix(120))
        let logouts = wish["post_logout_redirect_uris"]?.array?.compactMap(\.string) ?? []
        let method = try method(wish, in: issuer, quirks: quirks)
        let gives = method != HostedClient.Authentication.none || quirks.has(.registrationSecret)
        let secret = gives ? RandomValue.token() : nil
        let client = HostedClient(
            clientId: (quirks.has(.registrationSlashes) ? "https://clients.example/dyn/" : "dyn-")
                + RandomValue.token(12),
            name: name, family: false,
            kind: issuer.clientKind, redirectUris: redirects,
            postLogoutRedirectUris: Array(logouts.prefix(16)), onlyTenant: issuer.oauth?.name,
            secret: method == .none ? nil : secret, methods: [method])
        let managed = clients.register(client)
        let asText = quirks.has(.registrationTextTimes)
        let isConfidential = quirks.has(.registrationConfidential)
        return .members([
            "client_id": .string(client.clientId), "client_id_issued_at": asText ? .string(String(now)) : .int(now),
            "client_secret": secret.map { .string($0) },
            "client_secret_expires_at": secret.map { _ in asText ? "0" : 0 }, "client_name": .string(name),
            "redirect_uris": .strings(redirects), "post_logout_redirect_uris": .strings(client.postLogoutRedirectUris),
            "grant_types": .strings(grants), "response_types": .strings(["code"]),
            "token_endpoint_auth_method": isConfidential ? nil : .string(method.rawValue),
            "scope": wish["scope"]?.string.map { .string($0) },
            "application_type": .string(wish["application_type"]?.string ?? "native"),
            "registration_client_uri": .string("\(issuer.identifier)/register/\(managed.handle)"),
            "registration_access_token": .string(managed.token),
        ])
    }

    /// RFC 7591 section 2: without a wish, a client is confidential.
    private static func method(_ wish: JSON, in issuer: HostedIssuer, quirks: Quirks) throws(OAuthErrorResponse)
        -> HostedClient.Authentication
    {
        if quirks.has(.registrationConfidential) { return .basic }
        guard issuer.oauth != nil else { return .none }
        if quirks.has(.registrationSecret) { return .post }
        guard let name = wish["token_endpoint_auth_method"]?.string else { return .basic }
        guard let method = HostedClient.Authentication(rawValue: name) else {
            throw OAuthErrorResponse("invalid_client_metadata", "the authentication method is not supported")
        }
        return method
    }

    /// RFC 7592 section 2: reading and deleting a registration, with its access token.
    static func manage(_ request: SandboxRequest, in issuer: HostedIssuer, clients: inout Clients) -> SandboxResponse {
        let handle = request.segments.last ?? ""
        guard let client = clients.registered(handle, token: request.bearerToken), issuer.admits(client) else {
            var answer = SandboxResponse.json(.members(["error": "invalid_token"]), status: 401)
            answer.headers.append(("WWW-Authenticate", "Bearer error=\"invalid_token\""))
            return answer
        }
        switch request.method {
        case "GET":
            return .json(
                .members([
                    "client_id": .string(client.clientId), "client_secret": client.secret.map { .string($0) },
                    "client_name": .string(client.name), "redirect_uris": .strings(client.redirectUris),
                ]))
        case "DELETE":
            clients.remove(handle)
            return .empty(204)
        default: return .empty(405)
        }
    }

    private static func mayRegister(_ uri: String) -> Bool {
        guard uri.utf8.count <= 512, !uri.contains("#"), uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return false
        }
        if uri.hasPrefix("http://") { return Redirect.loopback(uri) != nil }
        // RFC 8252 section 7.1: a private-use scheme is a reversed domain name.
        return uri.hasPrefix("https://") || (uri.split(separator: ":").first?.contains(".") ?? false)
    }
}
