import CommandSupport
import Console
import Glibc
package import Identity
import NIOCore
import NIOHTTP1
import NIOPosix
import StrictJSON
import TokenCache
import Wire

/// A managed-identity endpoint in the form of App Service's, for programs of this user on this machine.
///
/// Each request brings the secret that the environment of the programs names; a Unix socket is for containers, into
/// which it is mounted.
package final class IdentityEndpoint: Sendable {
    package enum Place: Hashable, Sendable {
        /// A free port of 127.0.0.1.
        case loopback
        /// A socket of mode 0600 at this absolute path.
        case socket(path: String)
    }

    package let secret: Secret
    /// Nil at a Unix socket.
    package let port: Int?
    private let path: String?
    private let server: NIOAsyncChannel<NIOAsyncChannel<NIOHTTPServerRequestFull, IdentityAnswer>, Never>
    private let connections: EndpointConnections

    /// Bytes of a request's body; the Azure Developer CLI's is a list of scopes.
    private static let longestBody = 16_384
    /// How long a connection may be without any traffic; a refresh answers within the time limit of requests.
    private static let idleTime: TimeAmount = .seconds(120)
    /// What others have opened at once is taken up before a program has to try again.
    private static let backlog: Int32 = 1024
    /// How long an answer that is under way has after ``close()``, before it is given up.
    private static let grace: Duration = .seconds(5)

    private init(
        secret: Secret, port: Int?, path: String?,
        server: NIOAsyncChannel<NIOAsyncChannel<NIOHTTPServerRequestFull, IdentityAnswer>, Never>,
        connections: EndpointConnections
    ) {
        self.secret = secret
        self.port = port
        self.path = path
        self.server = server
        self.connections = connections
    }

    /// Listens from now on; ``serve(_:)`` answers.
    ///
    /// - Throws: `configuration` when it cannot listen there.
    package static func open(_ place: Place) async throws(Failure) -> IdentityEndpoint {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: backlog)
        let secret = Secret(Random.token(bytes: 32))
        let connections = EndpointConnections()
        do {
            switch place {
            case .loopback:
                let server = try await bootstrap.bind(host: "127.0.0.1", port: 0) { Self.prepare($0, connections) }
                return IdentityEndpoint(
                    secret: secret, port: server.channel.localAddress?.port, path: nil, server: server,
                    connections: connections)
            case .socket(let path):
                try clear(path)
                let server = try await bootstrap.bind(unixDomainSocketPath: path) { Self.prepare($0, connections) }
                // Until here others are refused by whom they are, as each is.
                chmod(path, 0o600)
                return IdentityEndpoint(secret: secret, port: nil, path: path, server: server, connections: connections)
            }
        } catch let failure as Failure { throw failure } catch {
            throw Failure(
                .configuration, "the endpoint cannot listen: \(SafeText.line("\(error)", limit: 200))",
                hint: "name another place with --socket PATH")
        }
    }

    /// A socket that nobody listens at any more is taken away, and nothing else.
    private static func clear(_ path: String) throws(Failure) {
        let place = AgentPlace(path: path)
        guard place.fits else {
            throw Failure(.usage, "the path of a socket has at most \(AgentPlace.longestPath) bytes: \(path)")
        }
        var info = stat()
        guard lstat(path, &info) == 0 else { return }
        let file = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { Glibc.close(file) }
        guard info.st_mode & S_IFMT == S_IFSOCK, info.st_uid == geteuid(),
            place.withAddress({ connect(file, $0, $1) }) != 0, errno == ECONNREFUSED
        else { throw Failure(.configuration, "\(path) is there already", hint: "name another path with --socket") }
        unlink(path)
    }

    private static func prepare(_ channel: any Channel, _ connections: EndpointConnections)
        -> EventLoopFuture<NIOAsyncChannel<NIOHTTPServerRequestFull, IdentityAnswer>>
    {
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

    /// Ends after ``close()``, when each request that was being answered has its answer, or has been given up.
    package func serve(_ tokens: IdentityTokens) async {
        let reader = IdentityRequestReader(secret: secret, port: port)
        let answering = Task {
            await withDiscardingTaskGroup { tasks in
                // What is wrong with one connection is its own trouble; the listener fails with the process.
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

    /// Ends the listening, and with it ``serve(_:)``. Connections whose request has not come are closed.
    package func close() { server.channel.close(promise: nil) }

    /// One request a connection.
    private static func answer(
        _ client: NIOAsyncChannel<NIOHTTPServerRequestFull, IdentityAnswer>, _ reader: IdentityRequestReader,
        _ tokens: IdentityTokens
    ) async {
        try? await client.executeThenClose { requests, answers in
            for try await request in requests {
                try await answers.write(await answer(request, of: client.channel, reader, tokens))
                return
            }
        }
    }

    private static let foreigner = IdentityAnswer(
        IdentityRefusal(status: 403, message: "only programs of the same user are answered"))

    /// The kernel is asked for whoever knows the secret, and for nobody else: others cannot make it work.
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

    /// Whether a process of this user, or of root, has connected, as the kernel says.
    private static func isOwn(_ channel: any Channel) async -> Bool {
        if let ends = channel.ends {
            return await BlockingExecutor.run { LoopbackPeer.isKnownAsOwn(from: ends.from, to: ends.to) }
        }
        // SO_PEERCRED, which NIO has no name for.
        guard let options = channel as? any SocketOptionProvider,
            let peer: PeerCredentials = try? await options.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
            ).get()
        else { return false }
        return peer.uid == geteuid() || peer.uid == 0
    }
}
