import CommandSupport
import FoundationEssentials
import Glibc
import TokenCache

/// Does work when files change.
@MainActor
final class FileFollower {
    /// Starts a thread, which the first screen does not wait for.
    private lazy var events = SystemEvents()
    private var followed: [(paths: Set<String>, work: RepeatedWork)] = []
    private var listening: Task<Void, Never>?

    /// - Parameters:
    ///   - paths: of files that need not exist.
    ///   - since: when the files were read; a later change is followed by the work.
    ///   - pause: see ``RepeatedWork``.
    ///   - work: does not run before a change.
    /// - Returns: the work, to request it without a change.
    @discardableResult
    func follow(
        _ paths: [String], since: Date = .distantFuture, pause: Duration = .milliseconds(250),
        _ work: @escaping RepeatedWork.Body
    ) -> RepeatedWork {
        let work = RepeatedWork(pause: pause, work)
        followed.append((Set(paths), work))
        for path in paths { events.watch(path) }
        if listening == nil {
            listening = Task { [weak self, events] in
                for await changes in events.changes { self?.take(changes) }
            }
        }
        if paths.contains(where: { Self.hasChanged($0, since: since) }) { work.request() }
        return work
    }

    /// Seconds by which the clock of file times may be behind.
    private static let clockTolerance = 0.02

    private static func hasChanged(_ path: String, since date: Date) -> Bool {
        var info = stat()
        guard uninterrupted({ stat(path, &info) }) == 0 else { return false }
        let changed = Double(info.st_ctim.tv_sec) + Double(info.st_ctim.tv_nsec) / 1e9
        return changed + clockTolerance > date.timeIntervalSince1970
    }

    private func take(_ changes: Set<SystemEvents.Change>) {
        for (paths, work) in followed where paths.contains(where: { changes.contains(.file($0)) }) { work.request() }
    }

    func end() {
        guard listening != nil else { return }
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
    private let clock: any Clock<Duration>
    private var isRequested = false
    private var task: Task<Void, Never>?

    /// - Parameter pause: the least between two runs.
    init(pause: Duration, clock: any Clock<Duration> = ContinuousClock(), _ body: @escaping Body) {
        (self.pause, self.clock, self.body) = (pause, clock, body)
    }

    func request() {
        isRequested = true
        guard task == nil else { return }
        task = Task {
            while isRequested, !Task.isCancelled {
                isRequested = false
                let time = await clock.measure { await body() }
                try? await clock.sleep(for: max(pause, time * Self.rest))
            }
            task = nil
        }
    }

    func cancel() { task?.cancel() }
}
