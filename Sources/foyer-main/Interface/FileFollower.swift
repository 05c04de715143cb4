import CommandSupport

/// Does work when files change.
@MainActor
final class FileFollower {
    private let events = SystemEvents()
    private var followed: [(paths: Set<String>, work: RepeatedWork)] = []
    private var listening: Task<Void, Never>?

    /// - Parameters:
    ///   - paths: of files that need not exist.
    ///   - pause: see ``RepeatedWork``.
    ///   - work: does not run before the first change.
    /// - Returns: the work, to request it without a change.
    @discardableResult
    func follow(_ paths: [String], pause: Duration = .milliseconds(250), _ work: @escaping RepeatedWork.Body)
        -> RepeatedWork
    {
        let work = RepeatedWork(pause: pause, work)
        followed.append((Set(paths), work))
        for path in paths { events.watch(path) }
        if listening == nil {
            listening = Task { [weak self, events] in
                for await changes in events.changes { self?.take(changes) }
            }
        }
        return work
    }

    private func take(_ changes: Set<SystemEvents.Change>) {
        for (paths, work) in followed where paths.contains(where: { changes.contains(.file($0)) }) { work.request() }
    }

    func end() {
        events.end()
        listening?.cancel()
        for (_, work) in followed { work.cancel() }
    }
}

/// Work that runs once at a time. Requests while it runs, and in the pause after it, lead to one more run.
@MainActor
final class RepeatedWork {
    typealias Body = @MainActor () async -> Void

    /// The share of the time, in runs, that long work leaves free under constant requests.
    private static let rest = 3

    private let body: Body
    private let pause: Duration
    private var isRequested = false
    private var task: Task<Void, Never>?

    /// - Parameter pause: the least between two runs.
    init(pause: Duration, _ body: @escaping Body) { (self.pause, self.body) = (pause, body) }

    func request() {
        isRequested = true
        guard task == nil else { return }
        task = Task {
            while isRequested, !Task.isCancelled {
                isRequested = false
                let began = ContinuousClock.now
                await body()
                try? await Task.sleep(for: max(pause, (ContinuousClock.now - began) * Self.rest))
            }
            task = nil
        }
    }

    func cancel() { task?.cancel() }
}
