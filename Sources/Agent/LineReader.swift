import CommandSupport
import NIOCore

/// Splits input into lines of limited size and duration: a client that exceeds either is disconnected.
final class LineReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// From the first to the last byte of a request.
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
        // Each line has its own deadline.
        deadline?.cancel()
        deadline = nil
        return line
    }

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
