package import Identity

/// Where a user revokes consent, which removing tokens here does not do.
package struct ConsentPage: Hashable, Sendable {
    /// Nil if no URL is known.
    package let address: WebAddress?
    /// The action there; lower case, without a final period.
    package let words: String
    package let administrator: String?

    private init(_ address: String?, _ words: String, administrator: String? = nil) {
        self.address = address.flatMap { try? WebAddress($0) }
        self.words = words
        self.administrator = administrator
    }

    /// - Parameters:
    ///   - server: the account's server, if known.
    ///   - clientID: the client whose consent it is; without it, the page with all of them.
    package static func of(_ account: Account, server: KnownServer? = nil, clientID: String? = nil) -> ConsentPage {
        if account.homeTenantID?.asciiLowercased == Account.personalTenant {
            return ConsentPage(
                "https://account.live.com/consent/Manage",
                "choose the app and remove its permissions; it must then request them again")
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
                    "for all users: \($0.admin), Enterprise applications, the app, Permissions"
                })
        }
        if host.hasSuffix(".b2clogin.com") || host.hasSuffix(".ciamlogin.com") || account.homeTenantID != nil {
            return ConsentPage(
                nil, "this provider has no such page: ask the app's owner or a tenant administrator")
        }
        let issuer = account.issuer.flatMap { try? WebAddress($0) } ?? (try? WebAddress("https://" + host))
        if let server = server ?? KnownServer.of(account), let page = server.page, let issuer {
            return ConsentPage(
                server.page(at: issuer, clientID: clientID)?.text,
                page.contains("{client}")
                    ? "press \"Revoke access\": all of the app's tokens for you end"
                    : "choose the app and revoke its access")
        }
        let origin = issuer?.originWithoutUsualPort ?? "https://\(host)"
        return ConsentPage(
            origin + "/", "see the connected apps in the provider's account settings"
        )
    }

    /// By request host. Clouds without a documented user page have only the administrators' page.
    private static let portals: [(host: String, apps: String?, admin: String)] = [
        ("login.microsoftonline.com", "https://myapps.microsoft.com/", "https://portal.azure.com/"),
        ("login.microsoftonline.us", "https://myapps.microsoft.us/", "https://portal.azure.us/"),
        ("login.partner.microsoftonline.cn", nil, "https://portal.azure.cn/"),
    ]
}
