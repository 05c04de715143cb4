package import FoundationEssentials
package import Identity
package import Proofs
import StrictJSON

/// The token endpoint, RFC 6749 sections 4.1.3 and 6. The client ID is in the body; a public client has no secret.
package struct TokenEndpoint: Sendable {
    let metadata: ProviderMetadata
    let clientID: String
    let authentication: ClientAuthentication?
    let isEntra: Bool
    let correlationID: UUID
    let transport: Transport
    let binding: TokenBinding
    let now: @Sendable () -> Date

    /// - Parameters:
    ///   - authentication: nil for a public client.
    ///   - isEntra: whether to send Entra ID's extensions: `client_info`, correlation and routing headers.
    ///   - binding: the requested binding; the response must have its type.
    package init(
        metadata: ProviderMetadata, clientID: String, authentication: ClientAuthentication? = nil, isEntra: Bool,
        correlationID: UUID, transport: Transport, binding: TokenBinding = .bearer,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.binding = binding
        self.now = now
        self.metadata = metadata
        self.clientID = clientID
        self.authentication = authentication
        self.isEntra = isEntra
        self.correlationID = correlationID
        self.transport = transport
    }

    /// RFC 6749 section 4.1.3 with RFC 7636 section 4.5. `redirectURI` is exactly as in the authorization request.
    package func redeem(
        code: Secret, verifier: Secret, redirectURI: String, scopes: ScopeSet, claims: String?, resource: String? = nil
    ) async throws(WireError) -> TokenAnswer {
        try await ask(
            "authorization_code",
            [
                ("code", code.reveal()), ("code_verifier", verifier.reveal()), ("redirect_uri", redirectURI),
                ("scope", isEntra ? scopes.withReserved.description : nil), ("claims", claims), ("resource", resource),
            ])
    }

    /// RFC 6749 section 6.
    ///
    /// - Parameters:
    ///   - scopes: sent to Entra ID, which requires them. Elsewhere they are omitted, which means the granted ones: a
    ///     plain provider rejects scopes that it never granted.
    ///   - anchor: the home account id if known, a routing hint for Entra ID.
    ///   - instanceAware: as in the sign-in: whether Entra ID may respond for the user's own cloud.
    ///   - resource: the resource indicator, RFC 8707 section 2.2.
    ///   - patience, onSent: see ``HTTPRequest``.
    ///   - agentSession: visible ASCII; sent to Entra ID in the query and in the form, like Azure CLI does.
    ///   - narrows: whether the scopes, a part of those granted, are sent to other providers too.
    /// - Throws: ``WireError``; a refusal is a result. `throttled` and `serverFailure` do not spend the token.
    package func refresh(
        token: Secret, scopes: ScopeSet, claims: String?, anchor: String?, instanceAware: Bool = false,
        resource: String? = nil, agentSession: String? = nil, narrows: Bool = false, patience: Duration? = nil,
        onSent: (@Sendable () -> Void)? = nil
    ) async throws(WireError) -> TokenAnswer {
        // As in a sign-in: without offline_access, some providers issue a refresh token of the session.
        let narrow = narrows ? Self.wireScopes(scopes, reserved: nil, metadata, isEntra: false) : nil
        return try await ask(
            "refresh_token",
            [
                ("refresh_token", token.reveal()), ("scope", isEntra ? scopes.withReserved.description : narrow),
                ("claims", claims), ("instance_aware", isEntra && instanceAware ? "true" : nil),
                ("resource", resource),
            ], anchor: anchor, agentSession: agentSession, patience: patience, onSent: onSent)
    }

    /// RFC 8628 section 3.4. `authorization_pending` and `slow_down` are results, for ``DevicePolling``.
    package func poll(device: Secret, resource: String? = nil) async throws(WireError) -> TokenAnswer {
        try await ask(
            "urn:ietf:params:oauth:grant-type:device_code", [("device_code", device.reveal()), ("resource", resource)],
            resend: .never)
    }

    /// The value of `scope`; only this adds scopes.
    ///
    /// Requested scopes are never dropped: a provider may know more than it announces (OpenID Connect Discovery section
    /// 3, `scopes_supported`). `openid` is added, and without a choice `profile` and `offline_access`; the latter only
    /// if the provider announces it or no scopes at all, as some reject unknown scopes. Entra ID gets all three, and a
    /// server with OAuth 2.0 alone none.
    ///
    /// - Parameter reserved: chosen ones of `openid`, `profile` and `offline_access`; nil without a choice.
    static func wireScopes(_ scopes: ScopeSet, reserved: ScopeSet?, _ metadata: ProviderMetadata, isEntra: Bool)
        -> String
    {
        if isEntra { return scopes.withReserved.description }
        if metadata.isOAuthOnly { return scopes.names.joined(separator: metadata.habits.scopeSeparator) }
        if let reserved { return scopes.union(["openid"]).union(reserved.reservedOnly).description }
        let knowsOffline = metadata.scopes.isEmpty || metadata.scopes.contains("offline_access")
        return scopes.union(knowsOffline ? ["openid", "profile", "offline_access"] : ["openid", "profile"]).description
    }

    /// - Parameter resend: polls have their own interval; other requests may be resent if nothing was spent.
    private func ask(
        _ grantType: String, _ fields: [(String, String?)], anchor: String? = nil,
        agentSession: String? = nil, resend: HTTPRequest.Resend = .ifUnspent, patience: Duration? = nil,
        onSent: (@Sendable () -> Void)? = nil
    ) async throws(WireError) -> TokenAnswer {
        var body: [(name: String, value: String)] = [("client_id", clientID), ("grant_type", grantType)]
        for (name, value) in fields { if let value { body.append((name, value)) } }
        if isEntra { body.append(("client_info", "1")) }
        var endpoint = metadata.token
        if let agentSession {
            let field = (name: "client_session", value: agentSession)
            body.append(field)
            let text = endpoint.text + (endpoint.query == nil ? "?" : "&") + FormEncoding.encode([field])
            do { endpoint = try WebAddress(text) } catch { throw .badEndpoint(name: "token endpoint", error) }
        }
        if case .pop(let key) = binding {
            body += [("token_type", "pop"), ("req_cnf", SignedHTTPRequest.confirmation(of: key))]
        }
        let isRefresh = grantType == "refresh_token"
        // Entra ID's refresh tokens can be reused, so a lost connection costs nothing. Elsewhere it may have cost the
        // token: a provider with a grace period repeats its response, and with any other there is nothing left to lose.
        // After a timeout the response may still arrive.
        var request = HTTPRequest(
            endpoint, body: .form(body),
            headers: isEntra ? Self.entraHeaders(correlationID, product: transport.product, anchor: anchor) : [],
            resend: isRefresh ? .always : resend)
        (request.patience, request.onSent) = (patience, onSent)
        request.authenticate(clientID, authentication)
        if metadata.habits.sendsJSON, case .form(let fields) = request.body {
            request.body = .json(FormEncoding.object(fields))
        }
        guard case .dpop(let key, let nonces) = binding else {
            return try read(try await transport.send(request), isRefresh: isRefresh)
        }
        let address = metadata.token
        // A proof is valid for one request (RFC 9449 section 11.1), so each attempt has its own.
        request.proof = { [now] () throws(WireError) in
            (
                "DPoP",
                try DPoPProof.make(method: "POST", address: address, key: key, nonce: nonces[address], now: now())
                    .reveal()
            )
        }
        if !isRefresh { request.resend = .never }
        let before = nonces[metadata.token]
        var reply = try await transport.send(request)
        nonces.keep(reply.header("dpop-nonce"), from: metadata.token)
        // Resend with the requested nonce; the server has spent nothing when it requests one.
        if asksForNonce(reply), let nonce = nonces[metadata.token], nonce != before {
            reply = try await transport.send(request)
            nonces.keep(reply.header("dpop-nonce"), from: metadata.token)
        }
        return try read(reply, isRefresh: isRefresh)
    }

    private func asksForNonce(_ reply: HTTPReply) -> Bool {
        [400, 401].contains(reply.status) && (try? reply.object()["error"]?.string) == "use_dpop_nonce"
    }

    /// Also for the device endpoint.
    static func entraHeaders(_ correlationID: UUID, product: String, anchor: String?) -> [(name: String, value: String)]
    {
        var headers: [(name: String, value: String)] = [
            ("client-request-id", correlationID.uuidString.lowercased()), ("return-client-request-id", "true"),
            ("x-client-sku", product),
            ("x-ms-lib-capability", "retry-after, h429"),
        ]
        if let anchor, let dot = anchor.lastIndex(of: "."), anchor.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            headers.append(("x-anchormailbox", "Oid:\(anchor[..<dot])@\(anchor[anchor.index(after: dot)...])"))
        }
        return headers
    }

    private func read(_ reply: HTTPReply, isRefresh: Bool) throws(WireError) -> TokenAnswer {
        try reply.requireService()
        guard (200..<300).contains(reply.status) else {
            let error = try OAuthError(answer: reply, isRefresh: isRefresh, isEntra: isEntra)
            return .refused(metadata.isOAuthOnly ? error.standard(isRefresh: isRefresh) : error)
        }
        var object = metadata.isOAuthOnly ? try reply.objectOrForm() : try reply.object()
        // Some providers send errors with status 200. Section 5.1 has no `error`: such a response is a refusal.
        if let error = OAuthError(object: object, of: reply) {
            return .refused(metadata.isOAuthOnly ? error.standard(isRefresh: isRefresh) : error)
        }
        if let member = metadata.habits.tokenMember, let nested = object[member]?.object { object = nested }
        var grant = TokenGrant(object, binding: binding, metadata, now: now())
        if reply.status != 200 {
            grant.accessToken = nil
            grant.flaw = grant.flaw ?? .untrusted(check: .tokenResponse, detail: "HTTP \(reply.status) instead of 200")
        }
        return .granted(grant)
    }
}
