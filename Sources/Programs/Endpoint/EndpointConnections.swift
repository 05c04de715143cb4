import NIOCore
import Synchronization

/// The connections of an endpoint, bounded in number: any user of the machine can open some.
///
/// A connection is silent until its request has come as a whole. Programs send theirs as soon as they have connected,
/// so where there are too many, the one that has been silent longest makes room; and nobody waits for a silent one when
/// the endpoint closes.
final class EndpointConnections: Sendable {
    /// A hundred callers at once are usual in a build.
    static let most = 256
    /// How long a request may take to come.
    static let requestTime: TimeAmount = .seconds(10)

    private struct State {
        var isClosed = false
        /// The longest first.
        var silent: [any Channel] = []
        var answered: Set<ObjectIdentifier> = []

        mutating func takeSilent(_ channel: any Channel) -> Bool {
            guard let index = silent.firstIndex(where: { $0 === channel }) else { return false }
            silent.remove(at: index)
            return true
        }
    }

    private let state = Mutex(State())

    /// One that comes after ``closeAll()``, or while as many as can be are being answered, is closed.
    func add(_ channel: any Channel) {
        let leaving: (any Channel)? = state.withLock { state in
            guard !state.isClosed, state.answered.count < Self.most else { return channel }
            state.silent.append(channel)
            return state.silent.count + state.answered.count > Self.most ? state.silent.removeFirst() : nil
        }
        let limit = channel.eventLoop.scheduleTask(in: Self.requestTime) { [self] in
            if state.withLock({ $0.takeSilent(channel) }) { channel.close(promise: nil) }
        }
        channel.closeFuture.whenComplete { [self] _ in
            limit.cancel()
            state.withLock { state in
                if !state.takeSilent(channel) { state.answered.remove(ObjectIdentifier(channel)) }
            }
        }
        leaving?.close(promise: nil)
    }

    /// The request of this one has come as a whole.
    func isAsking(_ channel: any Channel) {
        state.withLock { state in
            if state.takeSilent(channel) { state.answered.insert(ObjectIdentifier(channel)) }
        }
    }

    func closeAll() {
        let channels = state.withLock { state in
            state.isClosed = true
            defer { state.silent = [] }
            return state.silent
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
