import Identity
import StrictJSON

// The tenants of an account, as its entries have them.

extension CacheSnapshot {
    static func profile(of entry: CacheEntry, home: String) -> TenantProfile? {
        let texts: [StaticString] = ["username", "local_account_id", "realm", "name"]
        guard texts.allSatisfy(entry.isTextOrMissing) else { return nil }
        let local = entry.filled("local_account_id") ?? home
        return TenantProfile(
            tenantID: entry.text("realm") ?? "", localAccountID: local, username: entry.text("username") ?? "",
            name: entry.filled("name"),
            isHome: HomeAccountID.isHome(local, of: home))
    }

    /// MSAL.js stores a guest's tenants in one entry, each as JSON in a string.
    static func nestedProfiles(of entry: CacheEntry) -> [TenantProfile] {
        entry.texts("tenantProfiles").compactMap { text in
            guard
                let value = try? JSONValue(
                    parsing: Array(text.utf8), limits: JSONLimits(maximumBytes: 65_536, maximumDepth: 4)),
                let tenant = value["tenantId"]?.string, let local = value["localAccountId"]?.string
            else { return nil }
            return TenantProfile(
                tenantID: tenant, localAccountID: local, username: value["username"]?.string ?? "",
                name: value["name"]?.string,
                isHome: value["isHomeTenant"]?.bool ?? false)
        }
    }
}
