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

extension Silent {
    /// If the decision is to refresh, returns the token that another process has just stored or is about to store. All
    /// callers that wait for the same refresh check as soon as it ends; a caller that still has to refresh then waits
    /// for the exclusive lock. Blocks the thread; sends and writes nothing.
    func renewedByAnother() throws(Failure) -> RenewalByAnother {
        let started = context.now()
        let snapshot = if let snapshot { snapshot } else { try context.snapshot() }
        let first = SilentDecision(context.situation(of: request, snapshot, at: started, keepsNewKeys: false))
        guard let key = first.turnName else { return .none(nil) }
        first.note(in: record, started)
        let begin = ContinuousClock.now
        var waited = false
        func turn(_ lock: RefreshLock.Handle? = nil) -> RefreshLockState {
            RefreshLockState(
                since: started, waited: waited, spent: waited ? ContinuousClock.now - begin : .zero, lock: lock)
        }
        do {
            let lock = try RefreshLock(path: context.cache.path, key: key)
            var isAlone = try lock.attempt(.exclusive)
            if !isAlone {
                waited = true
                noteWait()
                try lock.wait(.shared, timeout: Self.patience)
            }
            while true {
                let decision = try decided(after: first, in: .init(since: started, waited: waited), keepsNewKeys: false)
                if case .serve(let token, .storedByAnother) = decision.outcome {
                    lock.release()
                    noteChange(from: first, to: decision)
                    return .token(try answer(with: token, .storedByAnother, decision))
                }
                guard decision.turnName == key else { return .none(turn()) }
                if isAlone { return .none(turn(lock.passOn())) }
                try lock.wait(.exclusive, timeout: max(.zero, Self.patience - (ContinuousClock.now - begin)))
                isAlone = true
            }
        } catch {
            // The caller that runs the silent call gets the same error and reports it.
            return .none(turn())
        }
    }
}
