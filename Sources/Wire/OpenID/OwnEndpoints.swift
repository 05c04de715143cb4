package import Identity

// Cached metadata may have been changed since it was fetched, where its file is no better protected than the tokens.
// A provider's document may name any host; from a cached one no token or secret may be sent elsewhere.

extension ProviderMetadata {
    /// Whether each endpoint is at the authority's own place: its origin and a path below its own; at Entra ID, B2C and
    /// External ID, any path at a host of its cloud. Those that the settings name are not compared.
    ///
    /// - Parameter aliases: host names of the authority's cloud, from instance discovery.
    package func isAtOwnPlace(
        of authority: Authority, manual: EndpointOverrides = EndpointOverrides(), aliases: [String] = []
    ) -> Bool {
        let given = Set(manual.members.map(\.address))
        // Entra ID's userinfo endpoint is Microsoft Graph's, and never asked.
        let addresses: [WebAddress?] = [
            authorization, token, device, keys, authority.kind.isEntra ? nil : userInfo, revocation, endSession,
            registration, introspection, pushedAuthorization,
        ]
        return addresses.compactMap(\.self).allSatisfy { address in
            given.contains(address) || Self.isOwn(address, of: authority, aliases)
        }
    }

    private static func isOwn(_ address: WebAddress, of authority: Authority, _ aliases: [String]) -> Bool {
        let own = authority.address
        if authority.kind.isEntra {
            if address.isSameOrigin(as: own) { return true }
            let isOfCloud = Cloud.isSame(address.host, own.host) || aliases.contains(address.host)
            return isOfCloud && address.isSecure && address.port ?? 443 == 443
        }
        // A server resolves these, so that they lead out of the path.
        guard !address.path.utf8.contains(UInt8(ascii: "%")), !address.pathSegments.contains(where: isDots) else {
            return false
        }
        return address.isSameOrigin(as: own) && address.pathSegments.starts(with: own.pathSegments)
    }

    private static func isDots(_ segment: String) -> Bool { segment == "." || segment == ".." }
}
