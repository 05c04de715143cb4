package import Identity
package import Wire

/// Who may be asked for keys because a token names them as its issuer: a token that somebody hands over must not choose
/// whom this machine talks to.
package struct KnownIssuers: Sendable {
    /// An authority as the settings or an option name it, with what is given of it by hand.
    package struct Configured: Sendable {
        var authority: Authority
        var endpoints: EndpointOverrides

        package init(_ authority: Authority, _ endpoints: EndpointOverrides = EndpointOverrides()) {
            (self.authority, self.endpoints) = (authority, endpoints)
        }
    }

    private let configured: [Configured]

    package init(_ configured: [Configured]) { self.configured = configured }

    /// Where the keys of an issuer are asked for.
    ///
    /// - Throws: `usage` for an issuer of an origin that is neither configured nor one of Microsoft's; an address of
    ///   this machine or of a private network is therefore only asked when it is configured.
    package func place(of issuer: String) throws(Failure) -> Configured {
        if let exact = configured.first(where: {
            $0.endpoints.issuer.map { $0.utf8.elementsEqual(issuer.utf8) } ?? false
        }) {
            return exact
        }
        let authority: Authority
        do { authority = try Self.authority(ofIssuer: issuer) } catch {
            throw Failure(.invalidInput, "the token's issuer is no address that may be asked: \(error)")
        }
        let own = configured.filter { $0.authority.address.isSameOrigin(as: authority.address) }
        if let same = own.first(where: { $0.authority == authority && $0.endpoints.issuer == nil }) { return same }
        guard !own.isEmpty || Self.isMicrosoft(authority.address) else {
            throw Failure(
                .usage,
                """
                the token's issuer \(authority.address.hostAndPort) is neither configured nor known, so nobody \
                was asked for its keys
                """,
                hint: .nameIssuer)
        }
        return Configured(authority)
    }

    /// Whether somebody named its origin here, rather than only a token.
    package func isConfigured(_ place: Configured) -> Bool {
        configured.contains { $0.authority.address.isSameOrigin(as: place.authority.address) }
    }

    private static func isMicrosoft(_ address: WebAddress) -> Bool {
        guard address.isSecure, address.port == nil else { return false }
        return Cloud.containing(host: address.host) != nil || address.host.hasSuffix(".b2clogin.com")
            || address.host.hasSuffix(".ciamlogin.com")
    }

    /// Entra ID's issuers end in `/v2.0`, which is no part of the authority.
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
    /// The host that is going to be asked, for saying so first.
    package var host: String { authority.address.hostAndPort }
}

extension Provider {
    /// Whether a token's signature is its issuer's, for showing: nothing else of the token is checked.
    ///
    /// - Parameter place: where the issuer's metadata and keys are asked for, from ``KnownIssuers/place(of:)``.
    package func signature(of jwt: DecodedJWT, at place: KnownIssuers.Configured) async throws(Failure)
        -> SignatureCheck.Outcome
    {
        do {
            let metadata = try await discovery.metadata(for: place.authority, manual: place.endpoints)
            return try await SignatureCheck(keys: keys, address: metadata.keys).check(jwt)
        } catch { throw Failure(error) }
    }
}
