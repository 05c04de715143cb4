import CommandSupport
import Glibc
import Identity
import Logging
import NIOCore
import StrictJSON
import TokenCache

struct Connection: Sendable {
    let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
    let turn: RequestSlot
    let tries = FailedUnlockDelay()
    let handler: RequestHandler
    let isForwardSocket: Bool
    let logger: Logger

    /// Returns when the client has disconnected or was rejected, or the agent stops.
    func serve() async {
        guard var asker = await asker() else { return await close() }
        guard asker.mayAsk else {
            logger.warning("rejected \(asker.words)")
            return await close()
        }
        if asker.uid != geteuid() { logger.notice("root is served: \(asker.words)") }
        let isForwardSocket = isForwardSocket
        let forwarding = await BlockingExecutor.run { [asker] in
            Forwarding(asker, isForwardSocket: isForwardSocket)
        }
        // The reserved connections are for the user of this machine.
        guard forwarding == nil || turn.room != .reserved else { return await close() }
        asker.forwarding = forwarding?.name
        if let forwarding, !handler.forwardings.open(forwarding, channel.channel) {
            logger.notice("rejected \(forwarding.words)")
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

    private func serve(_ asker: Peer, _ forwarding: Forwarding?) async {
        do {
            try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(Self.buffer(hello))
                try await withThrowingDiscardingTaskGroup { tasks in
                    for try await line in inbound {
                        guard turn.begin() else { throw PipelinedRequestError() }
                        tasks.addTask {
                            try await answer(Array(line.readableBytesView), to: asker, forwarding, outbound)
                        }
                    }
                    // A caller that hangs up no longer needs a response.
                    tasks.cancelAll()
                }
            }
        } catch {
            // The client has disconnected or broken the protocol: there is no one to respond to.
            logger.debug("connection closed: \(type(of: error))")
        }
    }

    private struct PipelinedRequestError: Error {}

    private func answer(
        _ line: [UInt8], to asker: Peer, _ forwarding: Forwarding?,
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
        // Without a response, a stranger learns only that something listens.
        try? await channel.executeThenClose { _, _ in }
    }

    // MARK: The caller

    private static let peerPIDDescriptor: CInt = 77

    /// Nil if the kernel does not report it.
    private func asker() async -> Peer? {
        guard let socket = channel.channel as? any SocketOptionProvider,
            let peer: PeerCredentials = try? await socket.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
            ).get()
        else { return nil }
        let asker = Peer(pid: peer.pid, uid: peer.uid)
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
