package import Identity

/// The server that defines scopes: the same name means different things at different servers.
package enum ScopeIssuer: Hashable, Sendable {
    /// Scopes without a resource are Microsoft Graph's.
    case microsoft
    case server(KnownServer)
    /// Only OpenID Connect's scopes and those with a resource have a known meaning.
    case other

    /// - Parameter server: the account's server; nil if unknown.
    package init(_ account: Account, server: KnownServer?) {
        if Cloud.containing(host: account.environment) != nil || account.homeTenantID != nil {
            self = .microsoft
        } else {
            self = server.map { .server($0) } ?? .other
        }
    }

    /// The owner of a stored token's scopes.
    package init(_ credential: CachedCredential, server: KnownServer?) {
        self =
            Cloud.containing(host: credential.environment) != nil
            ? .microsoft : server.map { .server($0) } ?? .other
    }

    package init(_ account: Account) { self.init(account, server: KnownServer.of(account)) }

    /// The product that scopes without a resource belong to; nil if unknown.
    package var title: String? {
        switch self {
        case .microsoft: ScopeMeaning.resourceName(ScopeMeaning.graph)
        case .server(let server): server.title
        case .other: nil
        }
    }
}
