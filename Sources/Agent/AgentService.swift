// The agent: one process for each person and host that makes silent calls for all others. It must not decide anything
// that `foyer token --silent` decides otherwise, and must not ask a person for a sign-in.

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

/// Serves at its socket until it is told to stop. What is on its way then is finished and stored.
package final class AgentService: Service {
    /// Why it has ended.
    package enum End: Hashable, Sendable {
        case stopped
        /// The program on the disk is another one now, and is to go on in its place.
        case replaced
    }

    private let sockets: AgentSockets
    private let signIn: ForwardedSignIn.Opening
    private let logger: Logger
    private let connections = Connections()
    private let record = Record()
    private let watch: Watch
    private let handler = Mutex<RequestHandler?>(nil)
    private let since = Date()

    /// Seconds that a connection may be without any traffic.
    private static let idleTime: TimeAmount = .seconds(60)
    /// How long running requests are waited for at the end.
    private static let grace: Duration = .seconds(30)

    /// - Parameter signIn: opens a sign-in at this machine for somebody elsewhere, after a person has allowed it.
    package init(_ sockets: AgentSockets, logger: Logger, signIn: @escaping ForwardedSignIn.Opening) {
        self.signIn = signIn
        self.sockets = sockets
        self.logger = logger
        watch = Watch(sockets.main, logger)
    }

    /// Why ``run()`` has returned.
    package var end: End { watch.isReplacing ? .replaced : .stopped }

    package func run() async throws {
        let manager = ServiceManager()
        let server = try await Self.server(sockets.main)
        var forward: Server?
        if let socket = sockets.forward { forward = try await Self.server(socket) }
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
                tasks.addTask { [watch, connections] in
                    await watch.run(handler, connections, stop: stop)
                }
                tasks.addTask { await handler.ahead.run { await handler.calls.renew($0) } }
                tasks.addTask { await handler.tokenFiles.run { await !handler.lock.isLocked } }
                let login = LoginManager(logger)
                tasks.addTask { await handler.follow(login) }
                defer { login.end() }
                await withDiscardingTaskGroup { listeners in
                    for (server, isForwardSocket) in servers {
                        listeners.addTask {
                            await self.accept(server, isForwardSocket: isForwardSocket, handler)
                            // One without the other is no agent.
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

    private static func server(_ socket: AgentSocket) async throws -> Server {
        // NIO closes what it is given; the other one keeps callers waiting while a newer program takes over.
        let descriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(descriptor) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(allTimeout: Self.idleTime))
                    try pipeline.addHandler(LineReader(limit: AgentProtocol.longestRequest))
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Ends when the socket is closed and every connection has its answer, or has waited long enough for it.
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
                        }
                    }
                }
            } catch { logger.error("the socket has failed: \(error)") }
            connections.stop()
            let deadline = ContinuousClock.now + Self.grace
            while connections.count > 0, ContinuousClock.now < deadline {
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
