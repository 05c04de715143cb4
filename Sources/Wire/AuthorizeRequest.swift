package import Identity

/// The authorization request: RFC 6749 section 4.1.1 with PKCE, OpenID Connect Core section 3.1.2.1.
package struct AuthorizeRequest: Sendable {
    let metadata: ProviderMetadata
    let fields: [(name: String, value: String)]

    /// - Parameters:
    ///   - redirectURI: the listener's, with its port; it goes into the token request unchanged (B13).
    ///   - state: random, of this request only (N8); `nonce` likewise.
    ///   - claims: a claims request as JSON, passed on letter for letter (atk-G6).
    ///   - isEntra: whether Entra ID's additions are sent.
    package init(
        metadata: ProviderMetadata, clientID: String, redirectURI: String, scopes: ScopeSet, state: String, nonce: String, pkce: PKCE,
        prompt: Prompt?, loginHint: String?, domainHint: String?, claims: String?, isEntra: Bool
    ) {
        self.metadata = metadata
        var fields: [(name: String, value: String)] = [
            ("client_id", clientID), ("response_type", "code"), ("redirect_uri", redirectURI),
            ("scope", TokenEndpoint.wireScopes(scopes, metadata, isEntra: isEntra)), ("state", state), ("nonce", nonce),
            ("code_challenge", pkce.challenge), ("code_challenge_method", "S256"),
        ]
        // Elsewhere the query is where a code comes back anyway, and what is not asked for cannot be refused.
        if isEntra { fields += [("response_mode", "query"), ("client_info", "1")] }
        if let prompt { fields.append(("prompt", prompt.rawValue)) }
        if let loginHint { fields.append(("login_hint", loginHint)) }
        if let domainHint { fields.append(("domain_hint", domainHint)) }
        if let claims { fields.append(("claims", claims)) }
        self.fields = fields
    }

    /// The address to open. Parameters that the endpoint's own query has stay (RFC 6749 section 3.1).
    ///
    /// - Throws: `badEndpoint` when it becomes too long for a browser (atk-B8).
    package func address() throws(WireError) -> WebAddress {
        let separator = metadata.authorization.query == nil ? "?" : "&"
        do { return try WebAddress(metadata.authorization.text + separator + FormEncoding.encode(fields)) } catch {
            throw .badEndpoint(name: "authorization address", error)
        }
    }
}
