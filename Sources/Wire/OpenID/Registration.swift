package import FoundationEssentials
package import Identity
import StrictJSON

/// Dynamic client registration, RFC 7591: native and public, so without a secret.
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

    /// The registered client. A returned secret is dropped: this client is public.
    package struct Registered: Hashable, Sendable {
        /// Can contain slashes and other visible characters; never used in a path.
        package let clientID: String
        package let issuedAt: Date?
        /// From the response, else as requested.
        package let redirectURIs: [String]
        package let scopes: ScopeSet
        package let grantsLeftOut: [String]
    }

    private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    /// Registers a client (section 3.1). Never repeated after a success, which would create a second client. After a
    /// rejection it is tried with fewer grants, as many providers reject unsupported ones (section 2).
    ///
    /// - Throws: `unsupported` if the provider has no such endpoint, or registered a client that needs a secret;
    ///   `refused` with its reason (`invalid_redirect_uri`, …); `untrusted` without a valid client ID.
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
            return try registered(try reply.object(), leftOut: Array(all.dropFirst(count)))
        }
        throw refusal.map { .refused($0) } ?? .cancelled
    }

    /// Section 3.2.2 has one error for all rejected metadata.
    private static func mayBeAboutGrants(_ error: OAuthError) -> Bool {
        error.status == 400
            && ["invalid_client_metadata", "invalid_request", "unsupported_grant_type"].contains(error.error)
    }

    private func registered(_ object: JSONObject, leftOut: [String]) throws(WireError) -> Registered {
        guard let id = object["client_id"]?.string, (1...512).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw .untrusted(check: .registration, detail: "no client ID in the response")
        }
        // Section 2: the default is client_secret_basic. Without a secret the client is public.
        let method =
            object["token_endpoint_auth_method"]?.string
            ?? (object["client_secret"]?.string == nil ? "none" : "client_secret_basic")
        guard method == "none" else {
            throw .unsupported(
                """
                the provider registered \(id) as a client with a secret (\(OAuthError.clean(method, limit: 64))), \
                which is not supported; nothing was saved
                """,
                hint: "delete it at the provider, and register a native (public) client manually")
        }
        let scope = object["scope"]?.string.map { ScopeSet([$0]) }
        let redirects = (object["redirect_uris"]?.array ?? []).prefix(32).compactMap(\.string)
        return Registered(
            clientID: id, issuedAt: Self.date(object["client_id_issued_at"]),
            redirectURIs: redirects.isEmpty ? redirectURIs : redirects,
            scopes: scope.flatMap { $0.isEmpty ? nil : $0 } ?? scopes, grantsLeftOut: leftOut)
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
