import FoundationEssentials
import Identity

package enum AccountSorting: String, CaseIterable, Sendable {
    /// By how often and how recently they were used; never used ones by name.
    case frequent
    case name, lastUsed, expiresFirst

    var next: AccountSorting { Self.allCases.next(after: self) }

    /// For the title; nil for the default order.
    package var words: String? {
        switch self {
        case .frequent: nil
        case .name: "by name"
        case .lastUsed: "last used first"
        case .expiresFirst: "expiring first"
        }
    }

    /// - Parameter accounts: sorted by name.
    /// - Returns: their indexes in this order.
    func order(of accounts: [AccountOverview], uses: AccountUses, at now: Date) -> [Int] {
        switch self {
        case .frequent where !uses.isEmpty: return Self.byKey(accounts) { -uses.weight(of: $0.account.id, at: now) }
        case .frequent, .name: return Array(accounts.indices)
        case .lastUsed:
            return Self.byKey(accounts) { -($0.lives.compactMap(\.cachedAt).max()?.timeIntervalSince1970 ?? 0) }
        case .expiresFirst:
            // An account without any token comes first: nothing is left to expire.
            return Self.byKey(accounts) { $0.lives.compactMap(\.expiresOn).max()?.timeIntervalSince1970 ?? 0 }
        }
    }

    static func byName(_ accounts: [AccountOverview]) -> [AccountOverview] {
        // Sorting indexes is cheaper: each account holds a dozen references.
        accounts.indices.map { (accounts[$0].account.label.lowercased(), $0) }
            .sorted { left, right in
                guard left.0 == right.0 else { return left.0 < right.0 }
                let (one, other) = (accounts[left.1], accounts[right.1])
                // The uses of an account keep their order, the latest first.
                return (one.account.homeAccountID, one.store?.name ?? "", left.1)
                    < (other.account.homeAccountID, other.store?.name ?? "", right.1)
            }.map { accounts[$0.1] }
    }

    /// Equal keys keep the order of names.
    private static func byKey(_ accounts: [AccountOverview], _ key: (AccountOverview) -> Double) -> [Int] {
        accounts.enumerated().map { (key($0.element), $0.offset) }.sorted { $0 < $1 }.map(\.1)
    }
}
