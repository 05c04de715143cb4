package import FoundationEssentials
package import Identity

/// How often and how lately each account was used: every use counts one, and after three days without another all of
/// them half. One number and one time an account are enough for that.
package struct AccountUses: Equatable, Sendable {
    package struct Use: Equatable, Sendable {
        package var account: AccountID
        /// The weight at the time of the last use.
        package var weight: Double
        package var at: Date

        package init(account: AccountID, weight: Double, at: Date) {
            (self.account, self.weight, self.at) = (account, weight, at)
        }
    }

    private var byAccount: [AccountID: Use] = [:]
    /// Seconds.
    private static let halfLife: TimeInterval = 3 * 86_400
    /// More accounts are not remembered; what weighs least goes.
    package static let limit = 500
    /// More than any hand brings about; a larger one was not written by us.
    package static let heaviest = 10_000.0

    package init(_ uses: [Use] = []) {
        for use in uses.prefix(Self.limit) where use.weight > 0 && use.weight <= Self.heaviest {
            byAccount[use.account] = use
        }
    }

    package var isEmpty: Bool { byAccount.isEmpty }
    package var uses: [Use] { Array(byAccount.values) }
    package func use(of account: AccountID) -> Use? { byAccount[account] }

    /// What an account's uses weigh now. A time that is still to come (the clock went back) counts as now.
    package func weight(of account: AccountID, at now: Date) -> Double {
        byAccount[account].map { Self.weight($0, at: now) } ?? 0
    }

    private static func weight(_ use: Use, at now: Date) -> Double {
        use.weight / (1 + max(0, now.timeIntervalSince(use.at)) / halfLife)
    }

    /// Counts one use more.
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
