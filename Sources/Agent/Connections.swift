import NIOCore
import Synchronization

/// The connections that are open, bounded in number, and how each is ended.
final class Connections: Sendable {
    /// What a connection is counted among: other hosts cannot take the room of this machine's programs.
    enum Room: Hashable, Sendable {
        case usual
        /// Of the socket for other hosts and containers.
        case forwarded
        /// Where the usual room is full: for a person who looks at the agent, locks it or stops it. Everybody else is
        /// told, and works alone.
        case reserved

        /// A hundred callers at once are usual in a build.
        var most: Int {
            switch self {
            case .usual: 256
            case .forwarded: 128
            case .reserved: 32
            }
        }
    }

    /// How long a connection in the reserve lasts, so that it is there for the next.
    static let reservedTime: TimeAmount = .seconds(5)

    private struct State {
        var isStopping = false
        var open: [ObjectIdentifier: Turn] = [:]

        func count(in room: Room) -> Int { open.values.count { $0.room == room } }
    }

    private let state = Mutex(State())

    /// Nil when there are too many, or the agent is stopping.
    func open(_ channel: any Channel, isForwardSocket: Bool) -> Turn? {
        state.withLock { state in
            let rooms: [Room] = isForwardSocket ? [.forwarded] : [.usual, .reserved]
            guard !state.isStopping, let room = rooms.first(where: { state.count(in: $0) < $0.most }) else {
                return nil
            }
            let turn = Turn(channel, in: room)
            state.open[ObjectIdentifier(turn)] = turn
            return turn
        }
    }

    func closed(_ turn: Turn) { state.withLock { $0.open[ObjectIdentifier(turn)] = nil } }

    /// Whether this machine's programs are told to work alone.
    var isFull: Bool { state.withLock { $0.count(in: .usual) >= Room.usual.most } }
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
///
/// A client may have read an answer before the agent knows that it is written, and ask the next thing: one answer may
/// be on its way then. Whoever asks without reading has more of them, and is cut off.
final class Turn: Sendable {
    private static let mostUnwritten = 2

    private struct State {
        var isAnswering = false
        var unwritten = 0
        var isStopping = false
        var isBusy: Bool { isAnswering || unwritten > 0 }
    }

    private let state = Mutex(State())
    let room: Connections.Room
    private let channel: any Channel

    init(_ channel: any Channel, in room: Connections.Room = .usual) { (self.channel, self.room) = (channel, room) }

    /// - Returns: false while the request before is still being answered, or answers are not read.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isAnswering, state.unwritten < Self.mostUnwritten else { return false }
            state.isAnswering = true
            return true
        }
    }

    /// The answer is there, and is written next.
    func answered() {
        state.withLock { state in
            state.isAnswering = false
            state.unwritten += 1
        }
    }

    /// Ends the connection where it was to end after this answer.
    func written() {
        let isLast = state.withLock { state in
            state.unwritten -= 1
            return state.isStopping && !state.isBusy
        }
        if isLast { channel.close(promise: nil) }
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
