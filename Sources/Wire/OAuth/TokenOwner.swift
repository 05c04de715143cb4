package import Identity
import StrictJSON

/// The owner of an access token, according to a server without OpenID Connect. Only made from a response.
package struct TokenOwner: Sendable {
    /// Unique at the server, and unchanging unless the server has only a name: 1 to 255 visible ASCII characters.
    package let identifier: String
    /// ``identifier`` and the name, as OpenID Connect's `sub` and `preferred_username`.
    package let claims: Claims

    private init(_ identifier: String, username: String?) {
        self.identifier = identifier
        var members = [JSONMember(name: "sub", value: .string(identifier))]
        if let username { members.append(JSONMember(name: "preferred_username", value: .string(username))) }
        claims = Claims(JSONObject(members))
    }

    /// Asks the address with the token as a bearer token.
    ///
    /// - Throws: `untrusted` if the server refuses the token, or the response lacks the identifier.
    package static func fetch(_ endpoint: AccountEndpoint, accessToken: Secret, transport: Transport)
        async throws(WireError) -> TokenOwner
    {
        guard endpoint.address.isSecure || endpoint.address.isLoopback else {
            throw .badEndpoint(name: "account URL", .insecure)
        }
        let reply = try await transport.send(HTTPRequest(endpoint.address, bearer: accessToken))
        try reply.requireService()
        guard reply.status == 200 else { throw .untrusted(check: .userInfo, detail: "refused (HTTP \(reply.status))") }
        let object = try reply.object()
        guard let identifier = text(at: endpoint.identifier, in: object), IDTokenCheck.isSubject(identifier) else {
            throw .untrusted(
                check: .userInfo, detail: "no \(OAuthError.clean(endpoint.identifier, limit: 64)) in the response")
        }
        return TokenOwner(identifier, username: endpoint.username.flatMap { text(at: $0, in: object) })
    }

    /// Introspection, RFC 7662 section 2.
    ///
    /// - Throws: `unsupported` without an endpoint, `untrusted` if the token is not active, is another client's, or the
    ///   response contains no name.
    package static func introspect(
        accessToken: Secret, clientID: String, authentication: ClientAuthentication? = nil, metadata: ProviderMetadata,
        transport: Transport
    ) async throws(WireError) -> TokenOwner {
        guard let endpoint = metadata.introspection else { throw .unsupported("the server has no introspection") }
        let object: JSONObject
        switch try await Introspection.ask(
            .standard(endpoint, clientID: clientID, authentication), about: accessToken, transport: transport)
        {
        case .accepted(let found): object = found
        case .rejected: throw .untrusted(check: .userInfo, detail: "not active")
        case nil: throw .untrusted(check: .userInfo, detail: "refused")
        }
        guard object["client_id"].map({ $0.string == clientID }) ?? true else {
            throw .untrusted(check: .userInfo, detail: "the token is another client's")
        }
        let username = object["username"]?.string
        guard let identifier = object["sub"]?.string ?? username, IDTokenCheck.isSubject(identifier) else {
            throw .untrusted(check: .userInfo, detail: "no sub and no username")
        }
        return TokenOwner(identifier, username: username)
    }

    /// A string or a whole number at a path of members.
    private static func text(at path: String, in object: JSONObject) -> String? {
        var value = JSONValue.object(object)
        for name in path.split(separator: ".", omittingEmptySubsequences: false) {
            guard let next = value[String(name)] else { return nil }
            value = next
        }
        return value.string ?? value.integer.map { String($0) }
    }
}
