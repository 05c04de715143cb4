import Explain
import FoundationEssentials
package import Identity

/// The outcome of an account's silent call, for its row in the list.
package struct RowStatus: Hashable, Sendable {
    package var status: AccountStatus
    /// The resource of the token, such as `Graph`; empty if its scopes name none, and for another program's account.
    package var resource = ""
}

/// Account statuses by index in the list, for its title, order, filter and rows.
struct AccountStatuses: Equatable, Sendable {
    /// Nil for an account that is not decided yet.
    var statuses: [RowStatus?] = []
    var undecided = 0
    var needSignIn: Set<Int> = []
    /// Those of other programs, where the person signs in by that program.
    var needSignInElsewhere: Set<Int> = []
    var expireSoon: Set<Int> = []
}

extension AccountStatuses {
    init(_ statuses: [RowStatus?], of accounts: [AccountOverview], _ clock: Clock) {
        self.statuses = statuses
        for (place, status) in statuses.enumerated() {
            guard let status = status?.status else {
                undecided += 1
                continue
            }
            if status.needsPerson {
                if accounts[place].store == nil { needSignIn.insert(place) } else { needSignInElsewhere.insert(place) }
            }
            if status.expiresSoon(clock) { expireSoon.insert(place) }
        }
    }

    /// Whether a person has to sign in to it, here or in its own program.
    func needsSignIn(_ place: Int) -> Bool { needSignIn.contains(place) || needSignInElsewhere.contains(place) }

    var isAnyNeeding: Bool { !needSignIn.isEmpty || !needSignInElsewhere.isEmpty }

    func isOfSameNeed(as other: AccountStatuses) -> Bool {
        needSignIn == other.needSignIn && needSignInElsewhere == other.needSignInElsewhere
    }
}

/// The accounts to decide next: each once after the store was read, then again in turn.
struct DecisionTurn: Equatable, Sendable {
    private var next = 0
    /// The number still to decide since the store was read.
    private(set) var left = 0
    var isWaiting = false
    /// Whether it is the last request after the store was read.
    private(set) var isLast = false
    private var last: Date?

    init(left: Int = 0) { self.left = left }

    func isDue(at now: Date, after pause: TimeInterval) -> Bool {
        !isWaiting && (left > 0 || last.map { abs(now.timeIntervalSince($0)) >= pause } ?? true)
    }

    mutating func take(_ most: Int, of count: Int, at now: Date) -> [Int] {
        last = now
        let places = (next..<next + min(most, count)).map { $0 % count }
        isLast = left > 0 && left <= places.count
        (next, left, isWaiting) = ((next + places.count) % count, max(0, left - places.count), true)
        return places
    }
}

/// Accounts from one read of the store, decided in the background because ten thousand take longer than a key press
/// may.
package struct StatusesRequest: Equatable, Sendable {
    let planner: CallPlanner
    let places: [Int]
    let accounts: [AccountOverview]
    /// See ``Context/use(of:)``.
    let uses: [ClientUse?]
    let now: Date

    /// In the same order. Reads the store.
    package func statuses() -> [RowStatus] {
        zip(accounts, uses).map { $0.status(by: planner, $1, at: now) }
    }
}

extension AccountOverview {
    /// By the silent call's decision; for another program's account, which foyer makes no calls for, by the cache.
    func status(by planner: CallPlanner?, _ use: ClientUse?, at now: Date) -> RowStatus {
        guard let use, let planner else { return RowStatus(status: standing(at: now)) }
        let call = planner.call(account, use, now)
        return RowStatus(status: call.status, resource: call.resource(at: ScopeIssuer(account)))
    }
}
