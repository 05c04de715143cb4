package import Identity
import StrictJSON

/// Reads providers' metadata and keeps it for a day.
package actor Discovery {
    private struct CacheKey: Hashable {
        var authority: Authority
        var manual: EndpointOverrides
    }

    private let transport: Transport
    private let now: @Sendable () -> Duration
    private var known: [CacheKey: (metadata: ProviderMetadata, until: Duration, source: Source)] = [:]

    /// Where metadata came from.
    package enum Source: Hashable, Sendable {
        /// The provider, a moment ago.
        case provider
        /// This process fetched it earlier.
        case memory
        /// An earlier process fetched it.
        case kept
    }

    /// As long as MSAL keeps it.
    private static let lifetime = Duration.seconds(86_400)
    /// Endpoints that OpenID Connect's own document does not define.
    private static let sometimesElsewhere = [
        "authorization_endpoint", "token_endpoint", "jwks_uri", "device_authorization_endpoint", "revocation_endpoint",
    ]

    /// - Parameter now: time since the machine started.
    package init(transport: Transport, now: @escaping @Sendable () -> Duration = { BootClock.now }) {
        (self.transport, self.now) = (transport, now)
    }

    /// The authority's metadata; from memory for a day. Failures are not kept.
    ///
    /// - Parameters:
    ///   - manual: endpoints given by hand; when they are complete, nobody is asked.
    ///   - aliases: other host names of the authority's cloud, as ``InstanceDiscovery`` learnt them.
    /// - Throws: ``WireError``; `untrusted` when the document is not this authority's, `badEndpoint` when an address in
    ///   it may not be used.
    package func metadata(
        for authority: Authority, manual: EndpointOverrides = EndpointOverrides(), aliases: [String] = []
    )
        async throws(WireError) -> ProviderMetadata
    {
        try await find(for: authority, manual: manual, aliases: aliases, acceptsKept: true).metadata
    }

    /// The same, with where it came from.
    ///
    /// - Parameter acceptsKept: whether what an earlier process fetched may be used; else the provider is asked in its
    ///   place.
    package func find(
        for authority: Authority, manual: EndpointOverrides = EndpointOverrides(), aliases: [String] = [],
        acceptsKept: Bool
    )
        async throws(WireError) -> (metadata: ProviderMetadata, source: Source)
    {
        let question = CacheKey(authority: authority, manual: manual)
        if let entry = known[question], entry.until > now(), acceptsKept || entry.source != .kept {
            return (entry.metadata, entry.source)
        }
        let metadata = try await read(authority, manual, aliases)
        known[question] = (metadata, now() + Self.lifetime, .memory)
        return (metadata, .provider)
    }

    /// Whether metadata of an authority is in memory.
    package func knows(_ authority: Authority, manual: EndpointOverrides = EndpointOverrides()) -> Bool {
        known[CacheKey(authority: authority, manual: manual)].map { $0.until > now() } ?? false
    }

    /// Takes metadata that was kept by an earlier process, so that this one need not ask.
    ///
    /// - Parameter age: seconds since it was read from the provider; of an age of a day or more, or from the future, it
    ///   is not taken.
    package func remember(
        _ metadata: ProviderMetadata, for authority: Authority, manual: EndpointOverrides = EndpointOverrides(),
        age: Int
    ) {
        let question = CacheKey(authority: authority, manual: manual)
        guard !knows(authority, manual: manual), age >= 0, Duration.seconds(age) < Self.lifetime else { return }
        known[question] = (metadata, now() + Self.lifetime - .seconds(age), .kept)
    }

    /// Forgets what is known of an authority: its keys or endpoints did not work.
    package func forget(_ authority: Authority) { known = known.filter { $0.key.authority != authority } }

    private func read(_ authority: Authority, _ manual: EndpointOverrides, _ aliases: [String]) async throws(WireError)
        -> ProviderMetadata
    {
        func metadata(_ document: JSONObject) throws(WireError) -> ProviderMetadata {
            try ProviderMetadata(document, of: authority, manual: manual, aliases: aliases)
        }
        if manual.isComplete {
            return try metadata(
                JSONObject([JSONMember(name: "issuer", value: .string(manual.issuer ?? authority.address.text))]))
        }
        let given = Set(manual.members.map(\.name))
        let addresses = try Self.documents(of: authority)
        let first: Result<JSONObject, WireError>
        do { first = .success(try await fetch(addresses[0])) } catch { first = .failure(error) }
        guard addresses.count == 2 else { return try metadata(try first.get()) }
        switch first {
        case .success(let document):
            guard Self.sometimesElsewhere.contains(where: { document[$0] == nil && !given.contains($0) }) else {
                return try metadata(document)
            }
            // Some providers name an endpoint in the OAuth document only; one that cannot be read or used is as good as
            // none.
            guard let other = try? await fetch(addresses[1]), other["issuer"] == document["issuer"],
                let merged = try? metadata(
                    JSONObject(document.members + other.members.filter { document[$0.name] == nil }))
            else { return try metadata(document) }
            return merged
        case .failure(.unsupported), .failure(.refused), .failure(.notJSON), .failure(.redirected):
            // No OpenID Connect document: the OAuth one may be there alone.
            let other: JSONObject
            do { other = try await fetch(addresses[1]) } catch { return try metadata(try first.get()) }
            return try metadata(other)
        case .failure(let error): throw error
        }
    }

    /// OpenID Connect Discovery section 4.2: status 200 and a JSON object; everything else is an error.
    private func fetch(_ address: WebAddress) async throws(WireError) -> JSONObject {
        let reply = try await transport.send(HTTPRequest(address))
        if reply.status == 404 {
            throw .unsupported(
                "there is no provider metadata at \(address.origin)\(address.path)",
                hint:
                    """
                    check the authority: its host, and its path with each letter; a provider without metadata \
                    needs its endpoints in the settings
                    """
            )
        }
        try reply.requireService()
        let object = try reply.object()
        guard reply.status == 200 else {
            // Entra ID says here that it has no such tenant.
            if let error = OAuthError(Claims(object), status: reply.status) { throw .refused(error) }
            throw .notJSON(host: reply.host, status: reply.status, why: "no metadata")
        }
        return object
    }

    /// Where the document may lie. OpenID Connect appends the well-known part after the path, RFC 8414 puts it before.
    private static func documents(of authority: Authority) throws(WireError) -> [WebAddress] {
        var base = authority.address.text
        while base.hasSuffix("/") { base.removeLast() }
        let suffix = "/.well-known/openid-configuration"
        do {
            switch authority.kind {
            case .aad, .b2c, .ciam: return [try WebAddress(base + "/v2.0" + suffix)]
            case .adfs: return [try WebAddress(base + suffix)]
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
