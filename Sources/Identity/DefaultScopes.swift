extension ScopeSet {
    /// The scopes to ask for: those that are named, else those that the settings have for the client, else the resource
    /// that an ADAL cache's token of the account was for, else who the person is at an OpenID Connect provider and
    /// everything consented to for Microsoft Graph elsewhere.
    ///
    /// The one place that says so, for commands and screens alike.
    ///
    /// - Parameters:
    ///   - kind: of the authority that is asked.
    ///   - legacy: the scopes of an account that only an ADAL cache knows; nil for others.
    package static func toAsk(
        named: ScopeSet = [], configured: ScopeSet, kind: Authority.Kind, legacy: ScopeSet? = nil
    ) -> ScopeSet {
        if !named.isEmpty { return named }
        if !configured.isEmpty { return configured }
        if let legacy { return legacy }
        return kind == .oidc ? ["openid", "profile", "email"] : .everything(of: "https://graph.microsoft.com")
    }
}
