import NIOCore
import NIOHTTP1
import StrictJSON

/// Writes one response, then closes the connection.
final class IdentityAnswerWriter: ChannelOutboundHandler, ChannelInboundHandler {
    typealias InboundIn = NIOHTTPServerRequestFull
    typealias InboundOut = NIOHTTPServerRequestFull
    typealias OutboundIn = IdentityAnswer
    typealias OutboundOut = HTTPServerResponsePart

    private let connections: EndpointConnections

    init(_ connections: EndpointConnections) { self.connections = connections }

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

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
