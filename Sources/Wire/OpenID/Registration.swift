package import FoundationEssentials
package import Identity
import StrictJSON

/// A client that registers itself, RFC 7591: native and public, so without a secret.
package struct ClientRegistration: Sendable {
    package var name: String
    /// Loopback addresses; the provider must take any port for them (RFC 8252 section 7.3).
    package var redirectURIs: [String]
    package var scopes: ScopeSet
    /// Whether device sign-in is registered beside the browser's.
    package var usesDeviceCode: Bool

    package init(name: String, redirectURIs: [String], scopes: ScopeSet = [], usesDeviceCode: Bool = true) {
        self.name = name
        self.redirectURIs = redirectURIs
        self.scopes = scopes
        self.usesDeviceCode = usesDeviceCode
    }

    /// What a provider registered. A secret that comes back is not kept: this client is public, whatever the provider
    /// thinks.
    package struct Registered: Hashable, Sendable {
        /// May hold slashes and other visible characters; it is never a part of a path.
        package let clientID: String
        package let issuedAt: Date?
        /// What the provider registered, where it says so; else what was asked.
        package let redirectURIs: [String]
        package let scopes: ScopeSet
        /// Grants that were asked for and that the provider did not take.
        package let grantsLeftOut: [String]
    }

    private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    /// Registers at the provider's registration endpoint (section 3.1). What was registered is not asked for again,
    /// since that would be a second client; what was refused as a whole is tried with fewer grants, for many providers
    /// refuse those that they do not have (section 2).
    ///
    /// - Throws: `unsupported` when the provider has no such endpoint, or registered a client that must have a secret
    ///   or that cannot be sent back here; `refused` with its reason (`invalid_redirect_uri`, …), `untrusted` when the
    ///   answer names no client that could be one.
    package func register(metadata: ProviderMetadata, transport: Transport) async throws(WireError) -> Registered {
        guard let endpoint = metadata.registration else {
            throw .unsupported("the provider registers no clients by itself", hint: .configureClient)
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

    /// Section 3.2.2 has one name for whatever of the request is not taken.
    private static func mayBeAboutGrants(_ error: OAuthError) -> Bool {
        error.status == 400
            && ["invalid_client_metadata", "invalid_request", "unsupported_grant_type"].contains(error.error)
    }

    private func registered(_ object: JSONObject, leftOut: [String]) throws(WireError) -> Registered {
        guard let id = object["client_id"]?.string, (1...512).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw .untrusted(check: .registration, detail: "the answer names no client")
        }
        // Section 2: without a method it is client_secret_basic. Without a secret there is nothing to authenticate
        // with, and the client is public.
        let method =
            object["token_endpoint_auth_method"]?.string
            ?? (object["client_secret"]?.string == nil ? "none" : "client_secret_basic")
        guard method == "none" else {
            throw .unsupported(
                """
                the provider registered \(id) as a client with a secret (\(OAuthError.clean(method, limit: 64))), \
                which cannot be used here; nothing was written
                """,
                hint: "have it removed at the provider, and a native (public) client registered by hand")
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

    /// A number, or one in quotes; what is neither is not looked at, since nothing depends on it.
    private static func date(_ value: JSONValue?) -> Date? {
        guard let number = value?.double ?? value?.string.flatMap({ $0.utf8.count <= 20 ? Double($0) : nil }),
            number > 0
        else { return nil }
        return Date(epochSeconds: number)
    }
}
