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

    /// What a provider registered. A secret that comes back is not kept: this client is public, whatever the provider thinks (N9).
    package struct Registered: Hashable, Sendable {
        /// May hold slashes and other visible characters; it is never a part of a path.
        package let clientID: String
        package let issuedAt: Date?
        /// What the provider registered, where it says so; else what was asked.
        package let redirectURIs: [String]
    }

    /// Registers at the provider's registration endpoint (section 3.1). Asked for once: a second request would be a second client.
    ///
    /// - Throws: `unsupported` when the provider has no such endpoint, `refused` with its reason (`invalid_redirect_uri`, …), `untrusted` when the
    ///   answer names no client that could be one, or one that must have a secret.
    package func register(metadata: ProviderMetadata, transport: Transport) async throws(WireError) -> Registered {
        guard let endpoint = metadata.registration else { throw .unsupported("the provider registers no clients by itself") }
        let reply = try await transport.send(HTTPRequest(endpoint, body: .json(.object(body)), resend: .never))
        try reply.requireService()
        guard reply.status == 201 || reply.status == 200 else { throw .refused(try OAuthError(answer: reply, isRefresh: false)) }
        let object = try reply.object()
        guard let id = object["client_id"]?.string, (1...512).contains(id.utf8.count), id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .untrusted(check: "registration", detail: "the answer names no client")
        }
        let redirects = (object["redirect_uris"]?.array ?? []).prefix(32).compactMap(\.string)
        return Registered(
            clientID: id, issuedAt: Self.date(object["client_id_issued_at"]), redirectURIs: redirects.isEmpty ? redirectURIs : redirects)
    }

    private var body: JSONObject {
        let grants = ["authorization_code", "refresh_token"] + (usesDeviceCode ? ["urn:ietf:params:oauth:grant-type:device_code"] : [])
        func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
        var members = [
            JSONMember(name: "client_name", value: .string(OAuthError.clean(name, limit: 100))),
            JSONMember(name: "application_type", value: "native"), JSONMember(name: "token_endpoint_auth_method", value: "none"),
            JSONMember(name: "redirect_uris", value: list(redirectURIs)), JSONMember(name: "grant_types", value: list(grants)),
            JSONMember(name: "response_types", value: list(["code"])),
        ]
        if !scopes.isEmpty { members.append(JSONMember(name: "scope", value: .string(scopes.withReserved.description))) }
        return JSONObject(members)
    }

    /// A number, or one in quotes; what is neither is not looked at, since nothing depends on it.
    private static func date(_ value: JSONValue?) -> Date? {
        guard let number = value?.double ?? value?.string.flatMap({ $0.utf8.count <= 20 ? Double($0) : nil }), number > 0,
            number < 253_402_300_799
        else { return nil }
        return Date(timeIntervalSince1970: number)
    }
}
