import FoundationEssentials
package import Identity

/// A confidential client's authentication (RFC 6749 section 2.3.1), for all requests that it sends to the provider
/// itself: token, device authorization, pushed authorization, revocation and introspection.
package struct ClientAuthentication: Hashable, Sendable {
    let secret: Secret
    let method: ClientSecret.Method

    /// - Parameter method: nil for a known server's, else the metadata's; `client_secret_post` only if it alone is
    ///   offered.
    package init(_ secret: Secret, method: ClientSecret.Method? = nil, _ metadata: ProviderMetadata) {
        self.secret = secret
        let offered = metadata.tokenAuthenticationMethods.compactMap(ClientSecret.Method.init)
        self.method =
            method ?? metadata.habits.secretMethod ?? (offered.contains(.basic) ? .basic : offered.first ?? .basic)
    }
}

extension HTTPRequest {
    /// Adds the client's authentication to a form; the client ID stays in the body, which RFC 6749 section 3.2.1 allows
    /// for every client.
    ///
    /// - Parameter authentication: nil for a public client.
    package mutating func authenticate(_ clientID: String, _ authentication: ClientAuthentication?) {
        guard let authentication else { return }
        let secret = authentication.secret
        clientSecrets = [secret]
        switch (authentication.method, body) {
        case (.post, .form(let fields)?): body = .form(fields + [("client_secret", secret.reveal())])
        case (.basic, _), (.post, _):
            // Section 2.3.1: both are form-encoded first, so the ID can contain a colon.
            let pair = FormEncoding.escape(clientID) + ":" + FormEncoding.escape(secret.reveal())
            let credentials = Data(pair.utf8).base64EncodedString()
            clientSecrets.append(Secret(credentials))
            headers.append(("authorization", "Basic " + credentials))
        }
    }
}
