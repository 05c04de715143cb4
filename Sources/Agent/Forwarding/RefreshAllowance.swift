import Identity

/// The limit of an account's refreshes for other hosts and containers: a program there that repeats requests must not
/// get the user throttled or locked out at the provider. Pure.
struct RefreshAllowance {
    /// Requests with claims, which no cached token answers. A resource sends new ones after an event such as a changed
    /// password, so an account gets one for each of its resources then.
    static let mostForced = 5
    /// Whatever is sent, also for scopes without a cached token.
    static let most = 30
    static let period: Duration = .seconds(600)

    private struct Refresh {
        let at: Duration
        let isForced: Bool
    }

    /// Oldest first; of the last ``period`` alone.
    private var refreshes: [AccountID: [Refresh]] = [:]

    /// Counts a refresh that may be sent now.
    ///
    /// - Parameter now: of a clock that does not go back.
    /// - Returns: the time until it may be sent; nil if it may be now.
    mutating func take(_ account: AccountID, isForced: Bool, at now: Duration) -> Duration? {
        for (account, earlier) in refreshes {
            let recent = earlier.filter { now - $0.at < Self.period }
            refreshes[account] = recent.isEmpty ? nil : recent
        }
        let earlier = refreshes[account] ?? []
        func wait(_ earlier: [Refresh], _ most: Int) -> Duration? {
            earlier.count < most ? nil : earlier[earlier.count - most].at + Self.period - now
        }
        let waits = [wait(earlier, Self.most), isForced ? wait(earlier.filter(\.isForced), Self.mostForced) : nil]
        if let longest = waits.compactMap(\.self).max() { return longest }
        refreshes[account, default: []].append(Refresh(at: now, isForced: isForced))
        return nil
    }
}
