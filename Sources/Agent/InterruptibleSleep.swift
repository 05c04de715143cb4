/// A sleep that other tasks can end early.
actor InterruptibleSleep {
    private var isEnded = false
    private var waiting: AsyncStream<Void>.Continuation?

    /// Ends the current sleep, or else the next one.
    func end() {
        isEnded = true
        waiting?.finish()
    }

    /// Returns when cancelled.
    ///
    /// - Parameter time: at most; nil for no limit.
    func sleep(for time: Duration?) async {
        if !isEnded {
            // A stream ends with its reading task, so each sleep needs its own.
            let (news, waiting) = AsyncStream<Void>.makeStream()
            self.waiting = waiting
            await withTaskGroup(of: Void.self) { group in
                if let time { group.addTask { try? await Task.sleep(for: time, clock: .continuous) } }
                group.addTask { for await _ in news {} }
                await group.next()
                group.cancelAll()
            }
            self.waiting = nil
        }
        isEnded = false
    }
}
