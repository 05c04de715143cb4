import NIOCore
import NIOHTTP1
import StrictJSON

/// Writes an answer, and closes.
final class IdentityAnswerWriter: ChannelOutboundHandler, ChannelInboundHandler {
    typealias InboundIn = NIOHTTPServerRequestFull
    typealias InboundOut = NIOHTTPServerRequestFull
    typealias OutboundIn = IdentityAnswer
    typealias OutboundOut = HTTPServerResponsePart

    private let connections: EndpointConnections

    init(_ connections: EndpointConnections) { self.connections = connections }

    /// A request has come as a whole.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connections.isAsking(context.channel)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let answer = unwrapOutboundIn(data)
        let body = ByteBuffer(string: answer.body.serialized() + "\n")
        let headers: HTTPHeaders = [
            "content-type": "application/json; charset=utf-8", "content-length": String(body.readableBytes),
            "cache-control": "no-store", "connection": "close",
        ]
        let status = HTTPResponseStatus(statusCode: answer.status)
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    /// Nothing has come or gone for too long.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
