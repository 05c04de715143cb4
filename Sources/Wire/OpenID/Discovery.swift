package import Identity
import StrictJSON

/// Fetches providers' metadata and caches it for a day.
package actor Discovery {
    private struct CacheKey: Hashable {
        var authority: Authority
        var manual: EndpointOverrides
    }

    private let transport: Transport
    private let now: @Sendable () -> Duration
    private var known: [CacheKey: (metadata: ProviderMetadata, until: Duration, source: Source)] = [:]

    package enum Source: Hashable, Sendable {
        case provider
        /// Fetched earlier by this process.
        case memory
        /// Fetched by an earlier process.
        case kept
    }

    /// Same as MSAL.
    private static let lifetime = Duration.seconds(86_400)
    /// Endpoints that some providers list only in the OAuth document.
    private static let sometimesElsewhere = [
        "authorization_endpoint", "token_endpoint", "jwks_uri", "device_authorization_endpoint", "revocation_endpoint",
    ]

    package init(transport: Transport, now: @escaping @Sendable () -> Duration = { BootClock.now }) {
        (self.transport, self.now) = (transport, now)
    }

    /// Cached for a day, without failures.
    ///
    /// - Parameters:
    ///   - manual: endpoints from the settings; if complete, nothing is fetched.
    ///   - aliases: other host names of the authority's cloud, from ``InstanceDiscovery``.
    /// - Throws: `untrusted` if the document is not this authority's, `badEndpoint` if a URL in it is not allowed.
    package func metadata(
        for authority: Authority, manual: EndpointOverrides = EndpointOverrides(), aliases: [String] = []
    )
        async throws(WireError) -> ProviderMetadata
    {
        try await find(for: authority, manual: manual, aliases: aliases, acceptsKept: true).metadata
    }

    /// Like ``metadata(for:manual:aliases:)``, with the source. `acceptsKept` permits metadata from an earlier process.
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

    package func knows(_ authority: Authority, manual: EndpointOverrides = EndpointOverrides()) -> Bool {
        known[CacheKey(authority: authority, manual: manual)].map { $0.until > now() } ?? false
    }

    /// Takes over metadata from an earlier process, unless its age in seconds is negative, or a day or more.
    package func remember(
        _ metadata: ProviderMetadata, for authority: Authority, manual: EndpointOverrides = EndpointOverrides(),
        age: Int
    ) {
        let question = CacheKey(authority: authority, manual: manual)
        guard !knows(authority, manual: manual), age >= 0, Duration.seconds(age) < Self.lifetime else { return }
        known[question] = (metadata, now() + Self.lifetime - .seconds(age), .kept)
    }

    /// For an authority whose keys or endpoints did not work.
    package func forget(_ authority: Authority) { known = known.filter { $0.key.authority != authority } }

    private func read(_ authority: Authority, _ manual: EndpointOverrides, _ aliases: [String]) async throws(WireError)
        -> ProviderMetadata
    {
        func metadata(_ document: JSONObject) throws(WireError) -> ProviderMetadata {
            try ProviderMetadata(document, of: authority, manual: manual, aliases: aliases)
        }
        let issuerOnly = JSONObject([
            JSONMember(name: "issuer", value: .string(manual.issuer ?? IssuerMatch.assumed(of: authority)))
        ])
        if manual.isComplete(for: authority.kind) { return try metadata(issuerOnly) }
        // Only documents that are certainly missing, or certainly without keys, say that there are none.
        let mayLackKeys = manual.mayLackKeys(authority.kind)
        let given = Set(manual.members.map(\.name))
        let addresses = try Self.documents(of: authority)
        if authority.kind == .oauth2 {
            do { return try metadata(try await fetch(addresses[0])) } catch {
                // No document of RFC 8414, but perhaps one of OpenID Connect: the first failure is the one to report.
                guard error.isMissingDocument, let other = try? await fetch(addresses[1]) else { throw error }
                return try metadata(other)
            }
        }
        let first: Result<JSONObject, WireError>
        do { first = .success(try await fetch(addresses[0])) } catch { first = .failure(error) }
        guard addresses.count == 2 else {
            if mayLackKeys, case .failure(let error) = first, error.isNotFound { return try metadata(issuerOnly) }
            return try metadata(try first.get())
        }
        switch first {
        case .success(let document):
            guard Self.sometimesElsewhere.contains(where: { document[$0] == nil && !given.contains($0) }) else {
                return try metadata(document)
            }
            let needsOther = mayLackKeys && document["jwks_uri"] == nil
            let other: JSONObject
            do { other = try await fetch(addresses[1]) } catch {
                if needsOther, !error.isNotFound { throw error }
                return try metadata(document)
            }
            guard other["issuer"] == document["issuer"] else { return try metadata(document) }
            // Some providers list an endpoint only in the OAuth document; ignore that document if it is unusable.
            let merged = JSONObject(document.members + other.members.filter { document[$0.name] == nil })
            if needsOther { return try metadata(merged) }
            if let usable = try? metadata(merged) { return usable }
            return try metadata(document)
        case .failure(let error) where error.isMissingDocument:
            // No OpenID Connect document; there may be an OAuth one.
            let other: JSONObject
            do { other = try await fetch(addresses[1]) } catch let second {
                guard mayLackKeys, error.isNotFound, second.isNotFound else { return try metadata(try first.get()) }
                return try metadata(issuerOnly)
            }
            if mayLackKeys, !error.isNotFound, other["jwks_uri"] == nil { throw error }
            return try metadata(other)
        case .failure(let error): throw error
        }
    }

    /// OpenID Connect Discovery section 4.2: anything but status 200 with a JSON object is an error.
    private func fetch(_ address: WebAddress) async throws(WireError) -> JSONObject {
        let reply = try await transport.send(HTTPRequest(address))
        if reply.status == 404 {
            throw .unsupported(
                "no provider metadata at \(address.origin)\(address.path)",
                hint:
                    """
                    check the authority's host and exact path; for a provider without metadata, set its \
                    endpoints in the settings
                    """
            )
        }
        try reply.requireService()
        let object = try reply.object()
        guard reply.status == 200 else {
            // Entra ID reports an unknown tenant here.
            if let error = OAuthError(Claims(object), status: reply.status) { throw .refused(error) }
            throw .notJSON(host: reply.host, status: reply.status, why: "no metadata")
        }
        return object
    }

    /// Possible URLs of the document: OpenID Connect appends the well-known part to the path, RFC 8414 prepends it.
    private static func documents(of authority: Authority) throws(WireError) -> [WebAddress] {
        var base = authority.address.text
        while base.hasSuffix("/") { base.removeLast() }
        let suffix = "/.well-known/openid-configuration"
        do {
            switch authority.kind {
            case .aad, .b2c, .ciam: return [try WebAddress(base + "/v2.0" + suffix)]
            case .adfs: return [try WebAddress(base + suffix)]
            case .oidc, .oauth2:
                let path = authority.address.pathSegments.map { "/" + $0 }.joined()
                let documents = [
                    try WebAddress(base + suffix),
                    try WebAddress(authority.address.origin + "/.well-known/oauth-authorization-server" + path),
                ]
                return authority.kind == .oidc ? documents : documents.reversed()
            }
        } catch { throw .badEndpoint(name: "metadata URL", error) }
    }
}

extension WireError {
    /// Whether the response was status 404, the only one that `fetch` reports this way.
    fileprivate var isNotFound: Bool {
        if case .unsupported = self { true } else { false }
    }

    /// Whether there is no metadata at an address; another address may have it.
    fileprivate var isMissingDocument: Bool {
        switch self {
        case .unsupported, .refused, .notJSON, .redirected: true
        default: false
        }
    }
}
