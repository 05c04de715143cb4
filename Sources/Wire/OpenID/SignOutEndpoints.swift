package import Identity

/// How a revocation ended.
package enum RevocationOutcome: Hashable, Sendable {
    case revoked
    /// The provider refused; in words.
    case refused(String)
}

/// How the browser came back from the end-session page.
package enum SignOutReturn: Hashable, Sendable {
    /// With the state that was sent.
    case confirmed
    /// Without any state, as some providers drop it: so can anybody on this machine.
    case unconfirmed
}

/// What a provider offers for leaving: revocation (RFC 7009) and RP-initiated logout (OpenID Connect).
package enum SignOutEndpoints {
    /// RFC 7009 section 2.1.
    ///
    /// - Parameters:
    ///   - token: the refresh token: its grant takes the access tokens along where the provider does so; or an access
    ///     token.
    ///   - hint: `refresh_token` or `access_token`.
    /// - Throws: ``WireError`` when the provider was not reached or cannot now: the token is then still alive.
    package static func revoke(
        _ token: Secret, hint: String, clientID: String, metadata: ProviderMetadata, transport: Transport
    )
        async throws(WireError) -> RevocationOutcome
    {
        guard let endpoint = metadata.revocation else { return .refused("not offered") }
        let fields: [(name: String, value: String)] = [
            ("token", token.reveal()), ("token_type_hint", hint), ("client_id", clientID),
        ]
        // A token dies once, however often that is asked for.
        let reply = try await transport.send(HTTPRequest(endpoint, body: .form(fields), resend: .always))
        try reply.requireService()
        // RFC 7009 section 2.2: also for unknown tokens, and whatever the body.
        if (200...299).contains(reply.status) { return .revoked }
        let name = (try? reply.object()).flatMap { OAuthError(Claims($0), status: reply.status)?.error }
        // RFC 7009 section 2.2.1.
        if name == "unsupported_token_type" { return .refused("the provider does not revoke this kind of token") }
        return .refused(name.map { "refused (\($0))" } ?? "refused (HTTP \(reply.status))")
    }

    /// The page that ends the browser's session, or nil when there is none.
    ///
    /// The ID token goes along as the hint when it is short enough for an address; Entra ID and others do with the
    /// client's identifier.
    /// - Parameters:
    ///   - idTokenHint: nil when the person does not want it in the browser's history. AD FS does not come back without
    ///     it.
    ///   - logoutHint: Entra ID's `login_hint` claim, or the username.
    ///   - postLogoutRedirectURI: as registered, exactly: where the browser comes back.
    ///   - state: random, of this sign-out only; comes back with the browser.
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
