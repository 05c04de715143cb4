import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on loopback that sends exactly the bytes it is told to, for providers that no honest library would serve.
final class StubServer: Sendable {
    /// What came in.
    struct Asked: Sendable {
        var method: String
        var target: String
        var headers: [(name: String, value: String)]
        var body: String

        func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
        func count(of name: String) -> Int { headers.filter { $0.name == name }.count }

        /// The fields of a form, as they stand.
        var fields: [String: String] {
            Dictionary(
                body.split(separator: "&").map { pair in
                    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                        String.init)
                    return (parts[0], parts.count == 2 ? parts[1] : "")
                }, uniquingKeysWith: { $0 + "," + $1 })
        }
    }

    /// What goes out.
    struct Reply: Sendable {
        var bytes: [UInt8]
        /// What follows the bytes: the end of the connection, silence, or one more byte every twentieth of a second.
        enum After: Sendable { case close, silence, drip }
        var after: After = .close

        static func raw(_ text: String, _ after: After = .close) -> Reply {
            Reply(bytes: Array(text.utf8), after: after)
        }

        static func answer(_ status: Int, _ body: String, type: String = "application/json", headers: [String] = [])
            -> Reply
        {
            let lines =
                [
                    "HTTP/1.1 \(status) Words", "Content-Type: \(type)", "Content-Length: \(body.utf8.count)",
                    "Connection: close",
                ] + headers
            return raw(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        }

        static func json(_ body: String) -> Reply { answer(200, body) }
    }

    let port: Int
    private let channel: any Channel
    private let log: Log

    fileprivate final class Log: Sendable {
        let entries = Mutex<[Asked]>([])
    }

    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private init(channel: any Channel, log: Log) {
        self.channel = channel
        self.log = log
        port = channel.localAddress?.port ?? 0
    }

    /// Everything that was asked so far, in order.
    var asked: [Asked] { log.entries.withLock { $0 } }

    /// Runs a server for as long as `body` runs.
    static func open<T>(
        tls: NIOSSLContext? = nil, _ respond: @escaping @Sendable (Asked) -> Reply,
        _ body: (StubServer) async throws -> T
    ) async throws -> T {
        let log = Log()
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(Actor(respond, log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = StubServer(channel: channel, log: log)
        do {
            let result = try await body(server)
            try await channel.close()
            return result
        } catch {
            try await channel.close()
            throw error
        }
    }

    /// Opens a port at which every piece of bytes is answered with others, for protocols that are not HTTP.
    static func bare<T>(_ answer: @escaping @Sendable ([UInt8]) -> [UInt8], _ body: (Int) async throws -> T)
        async throws -> T
    {
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Echo(answer)) }
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

    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: @Sendable ([UInt8]) -> [UInt8]
        init(_ answer: @escaping @Sendable ([UInt8]) -> [UInt8]) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = answer(Array(unwrapInboundIn(data).readableBytesView))
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    /// Reads one request and sends its reply.
    private final class Actor: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let respond: @Sendable (Asked) -> Reply
        private let log: Log
        private var seen: [UInt8] = []
        private var isDone = false

        init(_ respond: @escaping @Sendable (Asked) -> Reply, _ log: Log) {
            self.respond = respond
            self.log = log
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            seen += Array(unwrapInboundIn(data).readableBytesView)
            guard !isDone, let asked = request() else { return }
            isDone = true
            log.entries.withLock { $0.append(asked) }
            send(respond(asked), context)
        }

        private func send(_ reply: Reply, _ context: ChannelHandlerContext) {
            let channel = context.channel
            let written = context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: reply.bytes)))
            switch reply.after {
            case .close: written.whenComplete { _ in channel.close(promise: nil) }
            case .silence: break
            case .drip:
                channel.eventLoop.scheduleRepeatedTask(initialDelay: .milliseconds(50), delay: .milliseconds(50)) {
                    task in
                    guard channel.isActive else { return task.cancel() }
                    channel.writeAndFlush(ByteBuffer(string: "."), promise: nil)
                }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func request() -> Asked? {
            let text = String(decoding: seen, as: UTF8.self)
            guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
            let lines = text[..<end.lowerBound].split(separator: "\r\n")
            let first = lines[0].split(separator: " ").map(String.init)
            let headers = lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return (name: parts[0].lowercased(), value: String(parts[1].drop { $0 == " " }))
            }
            let body = String(text[end.upperBound...])
            let length = headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
            guard body.utf8.count >= length else { return nil }
            return Asked(method: first[0], target: first[1], headers: headers, body: body)
        }
    }
}
