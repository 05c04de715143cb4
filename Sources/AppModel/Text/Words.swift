import Identity

/// A GUID by its first group, so that it is seen to be cut; anything else as it is.
package func shortened(_ identifier: String) -> String { identifier.isGUID ? identifier.prefix(8) + "…" : identifier }

/// The words for a number of things.
package func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
}

package func needingSignIn(_ count: Int) -> String { count == 1 ? "1 needs sign-in" : "\(count) need sign-in" }

extension Account {
    /// What follows the last `@` of the username.
    package var domain: String? { username.domain }

    /// The identifiers of its tenants, each once, the home tenant first.
    var tenants: [String] {
        var tenants: [String] = []
        for tenant in [homeTenantID ?? ""] + tenantProfiles.map(\.tenantID)
        where !tenant.isEmpty && !tenants.contains(tenant) {
            tenants.append(tenant)
        }
        return tenants
    }

    /// The domain of the name that the person has in a tenant.
    func domain(in tenant: String) -> String? { tenantProfiles.first { $0.tenantID == tenant }?.username.domain }
}

extension String {
    /// What follows the last `@`.
    fileprivate var domain: String? {
        guard let at = utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let domain = self[utf8.index(after: at)...]
        return domain.isEmpty ? nil : String(domain)
    }
}

extension AccountOverview {
    /// Tenants are Microsoft's, also behind a host of nobody's table.
    var isMicrosoft: Bool { Cloud.containing(host: account.environment) != nil || account.homeTenantID != nil }
}

extension String {
    /// Filled with spaces, for words of ours alone: each of their characters takes one column.
    package func padded(to columns: Int) -> String { self + String(repeating: " ", count: max(0, columns - count)) }
}
