import CommandSupport
import Glibc
import NIOCore
import Synchronization
import TokenCache

/// Ends the accepting of a listening channel before the channel is closed: a connection that is accepted while it is
/// being closed would be dropped without an answer. Later connections wait for the next program on the socket.
final class AcceptGate: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = Never

    private let isOpen = Mutex(true)

    func read(context: ChannelHandlerContext) {
        if isOpen.withLock({ $0 }) { context.read() }
    }

    func shut() { isOpen.withLock { $0 = false } }

    /// An accepted connection goes from the loop of its listener to its own, and back.
    private static let hops = 4

    /// Waits until the loops have done what was waiting on them.
    static func finishAccepting(on group: any EventLoopGroup) async {
        for _ in 0..<hops {
            for loop in group.makeIterator() { try? await loop.submit {}.get() }
        }
    }

    /// How long a connection of our own waits for its first line.
    private static let patience: Int32 = 200

    /// Waits until the last accepted connection has been handed over: the channel still accepts one after it was shut,
    /// which is this one or came before it.
    static func settle(at place: AgentPlace) {
        let file = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard file >= 0 else { return }
        defer { Glibc.close(file) }
        _ = place.withAddress { address, length in Glibc.connect(file, address, length) }
        var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        _ = uninterrupted { Glibc.poll(&waiting, 1, patience) }
    }
}
