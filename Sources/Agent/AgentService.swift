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

    private let socket: AgentSocket
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

    package init(_ socket: AgentSocket, logger: Logger) {
        self.socket = socket
        self.logger = logger
        watch = Watch(socket, logger)
    }

    /// Why ``run()`` has returned.
    package var end: End { watch.isReplacing ? .replaced : .stopped }

    package func run() async throws {
        let manager = ServiceManager()
        // NIO closes what it is given; the other one keeps callers waiting while a newer program takes over.
        let descriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(descriptor) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(allTimeout: Self.idleTime))
                    try pipeline.addHandler(LineReader(limit: AgentProtocol.longestRequest))
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let stop: @Sendable () -> Void = { server.channel.close(promise: nil) }
        let handler = RequestHandler(
            record: record, environment: ProcessEnvironment(), logger: logger, status: { await self.status() },
            stop: stop)
        self.handler.withLock { $0 = handler }
        manager.ready()
        logger.notice("serving at \(socket.place.path)")
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask { [watch, connections] in
                    await watch.run(handler.calls.applications, connections, stop: stop)
                }
                tasks.addTask { await handler.ahead.run(handler.calls) }
                await accept(server, handler)
                tasks.cancelAll()
            }
        } onGracefulShutdown: {
            stop()
        }
        manager.stopping()
        ProcessEnd.refreshes.refuseMore()
        await handler.calls.applications.closeAll()
        if end == .stopped { socket.remove() }
        logger.notice("stopped")
    }

    /// Ends when the socket is closed and every connection has its answer, or has waited long enough for it.
    private func accept(
        _ server: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>, _ handler: RequestHandler
    ) async {
        await withDiscardingTaskGroup { tasks in
            do {
                try await server.executeThenClose { clients in
                    for try await channel in clients {
                        guard let turn = connections.open(channel.channel) else {
                            tasks.addTask { try? await channel.executeThenClose { _, _ in } }
                            continue
                        }
                        tasks.addTask { [connections, logger] in
                            await Connection(channel: channel, turn: turn, handler: handler, logger: logger).serve()
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
            ("since", since.rfc3339.json), ("socket", socket.place.path.json),
            ("socketOf", (socket.isOwn ? "agent" : "systemd").json), ("isReplaced", .bool(ProgramFile.isReplaced)),
            ("locked", .bool(isLocked)), ("lockedBy", .array(await handler.lock.stores.map(\.json))),
            ("connections", JSONValue(integer: connections.count)), ("served", await record.served),
            ("stores", .array(await handler.calls.applications.stores.map(\.json))),
            ("upcoming", await handler.ahead.upcoming(hidesAccounts: isLocked)),
            ("requests", await handler.questions.json(hidesAccounts: isLocked)),
            ("askers", await record.askers(hidesAccounts: isLocked)))
    }
}
