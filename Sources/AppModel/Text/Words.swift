import Identity

/// A GUID by its first group; anything else as it is.
package func shortened(_ identifier: String) -> String { identifier.isGUID ? String(identifier.prefix(8)) : identifier }

/// The words for a number of things.
package func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
}

extension Account {
    /// What follows the last `@` of the username.
    package var domain: String? {
        guard let at = username.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let domain = username[username.utf8.index(after: at)...]
        return domain.isEmpty ? nil : String(domain)
    }
}

extension AccountOverview {
    /// Tenants are Microsoft's, also behind a host of nobody's table.
    var isMicrosoft: Bool { Cloud.containing(host: account.environment) != nil || account.homeTenantID != nil }
}
