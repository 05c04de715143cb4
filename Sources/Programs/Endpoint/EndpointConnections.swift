import NIOCore
import Synchronization

/// The open connections of an endpoint, limited in number, since every user of the machine can open some. If there are
/// too many, the longest silent one, without a complete request, is closed; programs send theirs right after
/// connecting.
final class EndpointConnections: Sendable {
    /// A build often has a hundred callers at the same time.
    private static let most = 256
    static let requestTime: TimeAmount = .seconds(10)

    private struct State {
        var isClosed = false
        /// Longest silent first.
        var silent: [any Channel] = []
        var answered: Set<ObjectIdentifier> = []

        mutating func takeSilent(_ channel: any Channel) -> Bool {
            guard let index = silent.firstIndex(where: { $0 === channel }) else { return false }
            silent.remove(at: index)
            return true
        }
    }

    private let state = Mutex(State())

    /// Closes the new connection after ``closeAll()``, or if too many requests are being answered.
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
