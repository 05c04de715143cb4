import FoundationEssentials
import Identity

/// In which order accounts are listed.
package enum AccountSorting: String, CaseIterable, Sendable {
    /// By how often and how lately they were used; those that never were, by name.
    case frequent
    case name, lastUsed, expiresFirst

    var next: AccountSorting {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }

    /// Said in the title; the usual order is not.
    package var words: String? {
        switch self {
        case .frequent: nil
        case .name: "by name"
        case .lastUsed: "last used first"
        case .expiresFirst: "expiring first"
        }
    }

    /// The places of accounts that are sorted by name, in this order.
    func order(of accounts: [AccountOverview], uses: AccountUses, at now: Date) -> [Int] {
        switch self {
        case .frequent where !uses.isEmpty: return Self.byKey(accounts) { -uses.weight(of: $0.account.id, at: now) }
        case .frequent, .name: return Array(accounts.indices)
        case .lastUsed:
            return Self.byKey(accounts) { -($0.lives.compactMap(\.cachedAt).max()?.timeIntervalSince1970 ?? 0) }
        case .expiresFirst:
            // Without any token there is nothing left that could end: such an account comes first.
            return Self.byKey(accounts) { $0.lives.compactMap(\.expiresOn).max()?.timeIntervalSince1970 ?? 0 }
        }
    }

    static func byName(_ accounts: [AccountOverview]) -> [AccountOverview] {
        // Places are moved, not accounts: each holds a dozen references.
        accounts.indices.map { (accounts[$0].account.label.lowercased(), $0) }
            .sorted { left, right in
                guard left.0 == right.0 else { return left.0 < right.0 }
                let (one, other) = (accounts[left.1], accounts[right.1])
                return (one.account.homeAccountID, one.store?.name ?? "")
                    < (other.account.homeAccountID, other.store?.name ?? "")
            }.map { accounts[$0.1] }
    }

    /// Equal ones keep the order of their names.
    private static func byKey(_ accounts: [AccountOverview], _ key: (AccountOverview) -> Double) -> [Int] {
        accounts.enumerated().map { (key($0.element), $0.offset) }.sorted { $0 < $1 }.map(\.1)
    }
}
