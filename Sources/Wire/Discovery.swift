package import Identity
import StrictJSON

/// Reads providers' metadata and keeps it for a day.
package actor Discovery {
    private let transport: Transport
    private let now: @Sendable () -> Duration
    private var known: [Authority: (metadata: ProviderMetadata, until: Duration)] = [:]

    /// As long as MSAL keeps it.
    private static let lifetime = Duration.seconds(86_400)
    /// Endpoints that OpenID Connect's own document does not define.
    private static let sometimesElsewhere = [
        "authorization_endpoint", "token_endpoint", "jwks_uri", "device_authorization_endpoint", "revocation_endpoint",
    ]

    /// - Parameter now: time since the machine started.
    package init(transport: Transport, now: @escaping @Sendable () -> Duration = { BootClock.now }) {
        self.transport = transport
        self.now = now
    }

    /// The authority's metadata; from memory for a day (M7). Failures are not kept.
    ///
    /// - Throws: ``WireError``; `untrusted` when the document is not this authority's (M1), `badEndpoint` when an address in it may not be used.
    package func metadata(for authority: Authority) async throws(WireError) -> ProviderMetadata {
        if let (metadata, until) = known[authority], until > now() { return metadata }
        let metadata = try await read(authority)
        known[authority] = (metadata, now() + Self.lifetime)
        return metadata
    }

    private func read(_ authority: Authority) async throws(WireError) -> ProviderMetadata {
        let addresses = try Self.documents(of: authority)
        let first: Result<JSONObject, WireError>
        do { first = .success(try await fetch(addresses[0])) } catch { first = .failure(error) }
        guard addresses.count == 2 else { return try ProviderMetadata(try first.get(), of: authority) }
        switch first {
        case .success(let document):
            guard Self.sometimesElsewhere.contains(where: { document[$0] == nil }) else {
                return try ProviderMetadata(document, of: authority)
            }
            // Some providers name an endpoint in the OAuth document only; one that cannot be read or used is as good as none.
            guard let other = try? await fetch(addresses[1]), other["issuer"] == document["issuer"],
                let metadata = try? ProviderMetadata(
                    JSONObject(document.members + other.members.filter { document[$0.name] == nil }), of: authority)
            else { return try ProviderMetadata(document, of: authority) }
            return metadata
        case .failure(.unsupported), .failure(.refused), .failure(.notJSON), .failure(.redirected):
            // No OpenID Connect document: the OAuth one may be there alone.
            do { return try ProviderMetadata(try await fetch(addresses[1]), of: authority) } catch {
                if case .untrusted = error { throw error }
                return try ProviderMetadata(try first.get(), of: authority)
            }
        case .failure(let error): throw error
        }
    }

    /// M3: status 200 and a JSON object; everything else is an error.
    private func fetch(_ address: WebAddress) async throws(WireError) -> JSONObject {
        let reply = try await transport.send(HTTPRequest(address))
        if reply.status == 404 { throw .unsupported("there is no provider metadata at \(address.origin)\(address.path)") }
        try reply.requireService()
        let object = try reply.object()
        guard reply.status == 200 else {
            // Entra ID says here that it has no such tenant.
            if let error = OAuthError(Claims(object), status: reply.status) { throw .refused(error) }
            throw .notJSON(host: reply.host, status: reply.status, why: "no metadata")
        }
        return object
    }

    /// Where the document may lie. OpenID Connect appends the well-known part after the path, RFC 8414 puts it before (M2).
    private static func documents(of authority: Authority) throws(WireError) -> [WebAddress] {
        var base = authority.address.text
        while base.hasSuffix("/") { base.removeLast() }
        let suffix = "/.well-known/openid-configuration"
        do {
            switch authority.kind {
            case .aad, .b2c: return [try WebAddress(base + "/v2.0" + suffix)]
            case .ciam:
                let tenant = authority.address.pathSegments.isEmpty ? "/" + authority.tenant : ""
                return [try WebAddress(base + tenant + "/v2.0" + suffix)]
            case .adfs: return [try WebAddress(authority.address.origin + "/adfs" + suffix)]
            case .oidc:
                let path = authority.address.pathSegments.map { "/" + $0 }.joined()
                return [
                    try WebAddress(base + suffix),
                    try WebAddress(authority.address.origin + "/.well-known/oauth-authorization-server" + path),
                ]
            }
        } catch { throw .badEndpoint(name: "metadata address", error) }
    }
}
