package import Identity

package enum RevocationOutcome: Hashable, Sendable {
    case revoked
    case refused(String)
}

package enum SignOutReturn: Hashable, Sendable {
    case confirmed
    /// Without a state, as some providers drop it; any local program can send this.
    case unconfirmed
}

/// Sign-out at a provider: revocation (RFC 7009) and RP-initiated logout (OpenID Connect).
package enum SignOutEndpoints {
    /// RFC 7009 section 2.1.
    ///
    /// - Parameters:
    ///   - token: the refresh token, with which some providers also revoke its access tokens; or an access token.
    ///   - hint: `refresh_token` or `access_token`.
    ///   - form: the server's own form, if it is not RFC 7009's.
    ///   - authentication: nil for a public client.
    /// - Throws: ``WireError`` if the provider cannot be reached or is down: the token then remains valid.
    package static func revoke(
        _ token: Secret, hint: String, clientID: String, form: RevocationForm = .standard,
        authentication: ClientAuthentication? = nil, metadata: ProviderMetadata, transport: Transport
    ) async throws(WireError) -> RevocationOutcome {
        if let request = try form.request(token) { return try form.outcome(try await transport.send(request)) }
        guard let endpoint = metadata.revocation else { return .refused("not offered") }
        let fields: [(name: String, value: String)] = [
            ("token", token.reveal()), ("token_type_hint", hint), ("client_id", clientID),
        ]
        // Revoking twice does no harm.
        var request = HTTPRequest(endpoint, body: .form(fields), resend: .always)
        request.authenticate(clientID, authentication)
        let reply = try await transport.send(request)
        try reply.requireService()
        // RFC 7009 section 2.2: also for unknown tokens; the body is ignored.
        if (200...299).contains(reply.status) { return .revoked }
        let name = (try? reply.object()).flatMap { OAuthError(Claims($0), status: reply.status)?.error }
        // RFC 7009 section 2.2.1.
        if name == "unsupported_token_type" { return .refused("the provider does not revoke this kind of token") }
        return .refused(name.map { "refused (\($0))" } ?? "refused (HTTP \(reply.status))")
    }

    /// The page that ends the browser's session; nil if the provider has none.
    ///
    /// The ID token is sent as a hint if short enough for a URL; Entra ID and others need only the client ID.
    /// - Parameters:
    ///   - idTokenHint: nil to keep it out of the browser's history. AD FS does not return without it.
    ///   - logoutHint: Entra ID's `login_hint` claim, or the username.
    ///   - postLogoutRedirectURI: exactly as registered.
    ///   - state: random, for this sign-out only; returned by the browser.
    package static func endSessionAddress(
        metadata: ProviderMetadata, idTokenHint: Secret?, logoutHint: String?, clientID: String,
        postLogoutRedirectURI: String? = nil,
        state: String? = nil
    ) -> WebAddress? {
        guard let endpoint = metadata.endSession else { return nil }
        var fields: [(name: String, value: String)] = [("client_id", clientID)]
        if let logoutHint { fields.append(("logout_hint", logoutHint)) }
        if let postLogoutRedirectURI {
            fields.append(("post_logout_redirect_uri", postLogoutRedirectURI))
            if let state { fields.append(("state", state)) }
        }
        let separator = endpoint.query == nil ? "?" : "&"
        let plain = endpoint.text + separator + FormEncoding.encode(fields)
        if let idTokenHint,
            let address = try? WebAddress(plain + "&id_token_hint=" + FormEncoding.escape(idTokenHint.reveal()))
        {
            return address
        }
        return try? WebAddress(plain)
    }
}
