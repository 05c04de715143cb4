package import FoundationEssentials
package import Identity
package import TokenCache

/// Refresh lock state that a small program passes, by exec, to the program that continues its call.
package struct RefreshLockState: Hashable, Sendable {
    package let since: Date
    package let waited: Bool
    /// The time spent waiting, which counts towards the limit.
    package let spent: Duration
    package let lock: RefreshLock.Handle?

    package init(since: Date, waited: Bool, spent: Duration, lock: RefreshLock.Handle?) {
        (self.since, self.waited, self.spent, self.lock) = (since, waited, spent, lock)
    }
}

/// The result of waiting for another process's refresh.
package enum RenewalByAnother: Sendable {
    case token(AcquiredToken)
    /// The silent call must run, with this lock state.
    case none(RefreshLockState?)
}
