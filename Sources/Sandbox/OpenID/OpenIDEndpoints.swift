/// What only the plain issuer has, or has in the standard's form: userinfo, revocation, introspection, registration,
/// sign-out.
extension ProviderState {
    /// OpenID Connect Core section 5.3.
    mutating func userinfo(_ inquiry: SandboxRequest, in realm: HostedIssuer) -> Answer {
        guard let secret = presentedToken(inquiry, in: realm), let token = accessTokens[secret], token.expiresAt > now,
            let user = user(token.username)
        else {
            var answer = Answer.json(.members(["error": "invalid_token"]), status: 401)
            answer.headers.append(("WWW-Authenticate", "Bearer error=\"invalid_token\""))
            return answer
        }
        let granted = token.scope.split(separator: " ")
        let profile = realm.isEntra || realm.shape == .adfs || granted.contains("profile")
        return .json(
            habitual(
                .members([
                    "sub": .string(
                        has(.userinfoOfAnother) && !realm.isEntra
                            ? "somebody-else"
                            : subject(of: user, client: token.clientId, tenantId: realm.isEntra ? user.homeTenant : nil)
                    ),
                    "name": profile ? .string(user.name) : nil,
                    "preferred_username": profile ? .string(user.username) : nil,
                    "email": granted.contains("email") ? .string(user.username) : nil,
                ])))
    }

    /// The access token of a request to the plain issuer's own resource: a bound one only with its proof (RFC 9449
    /// section 7).
    private mutating func presentedToken(_ inquiry: SandboxRequest, in realm: HostedIssuer) -> String? {
        let words = (inquiry.headers["authorization"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, let token = accessTokens[words[1]], token.provider == realm.provider else { return nil }
        switch (words[0].lowercased(), token.thumbprint) {
        case ("bearer", nil): return words[1]
        case ("dpop", let bound?):
            guard let proof = inquiry.headers["dpop"],
                let shown = try? checkedProof(
                    proof, method: inquiry.method, address: realm.issuer + "/userinfo", token: words[1])
            else { return nil }
            return shown == bound ? words[1] : nil
        default: return nil
        }
    }

    /// RFC 7009. An unknown token is as good as revoked (section 2.2).
    mutating func revocation(_ inquiry: SandboxRequest, in realm: HostedIssuer) throws(OAuthErrorResponse) -> Answer {
        if has(.noRevocation) { return .empty(404) }
        if has(.revocationRefused) {
            throw OAuthErrorResponse("invalid_client", "client authentication is required", status: 401)
        }
        let client = try client(of: inquiry, in: realm)
        guard let secret = inquiry.bodyForm["token"] else { throw .missing("token") }
        if let token = refreshTokens[secret], token.provider == realm.provider {
            guard token.clientId == client.clientId else {
                throw OAuthErrorResponse("unauthorized_client", "the token was issued to another client")
            }
            revoke(chain: token.chain)
        } else if let token = accessTokens[secret], token.provider == realm.provider {
            guard token.clientId == client.clientId else {
                throw OAuthErrorResponse("unauthorized_client", "the token was issued to another client")
            }
            accessTokens[secret] = nil
        }
        return .empty(200)
    }

    /// RFC 7662; a client learns about its own tokens only.
    func introspection(_ inquiry: SandboxRequest, in realm: HostedIssuer) throws(OAuthErrorResponse) -> JSON {
        let client = try client(of: inquiry, in: realm)
        guard let secret = inquiry.bodyForm["token"] else { throw .missing("token") }
        if let token = accessTokens[secret], token.clientId == client.clientId, token.expiresAt > now {
            return .members([
                "active": true, "scope": .string(token.scope), "client_id": .string(token.clientId),
                "username": .string(token.username),
                "sub": .string(token.username), "token_type": token.thumbprint == nil ? "Bearer" : "DPoP",
                "iat": .int(token.issuedAt),
                "exp": .int(token.expiresAt),
                "iss": .string(realm.issuer),
            ])
        }
        if let token = refreshTokens[secret], token.clientId == client.clientId, token.state == .live,
            token.expiresAt > now
        {
            return .members([
                "active": true, "scope": .string(token.granted.joined(separator: " ")),
                "client_id": .string(token.clientId),
                "username": .string(token.username), "exp": .int(token.expiresAt),
            ])
        }
        return .members(["active": false])
    }

    /// RFC 7591: public clients only, so no secret is given.
    mutating func register(_ inquiry: SandboxRequest) throws(OAuthErrorResponse) -> JSON {
        guard inquiry.method == "POST", let wish = try? JSON(parsing: inquiry.body), wish.members != nil else {
            throw OAuthErrorResponse("invalid_client_metadata", "the body is not a JSON object")
        }
        let redirects = wish["redirect_uris"]?.array?.compactMap(\.string) ?? []
        let grants = wish["grant_types"]?.array?.compactMap(\.string) ?? ["authorization_code"]
        guard redirects.count <= 16, redirects.allSatisfy(ProviderState.mayRegister),
            !redirects.isEmpty || !grants.contains("authorization_code")
        else {
            throw OAuthErrorResponse(
                "invalid_redirect_uri", "redirect URIs are loopback, https, or of a private-use scheme with a dot")
        }
        if has(.registrationStrictGrants),
            grants.contains(where: { $0 != "authorization_code" && $0 != "refresh_token" })
        {
            throw OAuthErrorResponse("invalid_client_metadata", "a grant type is not allowed")
        }
        let scopes = (wish["scope"]?.string ?? "").split(separator: " ").map(String.init)
        if has(.registrationStrictScopes), scopes.contains(where: { !["openid", "profile"].contains($0) }) {
            throw OAuthErrorResponse("invalid_client_metadata", "a scope is not allowed")
        }
        let name = String((wish["client_name"]?.string ?? "A registered client").prefix(120))
        let logouts = wish["post_logout_redirect_uris"]?.array?.compactMap(\.string) ?? []
        let client = Client(
            clientId: (has(.registrationSlashes) ? "https://clients.example/dyn/" : "dyn-") + RandomValue.token(12),
            name: name, family: false,
            kind: .openID, redirectUris: redirects,
            postLogoutRedirectUris: Array(logouts.prefix(16)))
        clients[client.clientId] = client
        let asText = has(.registrationTextTimes)
        let isConfidential = has(.registrationConfidential)
        let secret = has(.registrationSecret) || isConfidential ? RandomValue.token() : nil
        return .members([
            "client_id": .string(client.clientId), "client_id_issued_at": asText ? .string(String(now)) : .int(now),
            "client_secret": secret.map { .string($0) },
            "client_secret_expires_at": secret.map { _ in asText ? "0" : 0 },
            "client_name": .string(name),
            "redirect_uris": .strings(redirects), "post_logout_redirect_uris": .strings(client.postLogoutRedirectUris),
            "grant_types": .strings(grants), "response_types": .strings(["code"]),
            "token_endpoint_auth_method": isConfidential ? nil : "none",
            "scope": wish["scope"]?.string.map { .string($0) },
            "application_type": .string(wish["application_type"]?.string ?? "native"),
        ])
    }

    private static func mayRegister(_ uri: String) -> Bool {
        guard uri.utf8.count <= 512, !uri.contains("#"), uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return false
        }
        if uri.hasPrefix("http://") { return Redirect.loopback(uri) != nil }
        // RFC 8252 section 7.1: a private-use scheme is a domain name turned around.
        return uri.hasPrefix("https://") || (uri.split(separator: ":").first?.contains(".") ?? false)
    }

    /// OpenID Connect RP-Initiated Logout. A URI that is not registered is not followed: the page says that it is over.
    mutating func signOut(_ inquiry: SandboxRequest, in realm: HostedIssuer) -> Answer {
        if realm.shape == .openID, has(.noEndSession) { return .empty(404) }
        let form = inquiry.form
        let hinted = form["id_token_hint"].flatMap { keys.claims(of: $0) ?? sovereignKeys?.claims(of: $0) }
        if let cookie = inquiry.cookie(ProviderState.cookieName) {
            let leaving = form["logout_hint"]?.lowercased() ?? hinted?["preferred_username"]?.string
            if let leaving { sessions[cookie]?.removeAll { $0.username == leaving } } else { sessions[cookie] = nil }
        }
        guard let target = form["post_logout_redirect_uri"] else { return Pages.signedOut() }
        let clientId = hinted?["aud"]?.string ?? form["client_id"]
        let named = clientId.flatMap { clients[$0] }.map { [$0] }
        let candidates = named ?? (realm.shape == .openID ? [] : clients.values.filter { $0.kind == realm.clientKind })
        if has(.exactPostLogout),
            !candidates.contains(where: { ($0.postLogoutRedirectUris + $0.redirectUris).contains(target) })
        {
            return Pages.failure(OAuthErrorResponse("invalid_request", "Invalid post logout URI."))
        }
        guard candidates.contains(where: { $0.kind == realm.clientKind && $0.allows(postLogout: target) }) else {
            return Pages.signedOut()
        }
        let back = has(.logoutDropsState) ? target : Form([("state", form["state"])]).appended(to: target)
        return has(.logoutPage) ? Pages.confirmSignOut(to: back) : .redirect(to: back)
    }
}
