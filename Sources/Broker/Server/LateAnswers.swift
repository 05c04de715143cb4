/// Keeps results that arrive after their callers time out: callers wait at most 25 seconds, but the user's permission
/// or a slow provider may take longer. A repeated request gets the result of the first.
package actor LateAnswers<Key: Hashable & Sendable, Answer: Sendable> {
    private struct Entry {
        let task: Task<Answer, Never>
        var waiting = 0
        var ended: ContinuousClock.Instant?
    }

    /// Lifetime of a result that no caller has fetched.
    private static var retention: Duration { .seconds(60) }

    /// Further requests fail as if they had timed out.
    private static var most: Int { 64 }

    private var entries: [Key: Entry] = [:]
    private let patience: Duration

    /// - Parameter patience: the longest wait of a caller.
    package init(patience: Duration) { self.patience = patience }

    package var isEmpty: Bool { entries.values.allSatisfy { $0.ended != nil } }

    /// - Parameter work: runs once for all callers with the same key.
    /// - Returns: nil on timeout; the work continues.
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
