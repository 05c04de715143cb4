package import Identity
import SilentCore
package import Wire

/// Issuers whose keys may be fetched because a token names them: a token must not choose servers to connect to.
package struct KnownIssuers: Sendable {
    /// An authority from the settings or an option, with its manually configured endpoints.
    package struct Configured: Sendable {
        var authority: Authority
        var endpoints: EndpointOverrides

        package init(_ authority: Authority, _ endpoints: EndpointOverrides = EndpointOverrides()) {
            (self.authority, self.endpoints) = (authority, endpoints)
        }
    }

    private let configured: [Configured]

    package init(_ configured: [Configured]) { self.configured = configured }

    /// The place to fetch an issuer's keys from.
    ///
    /// - Throws: `usage` if the issuer's origin is neither configured nor Microsoft's. URLs on this machine or a
    ///   private network are therefore only contacted if configured.
    package func place(of issuer: String) throws(Failure) -> Configured {
        if let exact = configured.first(where: {
            $0.endpoints.issuer.map { $0.utf8.elementsEqual(issuer.utf8) } ?? false
        }) {
            return exact
        }
        let authority: Authority
        do { authority = try Self.authority(ofIssuer: issuer) } catch {
            throw Failure(.invalidInput, "the issuer URL is not allowed: \(error)")
        }
        let own = configured.filter { $0.authority.address.isSameOrigin(as: authority.address) }
        if let same = own.first(where: { $0.authority == authority && $0.endpoints.issuer == nil }) { return same }
        guard !own.isEmpty || Self.isMicrosoft(authority.address) else {
            throw Failure(
                .usage,
                """
                the token's issuer \(authority.address.hostAndPort) is not configured or well known: \
                keys not fetched
                """,
                hint: .nameIssuer)
        }
        return Configured(authority)
    }

    /// Whether its origin is configured, rather than only named by a token.
    package func isConfigured(_ place: Configured) -> Bool {
        configured.contains { $0.authority.address.isSameOrigin(as: place.authority.address) }
    }

    private static func isMicrosoft(_ address: WebAddress) -> Bool {
        guard address.isSecure, address.port == nil else { return false }
        return Cloud.containing(host: address.host) != nil || address.host.hasSuffix(".b2clogin.com")
            || address.host.hasSuffix(".ciamlogin.com")
    }

    /// Entra ID's issuers end in `/v2.0`, which is not part of the authority.
    private static func authority(ofIssuer issuer: String) throws(Authority.Problem) -> Authority {
        let suffix = "/v2.0"
        if issuer.hasSuffix(suffix) {
            if let shorter = try? Authority(String(issuer.dropLast(suffix.count))), shorter.kind == .aad {
                return shorter
            }
        }
        return try Authority(issuer, kind: .oidc)
    }
}

extension KnownIssuers.Configured {
    package var host: String { authority.address.hostAndPort }
}

extension Provider {
    /// Checks a token's signature against its issuer's keys, for display; nothing else of the token is checked.
    ///
    /// - Parameter place: the place to fetch metadata and keys from, returned by ``KnownIssuers/place(of:)``.
    package func signature(of jwt: DecodedJWT, at place: KnownIssuers.Configured) async throws(Failure)
        -> SignatureCheck.Outcome
    {
        do {
            let metadata = try await discovery.metadata(for: place.authority, manual: place.endpoints)
            return try await SignatureCheck(keys: keys, address: try metadata.requiredKeys()).check(jwt)
        } catch { throw Failure(error) }
    }
}
