package import FoundationEssentials
package import Identity

/// How often and how recently each account was used: every use adds one, and the sum halves every three days. One
/// number and one time per account are enough for that.
package struct AccountUses: Equatable, Sendable {
    package struct Use: Equatable, Sendable {
        package var account: AccountID
        package var weight: Double
        package var at: Date

        package init(account: AccountID, weight: Double, at: Date) {
            (self.account, self.weight, self.at) = (account, weight, at)
        }
    }

    private var byAccount: [AccountID: Use] = [:]
    /// Seconds.
    private static let halfLife: TimeInterval = 3 * 86_400
    /// The number of accounts remembered; the lowest weights are dropped.
    package static let limit = 500
    /// More than manual use can reach; a larger weight in a file is not foyer's.
    package static let heaviest = 10_000.0

    package init(_ uses: [Use] = []) {
        for use in uses.prefix(Self.limit) where use.weight > 0 && use.weight <= Self.heaviest {
            byAccount[use.account] = use
        }
    }

    package var isEmpty: Bool { byAccount.isEmpty }
    package var uses: [Use] { Array(byAccount.values) }
    package func use(of account: AccountID) -> Use? { byAccount[account] }

    /// The current weight of an account's uses. A time in the future (the clock went back) counts as now.
    package func weight(of account: AccountID, at now: Date) -> Double {
        byAccount[account].map { Self.weight($0, at: now) } ?? 0
    }

    private static func weight(_ use: Use, at now: Date) -> Double {
        use.weight / (1 + max(0, now.timeIntervalSince(use.at)) / halfLife)
    }

    package mutating func note(_ account: AccountID, at now: Date) {
        let weight = min(Self.heaviest, weight(of: account, at: now) + 1)
        byAccount[account] = Use(account: account, weight: weight, at: now)
        while byAccount.count > Self.limit,
            let least = byAccount.values.min(by: { Self.weight($0, at: now) < Self.weight($1, at: now) })
        {
            byAccount[least.account] = nil
        }
    }
}
