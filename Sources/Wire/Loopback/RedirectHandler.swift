import NIOCore
import NIOHTTP1

/// Closes a connection that sends more than a redirect needs.
final class RequestSizeLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let most = 16_384
    private static let answer =
        "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    private var seen = 0
    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        seen += unwrapInboundIn(data).readableBytes
        if seen <= Self.most { return context.fireChannelRead(data) }
        guard !isOver else { return }
        isOver = true
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.answer))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }
}

/// Answers one request, then closes the connection.
final class RedirectHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let judge: (HTTPRequestHead, [UInt8]) -> LoopbackRequestHandler.Response
    private let allowedMethods: String
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    /// Pipelined further requests are ignored.
    private var isAnswered = false

    init(allowedMethods: String, judge: @escaping (HTTPRequestHead, [UInt8]) -> LoopbackRequestHandler.Response) {
        (self.allowedMethods, self.judge) = (allowedMethods, judge)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isAnswered else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        // Limited by `RequestSizeLimit`.
        case .body(let part): body += Array(part.readableBytesView)
        case .end:
            guard let head else { return context.close(promise: nil) }
            isAnswered = true
            answer(judge(head, body), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ verdict: LoopbackRequestHandler.Response, _ context: ChannelHandlerContext) {
        var headers = HTTPHeaders()
        headers.add(name: "content-type", value: "text/html; charset=utf-8")
        headers.add(name: "content-length", value: String(verdict.page.utf8.count))
        headers.add(name: "connection", value: "close")
        // Keeps the code in the URL from leaking further.
        headers.add(name: "cache-control", value: "no-store")
        headers.add(name: "referrer-policy", value: "no-referrer")
        headers.add(
            name: "content-security-policy",
            value: "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
        headers.add(name: "x-content-type-options", value: "nosniff")
        if verdict.status == .methodNotAllowed { headers.add(name: "allow", value: allowedMethods) }
        if let location = verdict.location { headers.add(name: "location", value: location) }
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: verdict.status, headers: headers))),
            promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: verdict.page)))), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            verdict.afterwards?()
            channel.close(promise: nil)
        }
    }
}
