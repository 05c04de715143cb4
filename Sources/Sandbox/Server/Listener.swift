import Hummingbird
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL

struct Listener: Sendable {
    let host: String
    let port: Int
    private let running: Task<Void, any Error>

    /// - Parameter address: host and port; port 0 selects a free one.
    static func open(_ server: Server, at address: (host: String, port: Int), tls: TLSConfiguration?) async throws
        -> Listener
    {
        let (ports, settled) = AsyncStream<Int>.makeStream()
        let application = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
                try await server.respond(to: request)
            },
            server: try tls.map { try .tls(.http1(), tlsConfiguration: $0) } ?? .http1(),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port), serverName: nil),
            onServerRunning: { channel in
                settled.yield(channel.localAddress?.port ?? address.port)
                settled.finish()
            },
            // Standard output and standard error belong to the sandbox's caller.
            logger: Logger(label: "sandbox") { _ in SwiftLogNoOpLogHandler() })
        let running = Task {
            defer { settled.finish() }
            try await application.run()
        }
        var port: Int?
        for await number in ports { port = number }
        guard let port else {
            do { try await running.value } catch { throw SandboxProvider.StartError.notListening("\(error)") }
            throw SandboxProvider.StartError.notListening("the server ended before it listened")
        }
        return Listener(host: address.host, port: port, running: running)
    }

    /// The sovereign cloud's listener: a separate address with the global cloud's port, or else another port; on a
    /// machine with only 127.0.0.1, a separate port.
    static func openSovereign(_ state: LockedProviderState, port: Int, tls: TLSConfiguration?) async throws -> Listener
    {
        let server = Server(state: state, cloud: .sovereign)
        for address in [("127.0.0.2", port), ("127.0.0.2", 0)] {
            do { return try await open(server, at: address, tls: tls) } catch is SandboxProvider.StartError { continue }
        }
        return try await open(server, at: ("127.0.0.1", 0), tls: tls)
    }

    func close() async {
        running.cancel()
        _ = await running.result
    }
}
