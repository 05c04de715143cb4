package import FoundationEssentials
package import Identity
package import TokenCache

/// What a program that refreshes nothing found of the turn to refresh, for the one that the process becomes by exec,
/// which goes on with the same call.
package struct RefreshTurn: Hashable, Sendable {
    /// When the call began.
    package let since: Date
    /// Whether another call was waited for.
    package let waited: Bool
    /// How long, of the time that is waited at most.
    package let spent: Duration
    /// The lock, where it is held.
    package let lock: RefreshLock.Handle?

    package init(since: Date, waited: Bool, spent: Duration, lock: RefreshLock.Handle?) {
        (self.since, self.waited, self.spent, self.lock) = (since, waited, spent, lock)
    }
}

/// What there is to hand out without asking a provider.
package enum RenewalByAnother: Sendable {
    /// Another process stored it.
    case token(AcquiredToken)
    /// The silent call has to be carried out, with what is known of its turn.
    case none(RefreshTurn?)
}

extension Silent {
    /// Where a refresh is the decision: the token that another process is about to store, or stored a moment ago. All
    /// who wait for the same refresh look at once when it has ended; who has to refresh nevertheless waits to be alone.
    /// The thread is held meanwhile. Nothing is sent or written.
    func renewedByAnother() throws(Failure) -> RenewalByAnother {
        let started = context.now()
        let snapshot = if let snapshot { snapshot } else { try context.snapshot() }
        let first = SilentDecision(context.situation(of: request, snapshot, at: started, keepsNewKeys: false))
        guard let key = first.turnName else { return .none(nil) }
        first.note(in: record, started)
        let begin = ContinuousClock.now
        var waited = false
        func turn(_ lock: RefreshLock.Handle? = nil) -> RefreshTurn {
            RefreshTurn(since: started, waited: waited, spent: waited ? ContinuousClock.now - begin : .zero, lock: lock)
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
            // Whoever carries the call out comes upon the same, and tells it.
            return .none(turn())
        }
    }
}
