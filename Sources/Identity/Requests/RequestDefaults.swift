/// The values of a client's requests to a server: scopes, redirect URI, and the authority that a URL means for it. Each
/// command, form and helper takes them from here, so that the next one finds the cached token.
///
/// A client is registered at one provider, and its settings are for that one. A known server's own values fill the
/// rest.
package struct RequestDefaults: Hashable, Sendable {
    /// The URL of the client's own provider; nil if the settings leave it to the request.
    package var authority: String?
    package var kind: Authority.Kind?
    /// The name of the known server at ``authority``; nil if its host tells.
    package var server: String?
    /// The configured scopes; empty for the server's.
    package var scopes: ScopeSet
    /// The configured redirect URI; nil for the server's.
    package var redirectURI: String?
    /// The redirect URI of this command, for any provider.
    package var namedRedirectURI: String?

    package init(
        authority: String? = nil, kind: Authority.Kind? = nil, server: String? = nil, scopes: ScopeSet = [],
        redirectURI: String? = nil
    ) {
        (self.authority, self.kind, self.server) = (authority, kind, server)
        (self.scopes, self.redirectURI) = (scopes, redirectURI)
    }

    // MARK: The provider

    /// The client's own provider; nil if none is configured, or an invalid one, which is reported where it is used.
    package var own: Authority? { authority.flatMap { try? Authority($0, kind: kind) } }

    /// The authority that a URL means for the client: its own if the URL names it, also by its host alone, else one of
    /// the kind that follows from the URL.
    package func authority(_ text: String) throws(Authority.Problem) -> Authority {
        guard let authority, text == authority || isOwn(text) else { return try Authority(text) }
        return try Authority(authority, kind: kind)
    }

    private func isOwn(_ text: String) -> Bool {
        guard let issuer = own?.issuer, let given = try? WebAddress(text) else { return false }
        return Issuer.normalized(server.flatMap(KnownServer.named)?.authority(given) ?? text) == issuer
    }

    /// Whether an authority is the client's own, or could be because none is configured.
    package func isOwn(_ authority: Authority) -> Bool { own.map { $0 == authority } ?? true }

    package func server(at authority: Authority) -> KnownServer? {
        KnownServer.at(authority, named: server, for: own)
    }

    /// Whether an authority is another known server than the client's own: the configured scopes mean nothing there,
    /// and the client is not registered there with the configured redirect URI.
    private func isElsewhere(_ authority: Authority) -> Bool {
        guard let server = server(at: authority), let own, own != authority else { return false }
        return self.server(at: own) != server
    }

    // MARK: What is asked

    /// The scopes of a request; see ``ScopeSet/toAsk(named:configured:server:kind:clientID:legacy:)``.
    package func scopes(
        named: ScopeSet = [], at authority: Authority, clientID: String, legacy: ScopeSet? = nil
    ) -> ScopeSet {
        .toAsk(
            named: named, configured: configuredScopes(at: authority), server: server(at: authority),
            kind: authority.kind, clientID: clientID, legacy: legacy)
    }

    /// The scopes that the settings give the client at an authority; empty if they leave it to the server.
    package func configuredScopes(at authority: Authority) -> ScopeSet { isElsewhere(authority) ? [] : scopes }

    /// The scopes that the client is known to be registered for, by the settings or the server; empty if unknown.
    package func listedScopes(at authority: Authority) -> ScopeSet {
        let configured = configuredScopes(at: authority)
        return configured.isEmpty ? ScopeSet(server(at: authority)?.scopes ?? []) : configured
    }

    /// Which of `openid`, `profile` and `offline_access` to request; nil to request all that the provider supports.
    ///
    /// Some providers reject every scope that the client is not registered for, even `profile` and `offline_access`, so
    /// where the scopes are listed, nothing is added to them.
    ///
    /// - Parameter asked: the scopes of the request.
    package func reservedScopes(asking asked: ScopeSet, at authority: Authority) -> ScopeSet? {
        guard authority.kind.isStandard, !listedScopes(at: authority).isEmpty else { return nil }
        let configured = configuredScopes(at: authority)
        return configured.isEmpty ? asked.reservedOnly : configured.reservedOnly
    }

    package func redirectURI(at authority: Authority) -> String {
        namedRedirectURI ?? (isElsewhere(authority) ? nil : redirectURI) ?? server(at: authority)?.redirectURI
            ?? ClientConfiguration.usualRedirectURI
    }
}

extension ScopeSet {
    /// The scopes to request: the named ones, else the client's configured ones, else the resource of the account's
    /// ADAL token, else a known server's own. Otherwise the sign-in scopes at OpenID Connect providers and AD FS, the
    /// client itself at Azure AD B2C, and everything already granted for Microsoft Graph elsewhere.
    ///
    /// - Parameters:
    ///   - clientID: the requesting client. B2C issues an access token for this scope, but not for `openid` alone.
    ///   - legacy: the scopes of an account that only an ADAL cache contains; nil for others.
    package static func toAsk(
        named: ScopeSet = [], configured: ScopeSet, server: KnownServer? = nil, kind: Authority.Kind,
        clientID: String, legacy: ScopeSet? = nil
    ) -> ScopeSet {
        if !named.isEmpty { return named }
        if !configured.isEmpty { return configured }
        if let legacy { return legacy }
        if let server, !server.scopes.isEmpty { return ScopeSet(server.scopes) }
        switch kind {
        case .oidc: return ["openid", "profile", "email"]
        // The server's own default (RFC 6749 section 3.3).
        case .oauth2: return []
        case .adfs: return ["openid", "profile"]
        case .b2c: return ScopeSet([clientID])
        case .aad, .ciam: return .everything(of: "https://graph.microsoft.com")
        }
    }
}

extension ScopeSet {
    /// The scopes that Azure AD B2C granted, from its response. For a token of the client itself, it writes `/` or no
    /// scope in place of the client ID, depending on the tenant; such a token was granted if the response has one.
    package func completedByB2C(asked: ScopeSet, clientID: String) -> ScopeSet {
        let named = subtracting(["/"])
        return asked.contains(clientID) ? named.union([clientID]) : named
    }
}

extension Authority {
    /// Work and school accounts of any tenant in Microsoft's public cloud; the default authority.
    package static let defaultAddress = "https://login.microsoftonline.com/organizations"

    /// The authority for an account that the user picked: the client's own if the account belongs to its cloud and
    /// issuer, else the issuer of the account's entries, else the home tenant in the account's cloud. If the account
    /// does not record its origin, the client's own is used.
    ///
    /// - Parameter issuer: the issuer of that authority's accounts; nil for Entra ID.
    package static func toAsk(for account: Account, configured: Authority, issuer configuredIssuer: String?)
        -> Authority
    {
        let isSameCloud = Cloud.isSame(configured.environment, account.environment)
        if let issuer = account.issuer {
            if isSameCloud, configuredIssuer == issuer { return configured }
            return (try? Authority(ofIssuer: issuer)) ?? configured
        }
        guard !isSameCloud, let cloud = Cloud.containing(host: account.environment) else { return configured }
        let tenant = account.homeTenantID ?? "organizations"
        return (try? Authority("https://\(cloud.preferredNetwork)/\(tenant)")) ?? configured
    }

    /// Creates the authority for an issuer in the cache, of the kind ``kind(ofIssuer:)``.
    package init(ofIssuer issuer: String) throws(Problem) { try self.init(issuer, kind: Self.kind(ofIssuer: issuer)) }

    /// AD FS if the issuer ends in `/adfs`, a known server's kind at its own hosts, else OpenID Connect.
    package static func kind(ofIssuer issuer: String) -> Kind {
        if issuer.hasSuffix("/adfs") { return .adfs }
        return (try? WebAddress(issuer)).flatMap(KnownServer.at)?.kind ?? .oidc
    }
}
