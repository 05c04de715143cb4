import CommandSupport
import NIOCore

/// Makes lines of what comes in, each within a size and a time: a client that sends more, or the rest too late, is cut
/// off.
final class LineReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// From the first byte of a request to its end.
    static let patience: TimeAmount = .seconds(10)

    private let limit: Int
    private var received: ByteBuffer?
    private var deadline: Scheduled<Void>?

    init(limit: Int) { self.limit = limit }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = unwrapInboundIn(data)
        if received == nil { received = incoming } else { received?.writeBuffer(&incoming) }
        while let line = nextLine() { context.fireChannelRead(wrapInboundOut(line)) }
        guard let rest = received, rest.readableBytes > 0 else {
            received = nil
            deadline?.cancel()
            deadline = nil
            return
        }
        guard rest.readableBytes < limit else { return context.close(promise: nil) }
        guard deadline == nil else { return }
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { context.close(promise: nil) }
    }

    private func nextLine() -> ByteBuffer? {
        guard var buffer = received, let end = buffer.readableBytesView.firstIndex(of: 0x0A) else { return nil }
        let length = end - buffer.readerIndex
        guard length < limit, let line = buffer.readSlice(length: length) else { return nil }
        buffer.moveReaderIndex(forwardBy: 1)
        received = buffer
        // The time of the next line is its own.
        deadline?.cancel()
        deadline = nil
        return line
    }

    /// Nothing came and nothing went for too long.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
        context.fireChannelInactive()
    }
}
