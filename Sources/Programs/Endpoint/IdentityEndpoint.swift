import CommandSupport
import Console
package import Identity
import NIOCore
import NIOHTTP1
import NIOPosix
import Proofs
import TokenCache
import Wire

/// An App Service managed identity endpoint for this user's programs on this machine.
///
/// Each request carries the secret from the programs' environment. A Unix socket is for containers that mount it.
package struct IdentityEndpoint: Sendable {
    package enum Place: Hashable, Sendable {
        /// A free port of 127.0.0.1.
        case loopback
        /// A socket of mode 0600 at this absolute path.
        case socket(path: String)
    }

    private typealias Client = NIOAsyncChannel<NIOHTTPServerRequestFull, IdentityAnswer>

    package let secret: Secret
    /// Nil at a Unix socket.
    package let port: Int?
    private let path: String?
    private let server: NIOAsyncChannel<Client, Never>
    private let connections: EndpointConnections

    /// Bytes of a request's body; the Azure Developer CLI's is a list of scopes.
    private static let longestBody = 16_384
    /// Time limit without traffic; a refresh responds within the request timeout.
    private static let idleTime: TimeAmount = .seconds(120)
    /// Connections queued by the kernel, so a program need not retry after a burst.
    private static let backlog: Int32 = 1024
    /// Time for pending responses after ``close()``.
    private static let grace: Duration = .seconds(5)

    /// Starts listening, or throws `configuration`; ``serve(_:)`` answers the requests.
    package static func open(_ place: Place) async throws(Failure) -> IdentityEndpoint {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: backlog)
        let secret = Secret(Random.token(bytes: 32))
        let connections = EndpointConnections()
        do {
            switch place {
            case .loopback:
                let server = try await bootstrap.bind(host: "127.0.0.1", port: 0) { Self.prepare($0, connections) }
                let port = server.channel.localAddress?.port
                return IdentityEndpoint(secret: secret, port: port, path: nil, server: server, connections: connections)
            case .socket(let path):
                try clear(path)
                let server = try await bootstrap.bind(unixDomainSocketPath: path) { Self.prepare($0, connections) }
                // Until then, requests of other users are refused by their user ID, like every request's.
                chmod(path, 0o600)
                return IdentityEndpoint(secret: secret, port: nil, path: path, server: server, connections: connections)
            }
        } catch let failure as Failure { throw failure } catch {
            throw Failure(
                .configuration, "cannot listen: \(SafeText.line("\(error)", limit: 200))",
                hint: "choose another place with --socket PATH")
        }
    }

    /// Removes a stale socket, and nothing else.
    private static func clear(_ path: String) throws(Failure) {
        let place = AgentPlace(path: path)
        guard place.fits else {
            throw Failure(.usage, "socket path longer than \(AgentPlace.longestPath) bytes: \(path)")
        }
        var info = stat()
        guard lstat(path, &info) == 0 else { return }
        let file = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { Glibc.close(file) }
        guard info.st_mode & S_IFMT == S_IFSOCK, info.st_uid == geteuid(),
            place.withAddress({ connect(file, $0, $1) }) != 0, errno == ECONNREFUSED
        else { throw Failure(.configuration, "\(path) already exists", hint: "choose another path with --socket") }
        unlink(path)
    }

    private static func prepare(
        _ channel: any Channel, _ connections: EndpointConnections
    ) -> EventLoopFuture<Client> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(IdleStateHandler(allTimeout: idleTime))
            try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: true)
            try pipeline.addHandler(NIOHTTPServerRequestAggregator(maxContentLength: longestBody))
            try pipeline.addHandler(IdentityAnswerWriter(connections))
            connections.add(channel)
            return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
        }
    }

    /// Returns after ``close()``, once pending requests are answered or given up.
    package func serve(_ tokens: IdentityTokens) async {
        let reader = IdentityRequestReader(secret: secret, port: port)
        let answering = Task {
            await withDiscardingTaskGroup { tasks in
                // A connection's error does not end the others; the listener fails only with the process.
                try? await server.executeThenClose { clients in
                    for try await client in clients {
                        tasks.addTask { await Self.answer(client, reader, tokens) }
                    }
                }
            }
        }
        try? await server.channel.closeFuture.get()
        if let path { unlink(path) }
        connections.closeAll()
        let limit = Task {
            try await Task.sleep(for: Self.grace)
            answering.cancel()
        }
        await answering.value
        limit.cancel()
        await tokens.close()
    }

    /// Stops listening, and thus ``serve(_:)``. Closes connections without a complete request.
    package func close() { server.channel.close(promise: nil) }

    /// One request per connection.
    private static func answer(_ client: Client, _ reader: IdentityRequestReader, _ tokens: IdentityTokens) async {
        try? await client.executeThenClose { requests, answers in
            for try await request in requests {
                try await answers.write(await answer(request, of: client.channel, reader, tokens))
                return
            }
        }
    }

    private static let foreigner = IdentityAnswer(
        IdentityRefusal(status: 403, message: "only programs of the same user may connect"))

    /// Only checks the peer's user after the secret, so other users cannot cause the kernel lookups.
    private static func answer(
        _ request: NIOHTTPServerRequestFull, of channel: any Channel, _ reader: IdentityRequestReader,
        _ tokens: IdentityTokens
    ) async -> IdentityAnswer {
        do throws(IdentityRefusal) {
            let body = request.body.map { Array($0.readableBytesView) } ?? []
            let asked = try reader.read(request.head, body: body)
            return await isOwn(channel) ? await tokens.answer(asked) : foreigner
        } catch { return IdentityAnswer(error) }
    }

    /// Whether the kernel reports a process of this user or of root as the peer.
    private static func isOwn(_ channel: any Channel) async -> Bool {
        if let ends = channel.ends {
            return await BlockingExecutor.run { LoopbackPeer.isKnownAsOwn(from: ends.from, to: ends.to) }
        }
        // NIO has no name for SO_PEERCRED.
        guard let options = channel as? any SocketOptionProvider,
            let peer: PeerCredentials = try? await options.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
            ).get()
        else { return false }
        return peer.uid == geteuid() || peer.uid == 0
    }
}
