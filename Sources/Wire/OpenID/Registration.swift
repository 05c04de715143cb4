package import FoundationEssentials
package import Identity
import StrictJSON

/// Dynamic client registration, RFC 7591: native and public, although some providers register a client with a secret.
package struct ClientRegistration: Sendable {
    package var name: String
    /// Loopback URIs; the provider must accept any port (RFC 8252 section 7.3).
    package var redirectURIs: [String]
    package var scopes: ScopeSet
    /// Whether to also register device sign-in.
    package var usesDeviceCode: Bool

    package init(name: String, redirectURIs: [String], scopes: ScopeSet = [], usesDeviceCode: Bool = true) {
        self.name = name
        self.redirectURIs = redirectURIs
        self.scopes = scopes
        self.usesDeviceCode = usesDeviceCode
    }

    /// The registered client.
    package struct Registered: Hashable, Sendable {
        /// Can contain slashes and other visible characters; never used in a path.
        package let clientID: String
        package let issuedAt: Date?
        /// From the response, else as requested.
        package let redirectURIs: [String]
        package let scopes: ScopeSet
        package let grantsLeftOut: [String]
        /// The method that the client must authenticate with; nil for a public client.
        package let method: Method?
        /// The secret for ``method``; nil for a public client, whatever the provider returned.
        package let secret: Secret?
        /// Nil if the secret does not expire.
        package let secretExpiresAt: Date?
        package let management: Management?

        /// A method of `token_endpoint_auth_method` other than `none`.
        package enum Method: Hashable, Sendable {
            case secret(ClientSecret.Method)
            /// Not supported, or without the secret that it needs.
            case other(String)
        }
    }

    /// Where the client can be deleted (RFC 7592 section 3).
    package struct Management: Hashable, Sendable {
        package let address: WebAddress
        package let token: Secret

        package init(address: WebAddress, token: Secret) { (self.address, self.token) = (address, token) }
    }

    private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    /// Registers a client (section 3.1). Never repeated after a success, which would create a second client. After a
    /// rejection it is tried with fewer grants, as many providers reject unsupported ones (section 2).
    ///
    /// - Throws: `unsupported` if the provider has no such endpoint; `refused` with its reason
    ///   (`invalid_redirect_uri`, …); `untrusted` without a valid client ID.
    package func register(metadata: ProviderMetadata, transport: Transport) async throws(WireError) -> Registered {
        guard let endpoint = metadata.registration else {
            throw .unsupported("the provider has no dynamic client registration", hint: .configureClient)
        }
        let all = ["authorization_code", "refresh_token"] + (usesDeviceCode ? [Self.deviceGrant] : [])
        var refusal: OAuthError?
        for count in (1...all.count).reversed() {
            let reply = try await transport.send(
                HTTPRequest(endpoint, body: .json(.object(body(grants: all.prefix(count)))), resend: .never))
            try reply.requireService()
            guard reply.status == 201 || reply.status == 200 else {
                let error = try OAuthError(answer: reply, isRefresh: false)
                refusal = refusal ?? error
                guard Self.mayBeAboutGrants(error) else { break }
                continue
            }
            return try registered(try reply.object(), at: endpoint, leftOut: Array(all.dropFirst(count)))
        }
        throw refusal.map { .refused($0) } ?? .cancelled
    }

    /// Section 3.2.2 has one error for all rejected metadata.
    private static func mayBeAboutGrants(_ error: OAuthError) -> Bool {
        error.status == 400
            && ["invalid_client_metadata", "invalid_request", "unsupported_grant_type"].contains(error.error)
    }

    /// Deletes a client that cannot be used (RFC 7592 section 2.3).
    ///
    /// - Returns: whether the provider confirmed it.
    package static func delete(_ management: Management?, transport: Transport) async -> Bool {
        guard let management else { return false }
        var request = HTTPRequest(management.address, bearer: management.token)
        request.isDeletion = true
        guard let reply = try? await transport.send(request) else { return false }
        return (200...299).contains(reply.status)
    }

    private func registered(_ object: JSONObject, at endpoint: WebAddress, leftOut: [String]) throws(WireError)
        -> Registered
    {
        guard let id = object["client_id"]?.string, (1...512).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw .untrusted(check: .registration, detail: "no client ID in the response")
        }
        let (method, secret) = Self.authentication(object)
        let scope = object["scope"]?.string.map { ScopeSet([$0]) }
        let redirects = (object["redirect_uris"]?.array ?? []).prefix(32).compactMap(\.string)
        return Registered(
            clientID: id, issuedAt: Self.date(object["client_id_issued_at"]),
            redirectURIs: redirects.isEmpty ? redirectURIs : redirects,
            scopes: scope.flatMap { $0.isEmpty ? nil : $0 } ?? scopes, grantsLeftOut: leftOut, method: method,
            secret: secret, secretExpiresAt: secret == nil ? nil : Self.date(object["client_secret_expires_at"]),
            management: Self.management(object, at: endpoint))
    }

    /// The response's own method counts, whatever was requested. Without one the default is `client_secret_basic`
    /// (section 2), and without a secret the client is public.
    private static func authentication(_ object: JSONObject) -> (Registered.Method?, Secret?) {
        let written = object["client_secret"]?.string
        let usual = written == nil ? "none" : ClientSecret.Method.basic.rawValue
        let name = object["token_endpoint_auth_method"]?.string ?? usual
        guard name != "none" else { return (nil, nil) }
        guard let method = ClientSecret.Method(rawValue: name),
            let secret = written.flatMap({ ClientSecret.secret($0.utf8) })
        else { return (.other(OAuthError.clean(name, limit: 64)), nil) }
        return (.secret(method), secret)
    }

    /// Only on the registration endpoint's own origin: the access token is for that server.
    private static func management(_ object: JSONObject, at endpoint: WebAddress) -> Management? {
        guard let text = object["registration_client_uri"]?.string, let address = try? WebAddress(text),
            address.isSameOrigin(as: endpoint), let token = object["registration_access_token"]?.string,
            (1...8192).contains(token.utf8.count), token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return Management(address: address, token: Secret(token))
    }

    private func body(grants: ArraySlice<String>) -> JSONObject {
        func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
        var members = [
            JSONMember(name: "client_name", value: .string(OAuthError.clean(name, limit: 100))),
            JSONMember(name: "application_type", value: "native"),
            JSONMember(name: "token_endpoint_auth_method", value: "none"),
            JSONMember(name: "redirect_uris", value: list(redirectURIs)),
            JSONMember(name: "grant_types", value: list(Array(grants))),
            JSONMember(name: "response_types", value: list(["code"])),
        ]
        if !scopes.isEmpty { members.append(JSONMember(name: "scope", value: .string(scopes.description))) }
        return JSONObject(members)
    }

    /// A number, or one in quotes; anything else is ignored, since nothing depends on it.
    private static func date(_ value: JSONValue?) -> Date? {
        guard let number = value?.double ?? value?.string.flatMap({ $0.utf8.count <= 20 ? Double($0) : nil }),
            number > 0
        else { return nil }
        return Date(epochSeconds: number)
    }
}
