import CommandSupport
import Glibc
import Identity
import Logging
import NIOCore
import StrictJSON
import TokenCache

/// One connection from its first line to its end.
struct Connection: Sendable {
    let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    let turn: Turn
    let tries = WrongTries()
    let handler: RequestHandler
    /// Whether it came by the socket for other hosts and containers.
    let isForwardSocket: Bool
    let logger: Logger

    /// Ends when the client has gone, was turned away, or the agent stops.
    func serve() async {
        guard var asker = await asker() else { return await close() }
        guard asker.mayAsk else {
            logger.warning("turned away \(asker.words)")
            return await close()
        }
        if asker.uid != geteuid() { logger.notice("root is served: \(asker.words)") }
        let isForwardSocket = isForwardSocket
        let forwarding = await BlockingExecutor.run { [asker] in
            Forwarding(asker, isForwardSocket: isForwardSocket)
        }
        // The room that is left is for the person at this machine.
        guard forwarding == nil || turn.room != .reserved else { return await close() }
        asker.forwarding = forwarding?.name
        if let forwarding, !handler.forwardings.open(forwarding, channel.channel) {
            logger.notice("turned away \(forwarding.words)")
            return await close()
        }
        defer { if let forwarding { handler.forwardings.closed(forwarding, channel.channel) } }
        await serve(asker, forwarding)
    }

    private var hello: JSONValue {
        guard turn.room == .reserved else { return AgentProtocol.hello() }
        channel.channel.eventLoop.scheduleTask(in: Connections.reservedTime) { [turn] in turn.stop() }
        return AgentProtocol.hello(connections: Connections.Room.usual.most)
    }

    private func serve(_ asker: Asker, _ forwarding: Forwarding?) async {
        do {
            try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(Self.buffer(hello))
                try await withThrowingDiscardingTaskGroup { tasks in
                    for try await line in inbound {
                        guard turn.begin() else { throw OneAtATime() }
                        tasks.addTask {
                            try await answer(Array(line.readableBytesView), to: asker, forwarding, outbound)
                        }
                    }
                    // Whoever hangs up waits for nothing any more.
                    tasks.cancelAll()
                }
            }
        } catch {
            // The client has gone, or did not keep to the protocol: nobody is left to tell.
            logger.debug("a connection has ended: \(type(of: error))")
        }
    }

    /// A request came before the one ahead of it was answered.
    private struct OneAtATime: Error {}

    private func answer(
        _ line: [UInt8], to asker: Asker, _ forwarding: Forwarding?,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        let answer = try await withThrowingTaskGroup(of: JSONValue?.self) { tasks in
            tasks.addTask {
                let onEvent: RequestHandler.Events = { event in try? await outbound.write(Self.buffer(event)) }
                if let forwarding {
                    return await handler.forwarded.answer(line, asker, forwarding, onEvent: onEvent)
                }
                guard turn.room != .reserved || AgentProtocol.isOfPerson(line) else {
                    return ["error": AgentProtocol.busy(connections: Int64(Connections.Room.usual.most)).json]
                }
                return await handler.answer(line, asker, tries, onEvent: onEvent)
            }
            tasks.addTask {
                while true {
                    try await Task.sleep(for: AgentProtocol.heartbeat, clock: .continuous)
                    try await outbound.write(Self.buffer(["event": "waiting"]))
                }
            }
            defer { tasks.cancelAll() }
            return try await tasks.next() ?? nil
        }
        guard let answer else { return }
        turn.answered()
        try Task.checkCancellation()
        let text = AgentProtocol.line(answer)
        let isTooLong = text.count > AgentProtocol.longestAnswer
        let failure = Failure(.unavailable, "the answer is too large for the agent's socket")
        try await outbound.write(isTooLong ? Self.buffer(["error": failure.json]) : ByteBuffer(bytes: text))
        turn.written()
    }

    private static func buffer(_ value: JSONValue) -> ByteBuffer { ByteBuffer(bytes: AgentProtocol.line(value)) }

    private func close() async {
        // Nothing was said, so that nobody learns more than that something listens.
        try? await channel.executeThenClose { _, _ in }
    }

    // MARK: Who it is

    private static let peerPIDDescriptor: CInt = 77

    /// Nil when the kernel does not say.
    private func asker() async -> Asker? {
        guard let socket = channel.channel as? any SocketOptionProvider,
            let peer: PeerCredentials = try? await socket.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
            ).get()
        else { return nil }
        let asker = Asker(pid: peer.pid, uid: peer.uid)
        guard asker.mayAsk else { return asker }
        // Since Linux 6.5.
        let descriptor: CInt? = try? await socket.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: Self.peerPIDDescriptor)
        ).get()
        return await BlockingExecutor.run {
            defer { if let descriptor { _ = Glibc.close(descriptor) } }
            return asker.described(by: descriptor)
        }
    }
}
