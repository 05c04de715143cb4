import NIOCore
import Synchronization

/// The open connections, limited in number, and how each one ends.
final class Connections: Sendable {
    /// The limit that a connection counts toward: other hosts cannot use up the connections of local programs.
    enum Room: Hashable, Sendable {
        case usual
        case forwarded
        /// Beyond the usual limit, for a user who checks, locks or stops the agent. Other programs learn that it is
        /// busy and work without it.
        case reserved

        /// A build can easily make a hundred calls at the same time.
        var most: Int {
            switch self {
            case .usual: 256
            case .forwarded: 128
            case .reserved: 32
            }
        }
    }

    static let reservedTime: TimeAmount = .seconds(5)

    private struct State {
        var isStopping = false
        /// Whether the next program on the socket takes over: a connection that was accepted is served.
        var isHandingOver = false
        var open: [ObjectIdentifier: RequestSlot] = [:]

        func count(in room: Room) -> Int { open.values.count { $0.room == room } }
    }

    private let state = Mutex(State())

    /// Nil if there are too many, or the agent is stopping.
    func open(_ channel: any Channel, isForwardSocket: Bool) -> RequestSlot? {
        state.withLock { state in
            let rooms: [Room] = isForwardSocket ? [.forwarded] : [.usual, .reserved]
            guard !state.isStopping || state.isHandingOver,
                let room = rooms.first(where: { state.count(in: $0) < $0.most })
            else {
                return nil
            }
            let turn = RequestSlot(channel, in: room)
            state.open[ObjectIdentifier(turn)] = turn
            if state.isHandingOver { turn.stop(afterFirstRequest: true) }
            return turn
        }
    }

    func closed(_ turn: RequestSlot) { state.withLock { $0.open[ObjectIdentifier(turn)] = nil } }

    var isFull: Bool { state.withLock { $0.count(in: .usual) >= Room.usual.most } }
    var count: Int { state.withLock { $0.open.count } }

    /// How long the request lasts that began first; zero if there is none.
    func longestRequest(at now: ContinuousClock.Instant) -> Duration {
        state.withLock { $0.open.values.map { $0.duration(at: now) }.max() ?? .zero }
    }

    /// Accepts no more connections. Open ones end after the pending response, or immediately.
    ///
    /// - Parameter handsOver: whether a connection without a request so far ends after its first one.
    func stop(handsOver: Bool = false) {
        let turns = state.withLock { state in
            (state.isStopping, state.isHandingOver) = (true, handsOver)
            return Array(state.open.values)
        }
        for turn in turns { turn.stop(afterFirstRequest: handsOver) }
    }
}

/// Whether a connection waits for a response: one request at a time.
///
/// A client may read a response and send its next request before the agent knows that the response was written, so one
/// response may be in flight. A client that sends requests without reading responses is disconnected.
final class RequestSlot: Sendable {
    private static let mostUnwritten = 2

    private struct State {
        var isAnswering = false
        /// The beginning of the last request.
        var begin: ContinuousClock.Instant?
        var unwritten = 0
        var isStopping = false
        var isBusy: Bool { isAnswering || unwritten > 0 }
    }

    private let state = Mutex(State())
    let room: Connections.Room
    private let channel: any Channel

    init(_ channel: any Channel, in room: Connections.Room = .usual) { (self.channel, self.room) = (channel, room) }

    /// - Returns: false while the previous request is running, or responses are not read.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isAnswering, state.unwritten < Self.mostUnwritten else { return false }
            state.isAnswering = true
            state.begin = .now
            return true
        }
    }

    func answered() {
        state.withLock { state in
            state.isAnswering = false
            state.unwritten += 1
        }
    }

    /// Ends the connection if it was waiting for this response.
    func written() {
        let isLast = state.withLock { state in
            state.unwritten -= 1
            return state.isStopping && !state.isBusy
        }
        if isLast { channel.close(promise: nil) }
    }

    func duration(at now: ContinuousClock.Instant) -> Duration {
        state.withLock { state in state.isAnswering ? state.begin.map { now - $0 } ?? .zero : .zero }
    }

    /// Ends the connection after the pending response, or immediately.
    ///
    /// - Parameter afterFirstRequest: whether a connection without a request so far ends after its first one.
    func stop(afterFirstRequest: Bool = false) {
        let mayStay = state.withLock { state in
            state.isStopping = true
            return state.isBusy || (afterFirstRequest && state.begin == nil)
        }
        if !mayStay { channel.close(promise: nil) }
    }
}

/// Counts the wrong passphrases of a connection: each one delays the next response.
final class FailedUnlockDelay: Sendable {
    private static let longest: Duration = .seconds(30)
    private let count = Mutex(0)

    func next() -> Duration {
        count.withLock { count in
            defer { count += 1 }
            return min(Self.longest, .seconds(1 << min(count, 5)))
        }
    }
}
