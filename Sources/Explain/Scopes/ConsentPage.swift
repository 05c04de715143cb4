package import Identity

/// Where a person takes back what a program was allowed: removing tokens here does not.
package struct ConsentPage: Hashable, Sendable {
    /// Nil where no address is known.
    package let address: WebAddress?
    /// What to do there; lower case, no full stop.
    package let words: String
    /// What an administrator does, where there is one.
    package let administrator: String?

    private init(_ address: String?, _ words: String, administrator: String? = nil) {
        self.address = address.flatMap { try? WebAddress($0) }
        self.words = words
        self.administrator = administrator
    }

    /// The page for an account by its kind and its cloud.
    package static func of(_ account: Account) -> ConsentPage {
        if account.homeTenantID?.asciiLowercased == Account.personalTenant {
            return ConsentPage(
                "https://account.live.com/consent/Manage",
                "choose the app and remove its permissions; it then has to ask again")
        }
        let host = account.environment
        if let cloud = Cloud.containing(host: host) {
            let portal = portals.first { $0.host == cloud.preferredNetwork }
            return ConsentPage(
                portal?.apps,
                portal?.apps == nil
                    ? "ask an administrator of the tenant"
                    : "open the app's menu, then \"Manage your application\", then \"Revoke permissions\"",
                administrator: portal.map {
                    "for everybody: \($0.admin), Enterprise applications, the app, Permissions"
                })
        }
        if host.hasSuffix(".b2clogin.com") || host.hasSuffix(".ciamlogin.com") || account.homeTenantID != nil {
            return ConsentPage(
                nil, "this provider has no page for it: ask the app's owner or a tenant administrator")
        }
        if host == "accounts.google.com" {
            return ConsentPage(
                "https://myaccount.google.com/connections", "choose the app and delete its connection")
        }
        let origin = account.issuer.flatMap { try? WebAddress($0) }?.originWithoutUsualPort ?? "https://\(host)"
        return ConsentPage(
            origin + "/", "the provider's own account pages list the apps that may act for you; their place differs"
        )
    }

    /// By the host to send requests to. A cloud whose page for persons is not documented has its administrators' page
    /// alone.
    private static let portals: [(host: String, apps: String?, admin: String)] = [
        ("login.microsoftonline.com", "https://myapps.microsoft.com/", "https://portal.azure.com/"),
        ("login.microsoftonline.us", "https://myapps.microsoft.us/", "https://portal.azure.us/"),
        ("login.partner.microsoftonline.cn", nil, "https://portal.azure.cn/"),
    ]
}
