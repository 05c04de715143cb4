package import Glibc
package import Identity
import NIOCore
import NIOHTTP1
import NIOPosix
import Proofs
import Synchronization

/// A loopback URL that redirects the first browser that opens it, once.
///
/// Every user of the machine can read a process's arguments. A browser is therefore started with this URL instead of
/// one that contains an authorization request's state, an ID token hint or a user code. It cannot be guessed, serves
/// one request, and closes after its lifetime, used or not.
package final class OneTimeAddress: Sendable {
    /// The URL to start the browser with.
    package let address: WebAddress

    private let channel: any Channel
    private let handler: OneTimeAddressHandler

    private init(address: WebAddress, channel: any Channel, handler: OneTimeAddressHandler) {
        (self.address, self.channel, self.handler) = (address, channel, handler)
    }

    /// - Parameter isOwn: whether the process that connected from the first address to the second may be redirected. If
    ///   not, the URL remains unused.
    package static func start(
        for destination: WebAddress, lifetime: Duration,
        isOwn: @escaping @Sendable (_ from: sockaddr_in, _ to: sockaddr_in) -> Bool = { _, _ in true }
    ) async throws(WireError) -> OneTimeAddress {
        let handler = OneTimeAddressHandler(destination: destination, path: "/" + Random.token(bytes: 32), isOwn: isOwn)
        let channel: any Channel
        do { channel = try await bind(handler) } catch {
            let code = (error as? IOError)?.errnoCode
            throw .unsupported(
                "cannot listen on a local port: \(code.map(IOErrorWords.of) ?? "no socket")")
        }
        channel.eventLoop.scheduleTask(in: TimeAmount(lifetime)) { channel.close(promise: nil) }
        guard let port = channel.localAddress?.port,
            let address = try? WebAddress("http://127.0.0.1:\(port)\(handler.path)")
        else {
            channel.close(promise: nil)
            throw .unsupported("cannot listen on a local port")
        }
        return OneTimeAddress(address: address, channel: channel, handler: handler)
    }

    /// Waits up to `limit` for a browser to be redirected; false right away if the calling task is canceled.
    package func isUsed(within limit: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { [handler] group in
            group.addTask {
                for await _ in handler.uses { return true }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// Frees the port; a page being sent still arrives.
    package func close() { channel.close(promise: nil) }

    private static func bind(_ handler: OneTimeAddressHandler) async throws -> any Channel {
        try await ServerBootstrap(group: EventLoops.group)
            .serverChannelOption(.backlog, value: 64)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RequestSizeLimit())
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withPipeliningAssistance: false, withErrorHandling: true)
                    let ends = channel.ends
                    try channel.pipeline.syncOperations.addHandler(
                        RedirectHandler(allowedMethods: "GET") { head, _ in handler.judge(head, ends) })
                    channel.eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }
}

private final class OneTimeAddressHandler: Sendable {
    let path: String
    let uses: AsyncStream<Void>

    private let destination: WebAddress
    private let isOwn: @Sendable (sockaddr_in, sockaddr_in) -> Bool
    private let sink: AsyncStream<Void>.Continuation
    private let isUsed = Mutex(false)

    init(destination: WebAddress, path: String, isOwn: @escaping @Sendable (sockaddr_in, sockaddr_in) -> Bool) {
        self.destination = destination
        self.path = path
        self.isOwn = isOwn
        (uses, sink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
    }

    /// The path is the secret, so the Host header is not checked: a forwarded port has another one.
    func judge(_ head: HTTPRequestHead, _ ends: (from: sockaddr_in, to: sockaddr_in)?)
        -> LoopbackRequestHandler.Response
    {
        guard Secret(head.uri).isEqual(constantTime: Secret(path)) else {
            return LoopbackRequestHandler.Response(status: .notFound, page: ClosingPage.nothing)
        }
        guard head.method == .GET else {
            return LoopbackRequestHandler.Response(status: .methodNotAllowed, page: ClosingPage.nothing)
        }
        guard let ends, isOwn(ends.from, ends.to) else {
            return LoopbackRequestHandler.Response(status: .forbidden, page: ClosingPage.nothing)
        }
        let isFirst = isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
        guard isFirst else { return LoopbackRequestHandler.Response(status: .gone, page: ClosingPage.used) }
        return LoopbackRequestHandler.Response(status: .found, page: ClosingPage.nothing, location: destination.text) {
            [sink] in sink.yield()
        }
    }
}
