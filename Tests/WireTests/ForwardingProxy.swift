import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A proxy on loopback that leads whatever host is named to one port of this machine.
struct ForwardingProxy: Sendable {
    enum Kind: Sendable { case http, socks5 }

    /// Opens it for as long as `body` runs.
    ///
    /// - Parameters:
    ///   - tls: what it presents, for a proxy that is spoken to in TLS.
    ///   - password: who is let in, as `user:password`; nil lets everybody in.
    ///   - heard: told what was said before bytes passed.
    static func open<T>(
        _ kind: Kind, to port: Int, tls: NIOSSLContext? = nil, password: String? = nil,
        heard: @escaping @Sendable (String) -> Void = { _ in },
        _ body: (Int) async throws -> T
    ) async throws -> T {
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(Door(kind, port, password, heard))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            let result = try await body(channel.localAddress?.port ?? 0)
            try await channel.close()
            return result
        } catch {
            try await channel.close()
            throw error
        }
    }

    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private final class Door: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let kind: Kind
        private let port: Int
        private let password: String?
        private let heard: @Sendable (String) -> Void
        private var step = 0
        private var seen: [UInt8] = []
        private var far: (any Channel)?

        init(_ kind: Kind, _ port: Int, _ password: String?, _ heard: @escaping @Sendable (String) -> Void) {
            self.kind = kind
            self.port = port
            self.password = password
            self.heard = heard
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            if let far { return far.writeAndFlush(buffer, promise: nil) }
            seen += Array(buffer.readableBytesView)
            switch kind {
            case .http: http(context)
            case .socks5: socks(context)
            }
        }

        private func http(_ context: ChannelHandlerContext) {
            guard let text = String(validating: seen, as: UTF8.self), text.hasSuffix("\r\n\r\n") else { return }
            heard(text)
            seen = []
            let wanted = password.map { "Proxy-Authorization: Basic " + Base64.encode($0) }
            guard wanted.map({ text.lowercased().contains($0.lowercased()) }) ?? true else {
                say(Array("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n".utf8), context)
                return context.close(promise: nil)
            }
            lead(context, Array("HTTP/1.1 200 Yes\r\n\r\n".utf8))
        }

        private func socks(_ context: ChannelHandlerContext) {
            let bytes = seen
            seen = []
            step += 1
            switch (step, password) {
            case (1, nil): say([5, 0], context)
            case (1, _?): say([5, bytes.contains(2) ? 2 : 0xFF], context)
            case (2, let password?):
                let user = Int(bytes[1])
                let given =
                    String(decoding: bytes[2..<(2 + user)], as: UTF8.self) + ":"
                    + String(decoding: bytes[(3 + user)...], as: UTF8.self)
                say([1, given == password ? 0 : 1], context)
            default:
                heard(String(decoding: bytes[5..<(5 + Int(bytes[4]))], as: UTF8.self))
                lead(context, [5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
            }
        }

        private func lead(_ context: ChannelHandlerContext, _ words: [UInt8]) {
            let near = context.channel
            ClientBootstrap(group: context.eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Back(near)) }
                }
                .connect(host: "127.0.0.1", port: port).assumeIsolated().whenSuccess { channel in
                    self.far = channel
                    near.writeAndFlush(ByteBuffer(bytes: words), promise: nil)
                }
        }

        private func say(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { far?.close(promise: nil) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private final class Back: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let near: any Channel
        init(_ near: any Channel) { self.near = near }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            near.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }
        func channelInactive(context: ChannelHandlerContext) { near.close(promise: nil) }
    }
}
