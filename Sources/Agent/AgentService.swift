// The agent: one process per user and host that makes silent calls for other programs. It must decide exactly as `foyer
// token --silent` does and must never prompt for a sign-in.

import CommandSupport
import FoundationEssentials
import Glibc
import Identity
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import SilentFirst
import StrictJSON
import Synchronization
import TokenCache
import TokenCalls

/// Serves its sockets until stopped. Running requests are finished and stored first.
package final class AgentService: Service {
    package enum End: Hashable, Sendable {
        case stopped
        /// The executable on disk was replaced; the new one takes over.
        case replaced
    }

    private let sockets: AgentSockets
    private let signIn: ForwardedSignIn.SignInOpener
    private let logger: Logger
    private let connections = Connections()
    private let record = UsageLog()
    private let watch: AgentLifecycle
    private let handler = Mutex<RequestHandler?>(nil)
    private let since = Date()

    private static let idleTime: TimeAmount = .seconds(60)
    private static let grace: Duration = .seconds(30)
    /// How long a connection may take for its first request while a newer executable waits to take over.
    private static let firstRequest: Duration = .seconds(2)

    /// - Parameter signIn: opens a sign-in on this machine for another host or container, once the user has allowed it.
    package init(_ sockets: AgentSockets, logger: Logger, signIn: @escaping ForwardedSignIn.SignInOpener) {
        self.signIn = signIn
        self.sockets = sockets
        self.logger = logger
        watch = AgentLifecycle(sockets.main, logger)
    }

    package var end: End { watch.isReplacing ? .replaced : .stopped }

    package func run() async throws {
        let manager = ServiceManager()
        let gate = AcceptGate()
        let forwardGate = AcceptGate()
        let server = try await Self.server(sockets.main, gate)
        var forward: Server?
        if let socket = sockets.forward { forward = try await Self.server(socket, forwardGate) }
        let servers = [(server, false)] + (forward.map { [($0, true)] } ?? [])
        let stop: @Sendable () -> Void = { for (server, _) in servers { server.channel.close(promise: nil) } }
        let handler = RequestHandler(
            record: record, environment: ProcessEnvironment(), logger: logger, signIn: signIn,
            status: { await self.status() }, stop: stop)
        self.handler.withLock { $0 = handler }
        manager.ready()
        logger.notice("serving at \(sockets.main.place.path)")
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask { [watch, connections, place = sockets.main.place] in
                    await watch.run(handler, connections, stop: stop) {
                        gate.shut()
                        forwardGate.shut()
                        await BlockingExecutor.run { AcceptGate.settle(at: place) }
                        await AcceptGate.finishAccepting(on: MultiThreadedEventLoopGroup.singleton)
                        stop()
                    }
                }
                tasks.addTask { await handler.ahead.run { await handler.calls.renew($0) } }
                tasks.addTask { await handler.tokenFiles.run { await !handler.lock.isLocked } }
                tasks.addTask { [logger] in
                    await SignOutRetries(handler.environment, logger).run { await !handler.lock.isLocked }
                }
                let login = LoginManager(logger)
                tasks.addTask { await handler.follow(login) }
                defer { login.end() }
                await withDiscardingTaskGroup { listeners in
                    for (server, isForwardSocket) in servers {
                        listeners.addTask {
                            await self.accept(server, isForwardSocket: isForwardSocket, handler)
                            // An agent needs all of its sockets.
                            stop()
                        }
                    }
                }
                tasks.cancelAll()
            }
        } onGracefulShutdown: {
            stop()
        }
        manager.stopping()
        ProcessEnd.refreshes.refuseMore()
        await handler.calls.applications.closeAll()
        if end == .stopped { sockets.remove() }
        logger.notice("stopped")
    }

    private typealias Server = NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>

    private static func server(_ socket: AgentSocket, _ gate: AcceptGate) async throws -> Server {
        // NIO closes its descriptor; the original keeps callers waiting while a newer executable takes over.
        let descriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { $0.pipeline.addHandler(gate) }
            .bind(descriptor) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(allTimeout: Self.idleTime))
                    try pipeline.addHandler(LineReader(limit: AgentProtocol.longestRequest))
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Returns once the socket is closed and every connection has its response or has timed out.
    private func accept(_ server: Server, isForwardSocket: Bool, _ handler: RequestHandler) async {
        await withDiscardingTaskGroup { tasks in
            do {
                try await server.executeThenClose { clients in
                    for try await channel in clients {
                        guard let turn = connections.open(channel.channel, isForwardSocket: isForwardSocket) else {
                            tasks.addTask { try? await channel.executeThenClose { _, _ in } }
                            continue
                        }
                        let connection = Connection(
                            channel: channel, turn: turn, handler: handler, isForwardSocket: isForwardSocket,
                            logger: logger)
                        tasks.addTask { [connections] in
                            await connection.serve()
                            connections.closed(turn)
                            AgentLifecycle.boundLog()
                        }
                    }
                }
            } catch { logger.error("socket error: \(error)") }
            connections.stop(handsOver: watch.isReplacing)
            let ended = ContinuousClock.now
            while connections.count > 0, ContinuousClock.now < ended + Self.grace {
                if watch.isReplacing, ContinuousClock.now > ended + Self.firstRequest { connections.stop() }
                guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { break }
            }
            tasks.cancelAll()
        }
    }

    // MARK: Status

    private func status() async -> JSONValue {
        guard let handler = handler.withLock({ $0 }) else { return .null }
        let isLocked = await handler.lock.isLocked
        return JSONValue(
            ("running", true), ("pid", JSONValue(integer: getpid())), ("version", Product.version.json),
            ("since", since.rfc3339.json), ("socket", sockets.main.place.path.json),
            ("forwardSocket", (sockets.forward?.place.path).json),
            ("socketOf", (sockets.main.isOwn ? "agent" : "systemd").json),
            ("isReplaced", .bool(ProgramFile.isReplaced)),
            ("locked", .bool(isLocked)), ("lockedBy", .array(await handler.lock.stores.map(\.json))),
            ("connections", JSONValue(integer: connections.count)), ("busy", .bool(connections.isFull)),
            ("served", await record.served),
            ("stores", .array(await handler.calls.applications.stores.map(\.json))),
            ("upcoming", await handler.ahead.upcoming(hidesAccounts: isLocked)),
            ("requests", await handler.questions.json(hidesAccounts: isLocked)),
            ("forwardings", handler.forwardings.json),
            ("askers", await record.askers(hidesAccounts: isLocked)))
    }
}
