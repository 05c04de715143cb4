/// Answers that callers may have to leave before they are there: they wait for 25 seconds at most, and a person who is
/// asked, or a slow provider, may take longer. Whoever asks the same again gets the answer of the first.
package actor LateAnswers<Key: Hashable & Sendable, Answer: Sendable> {
    private struct Entry {
        let task: Task<Answer, Never>
        var waiting = 0
        /// When it was there though nobody waited any more.
        var ended: ContinuousClock.Instant?
    }

    /// How long an answer that nobody took is kept.
    private static var retention: Duration { .seconds(60) }

    /// Whoever asks for more is told to try again.
    private static var most: Int { 64 }

    private var entries: [Key: Entry] = [:]
    private let patience: Duration

    /// - Parameter patience: of a caller.
    package init(patience: Duration) { self.patience = patience }

    package var isEmpty: Bool { entries.values.allSatisfy { $0.ended != nil } }

    /// - Parameter work: begun once for all who ask the same at a time.
    /// - Returns: nil when it is not there in time; it goes on.
    package func answer(_ key: Key, _ work: @escaping @Sendable () async -> Answer) async -> Answer? {
        entries = entries.filter { $0.value.ended.map { $0 + Self.retention > .now } ?? true }
        if let entry = entries[key], entry.ended != nil {
            entries[key] = nil
            return await entry.task.value
        }
        if entries[key] == nil {
            guard entries.count < Self.most else { return nil }
            entries[key] = Entry(
                task: Task {
                    let answer = await work()
                    self.ended(key)
                    return answer
                })
        }
        guard let task = entries[key]?.task else { return nil }
        entries[key]?.waiting += 1
        let answer = await Self.value(of: task, within: patience)
        entries[key]?.waiting -= 1
        if answer != nil, entries[key]?.waiting == 0, entries[key]?.ended != nil { entries[key] = nil }
        return answer
    }

    private func ended(_ key: Key) { entries[key]?.ended = .now }

    /// The task goes on when its value is not there in time.
    private static func value(of task: Task<Answer, Never>, within time: Duration) async -> Answer? {
        let (first, turn) = AsyncStream<Answer?>.makeStream()
        let waiter = Task { turn.yield(await task.value) }
        let clock = Task {
            try? await Task.sleep(for: time, clock: .continuous)
            turn.yield(nil)
        }
        defer {
            waiter.cancel()
            clock.cancel()
        }
        for await answer in first { return answer }
        return nil
    }
}
