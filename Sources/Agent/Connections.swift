import NIOCore
import Synchronization

/// The connections that are open, bounded in number, and how each is ended.
final class Connections: Sendable {
    /// More are turned away, and work alone: a hundred callers at once are usual in a build.
    static let most = 256

    private struct State {
        var isStopping = false
        var open: [ObjectIdentifier: Turn] = [:]
    }

    private let state = Mutex(State())

    /// Nil when there are too many, or the agent is stopping.
    func open(_ channel: any Channel) -> Turn? {
        state.withLock { state in
            guard !state.isStopping, state.open.count < Self.most else { return nil }
            let turn = Turn(channel)
            state.open[ObjectIdentifier(turn)] = turn
            return turn
        }
    }

    func closed(_ turn: Turn) { state.withLock { $0.open[ObjectIdentifier(turn)] = nil } }

    var count: Int { state.withLock { $0.open.count } }
    var isIdle: Bool { state.withLock { $0.open.values.allSatisfy { !$0.isBusy } } }

    /// No connection is taken any more; each that is open ends with the answer that it waits for, or at once.
    func stop() {
        let turns = state.withLock { state in
            state.isStopping = true
            return Array(state.open.values)
        }
        for turn in turns { turn.stop() }
    }
}

/// Whether a connection waits for an answer: it asks one thing at a time.
final class Turn: Sendable {
    private struct State {
        var isBusy = false
        var isStopping = false
    }

    private let state = Mutex(State())
    private let channel: any Channel

    init(_ channel: any Channel) { self.channel = channel }

    /// - Returns: false while the request before is still being answered.
    func begin() -> Bool {
        state.withLock { state in
            defer { state.isBusy = true }
            return !state.isBusy
        }
    }

    /// - Returns: whether the connection goes on.
    func end() -> Bool {
        state.withLock { state in
            state.isBusy = false
            return !state.isStopping
        }
    }

    var isBusy: Bool { state.withLock { $0.isBusy } }

    func stop() {
        let isBusy = state.withLock { state in
            state.isStopping = true
            return state.isBusy
        }
        if !isBusy { channel.close(promise: nil) }
    }
}

/// Wrong passphrases of one connection: each makes the next answer later.
final class WrongTries: Sendable {
    private static let longest: Duration = .seconds(30)
    private let count = Mutex(0)

    /// How long the answer to another one waits.
    func next() -> Duration {
        count.withLock { count in
            defer { count += 1 }
            return min(Self.longest, .seconds(1 << min(count, 5)))
        }
    }
}
