import Explain
import Identity

/// A GUID's first group with an ellipsis; other strings unchanged.
package func shortened(_ identifier: String) -> String {
    identifier.isGUID ? String(Substring(identifier.utf8.prefix(8))) + "…" : identifier
}

package func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
}

package func needingSignIn(_ count: Int) -> String { count == 1 ? "1 needs sign-in" : "\(count) need sign-in" }

/// Such as `2 need sign-in, 1 in other programs`; empty if no account needs it.
///
/// - Parameter elsewhere: the number of accounts that need it in another program.
package func needingSignIn(_ count: Int, elsewhere: Int) -> String {
    switch (count, elsewhere) {
    case (0, 0): ""
    case (_, 0): needingSignIn(count)
    case (0, _): needingSignIn(elsewhere) + " in other programs"
    default: needingSignIn(count) + ", \(elsewhere) in other programs"
    }
}

extension Account {
    /// The part after the last `@` of the username.
    /// Tenant IDs without duplicates, the home tenant first.
    var tenants: [String] {
        var tenants: [String] = []
        for tenant in [homeTenantID ?? ""] + tenantProfiles.map(\.tenantID)
        where !tenant.isEmpty && !tenants.contains(tenant) {
            tenants.append(tenant)
        }
        return tenants
    }
}

extension AccountOverview {
    /// Only Microsoft has tenants, even at a host that foyer does not know.
    var isMicrosoft: Bool { ScopeIssuer(account, server: nil) == .microsoft }
}

extension String {
    /// Padded with spaces. For foyer's own words, whose characters take one column each.
    package func padded(to columns: Int) -> String { self + String(repeating: " ", count: max(0, columns - count)) }
}
