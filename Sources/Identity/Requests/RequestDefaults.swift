// Default scopes and authority for requests that name none, shared by commands and screens.

extension ScopeSet {
    /// The scopes to request: the named ones, else the client's configured ones, else the resource of the account's
    /// ADAL token. Otherwise the sign-in scopes at OpenID Connect providers and AD FS, the client itself at Azure AD
    /// B2C, and everything already granted for Microsoft Graph elsewhere.
    ///
    /// - Parameters:
    ///   - clientID: the requesting client. B2C issues an access token for this scope, but not for `openid` alone.
    ///   - legacy: the scopes of an account that only an ADAL cache contains; nil for others.
    package static func toAsk(
        named: ScopeSet = [], configured: ScopeSet, kind: Authority.Kind, clientID: String, legacy: ScopeSet? = nil
    ) -> ScopeSet {
        if !named.isEmpty { return named }
        if !configured.isEmpty { return configured }
        if let legacy { return legacy }
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
