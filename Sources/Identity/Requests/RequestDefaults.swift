// What a request asks for where nobody said it: the one place that decides, for commands and screens alike.

extension ScopeSet {
    /// The scopes to ask for: those that are named, else those that the settings have for the client, else the resource
    /// that an ADAL cache's token of the account was for, else who the person is at an OpenID Connect provider and at
    /// AD FS, the client itself at Azure AD B2C, and everything consented to for Microsoft Graph elsewhere.
    ///
    /// - Parameters:
    ///   - clientID: of the client that asks: B2C gives an access token for it, and for `openid` alone none.
    ///   - kind: of the authority that is asked.
    ///   - legacy: the scopes of an account that only an ADAL cache knows; nil for others.
    package static func toAsk(
        named: ScopeSet = [], configured: ScopeSet, kind: Authority.Kind, clientID: String, legacy: ScopeSet? = nil
    ) -> ScopeSet {
        if !named.isEmpty { return named }
        if !configured.isEmpty { return configured }
        if let legacy { return legacy }
        switch kind {
        case .oidc: return ["openid", "profile", "email"]
        case .adfs: return ["openid", "profile"]
        case .b2c: return ScopeSet([clientID])
        case .aad, .ciam: return .everything(of: "https://graph.microsoft.com")
        }
    }
}

extension Authority {
    /// Work and school accounts of any tenant in Microsoft's public cloud: asked where no authority is named.
    package static let defaultAddress = "https://login.microsoftonline.com/organizations"

    /// The authority to ask for an account that a person pointed at: the client's own where the account is of its cloud
    /// and issuer, else the issuer that the account's entries name, else the home tenant in the account's cloud. The
    /// client's own also serves an account that says nothing of where it is from.
    ///
    /// - Parameters:
    ///   - configured: the client's own authority.
    ///   - issuer: whose accounts that authority has; nil for Entra ID.
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

    /// The authority of an issuer as the cache keeps it: AD FS's ends in `/adfs`, any other is OpenID Connect's.
    ///
    /// - Throws: ``Problem`` when the address may not be used.
    package init(ofIssuer issuer: String) throws(Problem) {
        try self.init(issuer, kind: issuer.hasSuffix("/adfs") ? .adfs : .oidc)
    }
}
