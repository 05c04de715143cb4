import FoundationEssentials
package import Identity

/// How accounts stand, by their places in the list: the source of its title, order, filter and rows.
struct AccountStandings: Equatable, Sendable {
    /// Nil for an account that is not decided yet.
    var statuses: [AccountStatus?] = []
    var undecided = 0
    var needSignIn: Set<Int> = []
    var expireSoon: Set<Int> = []
}

extension AccountStandings {
    init(_ statuses: [AccountStatus?], of accounts: [AccountOverview], _ clock: Clock) {
        self.statuses = statuses
        for (place, status) in statuses.enumerated() {
            guard let status else {
                undecided += 1
                continue
            }
            // Another program's account is not ours to sign in.
            if status.needsPerson, accounts[place].store == nil { needSignIn.insert(place) }
            if status.expiresSoon(clock) { expireSoon.insert(place) }
        }
    }
}

/// Which accounts are decided next: each once after the store was read, then again in turn.
struct DecisionTurn: Equatable, Sendable {
    private var next = 0
    /// How many are not decided since the store was read.
    private(set) var left = 0
    /// Whether a request is running.
    var isWaiting = false
    /// Whether it is the last one after the store was read.
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

/// Accounts of one reading of the store that are decided away from the model, as ten thousand take longer than a key
/// may.
package struct StandingsRequest: Equatable, Sendable {
    let planner: CallPlanner
    let places: [Int]
    let accounts: [AccountOverview]
    /// As ``Context/clientToPlan(_:clientID:)`` has them.
    let clientIDs: [String?]
    let clientInView: String?
    let now: Date

    /// In the same order. Reads the store.
    package func statuses() -> [AccountStatus] {
        zip(accounts, clientIDs).map { $0.status(by: planner, clientID: $1, inView: clientInView, at: now) }
    }
}

extension AccountOverview {
    /// By the silent call's decision; for an account of another program, for which foyer makes no call, by the cache.
    func status(by planner: CallPlanner?, clientID: String?, inView: String?, at now: Date) -> AccountStatus {
        guard let clientID, let planner else { return standing(at: now, clientID: inView) }
        return planner.call(for: account, clientID: clientID, at: now).status
    }
}
