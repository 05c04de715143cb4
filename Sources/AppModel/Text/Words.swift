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
        username.lastIndex(of: "@").map { String(username[username.index(after: $0)...]) }.flatMap {
            $0.isEmpty ? nil : $0
        }
    }
}

extension AccountOverview {
    /// Tenants are Microsoft's, also behind a host of nobody's table.
    var isMicrosoft: Bool { Cloud.containing(host: account.environment) != nil || account.homeTenantID != nil }
}
