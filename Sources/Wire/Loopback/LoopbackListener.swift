import Glibc
import Identity
import NIOCore
import NIOHTTP1
import NIOPosix

/// Waits on a loopback address for the one redirect that answers an authorization request (RFC 8252 section 7.3).
///
/// It listens on loopback only, from before the browser opens until it is closed. Whoever else knocks is sent away and
/// the wait goes on: other paths, other methods, other hosts, other states.
package final class LoopbackListener: Sendable {
    package let port: Int
    /// What the authorization request must carry, with the port that was taken.
    package let redirectURI: String

    private let channels: [any Channel]
    private let answers: AsyncStream<LoopbackRequestHandler.ReturnResult>

    private init(
        port: Int, redirectURI: String, channels: [any Channel],
        answers: AsyncStream<LoopbackRequestHandler.ReturnResult>
    ) {
        self.port = port
        self.redirectURI = redirectURI
        self.channels = channels
        self.answers = answers
    }

    /// Takes a port and listens. `localhost` is listened to on both address families, since browsers try either.
    ///
    /// - Parameters:
    ///   - redirectURI: as registered: `http://localhost`, `http://127.0.0.1/path`, `http://[::1]`; a port that is
    ///     written is a fixed one.
    ///   - onUnexpectedRequest: called with each request that was refused, without secrets.
    /// - Throws: `unsupported` when the URI is not of this machine, or the fixed port is taken.
    package static func start(
        redirectURI: String, expectation: AuthorizationExpectation,
        onUnexpectedRequest: @escaping @Sendable (StrayRequest) -> Void
    ) async throws(WireError) -> LoopbackListener {
        try await start(redirectURI, .authorization(expectation), onUnexpectedRequest)
    }

    /// Waits for the browser to come back from the provider's end-session page (OpenID Connect RP-Initiated Logout
    /// section 3).
    ///
    /// - Parameters:
    ///   - redirectURI: the registered `post_logout_redirect_uri`, as
    ///     ``start(redirectURI:expectation:onUnexpectedRequest:)`` takes it.
    ///   - state: what the end-session address carries.
    /// - Throws: as ``start(redirectURI:expectation:onUnexpectedRequest:)``.
    package static func start(
        redirectURI: String, signOutState state: String, onUnexpectedRequest: @escaping @Sendable (StrayRequest) -> Void
    ) async throws(WireError) -> LoopbackListener {
        try await start(redirectURI, .signOut(state: Secret(state)), onUnexpectedRequest)
    }

    private static func start(
        _ redirectURI: String, _ expected: LoopbackRequestHandler.Expected,
        _ onUnexpectedRequest: @escaping @Sendable (StrayRequest) -> Void
    ) async throws(WireError) -> LoopbackListener {
        let address: WebAddress
        do { address = try WebAddress(redirectURI) } catch {
            throw .unsupported("the redirect URI \(redirectURI) may not be used: \(error)")
        }
        guard address.isLoopback, !address.isSecure, address.query == nil else {
            throw .unsupported("the redirect URI \(redirectURI) is not an http address of this machine")
        }
        let (answers, sink) = AsyncStream.makeStream(
            of: LoopbackRequestHandler.ReturnResult.self, bufferingPolicy: .bufferingOldest(2))
        let handler = LoopbackRequestHandler(
            path: address.path.isEmpty ? "/" : address.path, expected: expected, sink: sink,
            onUnexpectedRequest: onUnexpectedRequest)
        let channels = try await listen(address, handler)
        let port = channels.first?.localAddress?.port ?? 0
        let literal = address.host.contains(":") ? "[\(address.host)]" : address.host
        handler.open(port: port, host: literal)
        return LoopbackListener(
            port: port, redirectURI: "http://\(literal):\(port)\(address.path)", channels: channels, answers: answers)
    }

    /// One socket, or two of one port for `localhost`.
    private static func listen(_ address: WebAddress, _ handler: LoopbackRequestHandler) async throws(WireError)
        -> [any Channel]
    {
        let isName = address.host == "localhost"
        var tries = address.port == nil ? 5 : 1
        while true {
            tries -= 1
            let first: any Channel
            do { first = try await bind(isName ? "127.0.0.1" : address.host, address.port ?? 0, handler) } catch {
                throw refusal(error, address)
            }
            guard isName else { return [first] }
            do {
                return [first, try await bind("::1", first.localAddress?.port ?? 0, handler)]
            } catch {
                // A machine without IPv6 does with IPv4. But somebody else on the other half of the port would get the
                // browser's answer: then the whole port is not used.
                guard (error as? IOError)?.errnoCode == EADDRINUSE else { return [first] }
                try? await first.close()
                guard tries > 0 else { throw refusal(error, address) }
            }
        }
    }

    private static func refusal(_ error: any Error, _ address: WebAddress) -> WireError {
        let code = (error as? IOError)?.errnoCode
        if code == EADDRINUSE, let port = address.port {
            return .unsupported("port \(port) is in use by another program")
        }
        return .unsupported(
            """
            the loopback address \(address.hostAndPort) cannot be listened on: \
            \(code.map(IOErrorWords.of) ?? "no socket")
            """
        )
    }

    /// The answer, as soon as it is there.
    ///
    /// - Throws: `timedOut` when nobody came: also what a redirect URI that the provider does not know looks like from
    ///   here.
    package func response(timeout: Duration) async throws(WireError) -> AuthorizationAnswer {
        guard case .authorization(let answer) = try await first(timeout) else { throw .cancelled }
        return answer
    }

    /// How the browser came back from the end-session page: `unconfirmed` when only requests without the state came,
    /// which anybody here can make.
    ///
    /// - Throws: `timedOut` when it did not: providers may end on a page of their own, and the session is over all the
    ///   same.
    package func signOutReturn(timeout: Duration) async throws(WireError) -> SignOutReturn {
        guard case .signOut(let answer) = try await first(timeout) else { throw .cancelled }
        guard answer == .unconfirmed else { return answer }
        // The browser may still be on its way when another request arrives; a provider that drops the state sends
        // nobody after this one.
        do throws(WireError) {
            guard case .signOut(let next) = try await first(min(timeout, Self.waitForState)) else { return answer }
            return next
        } catch {
            if case .timedOut = error { return answer }
            throw error
        }
    }

    /// How long a browser that comes back with the state is waited for after one without.
    private static let waitForState = Duration.seconds(3)

    private func first(_ timeout: Duration) async throws(WireError) -> LoopbackRequestHandler.Return {
        let first = await withTaskGroup(of: LoopbackRequestHandler.ReturnResult.self) { [answers] group in
            group.addTask {
                for await answer in answers { return answer }
                return .failure(.cancelled)
            }
            group.addTask {
                do { try await Task.sleep(for: timeout) } catch { return .failure(.cancelled) }
                return .failure(.timedOut(host: "the browser"))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.cancelled)
        }
        return try first.get()
    }

    /// Gives the port back. Answers that are being written are still sent.
    package func close() { for channel in channels { channel.close(promise: nil) } }

    private static func bind(_ host: String, _ port: Int, _ handler: LoopbackRequestHandler) async throws -> any Channel
    {
        // Never SO_REUSEPORT: nobody shares the port. SO_REUSEADDR for a fixed port only: Linux still refuses a port
        // that somebody listens on, and without it the last sign-in's closed connections would keep the port for a
        // minute.
        try await ServerBootstrap(group: EventLoops.group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: port == 0 ? 0 : 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try prepare(channel, handler) }
            }
            .bind(host: host, port: port).get()
    }

    /// Makes requests of the bytes that come in on a connection, and answers them.
    static func prepare(_ channel: any Channel, _ handler: LoopbackRequestHandler) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(RequestSizeLimit())
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: true)
        try pipeline.addHandler(RedirectHandler(allowedMethods: handler.allowedMethods) { handler.judge($0, body: $1) })
        handler.admit(channel)
    }
}
