import Glibc
package import Identity
import NIOCore
import NIOHTTP1
import NIOPosix

/// Waits on a loopback address for the redirect that answers an authorization request (RFC 8252 section 7.3).
///
/// It listens on loopback only, from before the browser opens until it is closed. Requests with another path, method,
/// host or state are rejected without ending the wait.
package final class LoopbackListener: Sendable {
    package let port: Int
    /// For the authorization request; includes the actual port.
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

    /// Starts listening. `localhost` listens on both address families, since browsers try either.
    ///
    /// - Parameters:
    ///   - redirectURI: as registered: `http://localhost`, `http://127.0.0.1/path`, `http://[::1]`. A port in it is
    ///     used exactly.
    ///   - onUnexpectedRequest: called for each rejected request, without secrets.
    /// - Throws: `unsupported` if the URI is not on this machine, or its port is taken.
    package static func start(
        redirectURI: String, expectation: AuthorizationExpectation,
        onUnexpectedRequest: @escaping @Sendable (StrayRequest) -> Void
    ) async throws(WireError) -> LoopbackListener {
        try await start(redirectURI, .authorization(expectation), onUnexpectedRequest)
    }

    /// Waits for the browser's return from the end-session page (OpenID Connect RP-Initiated Logout section 3).
    ///
    /// - Parameters:
    ///   - redirectURI: the registered `post_logout_redirect_uri`; the rules of the other `start` apply.
    ///   - state: the one in the end-session URL.
    package static func start(
        redirectURI: String, signOutState state: String, onUnexpectedRequest: @escaping @Sendable (StrayRequest) -> Void
    ) async throws(WireError) -> LoopbackListener {
        try await start(redirectURI, .signOut(state: Secret(state)), onUnexpectedRequest)
    }

    /// Never receives a redirect: for a browser that hands over its URL as pasted text.
    package static func withoutPort(redirectURI: String) -> LoopbackListener {
        LoopbackListener(
            port: 0, redirectURI: redirectURI, channels: [],
            answers: AsyncStream { _ in })
    }

    private static func start(
        _ redirectURI: String, _ expected: LoopbackRequestHandler.Expected,
        _ onUnexpectedRequest: @escaping @Sendable (StrayRequest) -> Void
    ) async throws(WireError) -> LoopbackListener {
        guard let address = LoopbackRedirectURI.address(redirectURI) else {
            throw .unsupported("the redirect URI \(redirectURI) is not a loopback http URI")
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

    /// One socket, or two on the same port for `localhost`.
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
                // Without IPv6, IPv4 is enough. But if another program has the port on IPv6, it could get the response,
                // so do not use this port.
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
            cannot listen on \(address.hostAndPort): \
            \(code.map(IOErrorWords.of) ?? "no socket")
            """
        )
    }

    /// Throws `timedOut` if no request came, also if the provider does not know the redirect URI.
    package func response(timeout: Duration) async throws(WireError) -> AuthorizationAnswer {
        guard case .authorization(let answer) = try await first(timeout) else { throw .cancelled }
        return answer
    }

    /// Returns `unconfirmed` if only requests without the state came, which any local program can send. Throws
    /// `timedOut` if the browser did not return: some providers end on their own page, with the session ended all the
    /// same.
    package func signOutReturn(timeout: Duration) async throws(WireError) -> SignOutReturn {
        guard case .signOut(let answer) = try await first(timeout) else { throw .cancelled }
        guard answer == .unconfirmed else { return answer }
        // The browser may still be on its way; a provider that drops the state sends only one request.
        do throws(WireError) {
            guard case .signOut(let next) = try await first(min(timeout, Self.waitForState)) else { return answer }
            return next
        } catch {
            if case .timedOut = error { return answer }
            throw error
        }
    }

    /// Extra wait for the state after a request without one.
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

    /// Frees the port. Responses being written are still sent.
    package func close() { for channel in channels { channel.close(promise: nil) } }

    private static func bind(_ host: String, _ port: Int, _ handler: LoopbackRequestHandler) async throws -> any Channel
    {
        // Never SO_REUSEPORT: the port must not be shared. SO_REUSEADDR for a fixed port only: Linux still refuses a
        // port with a listener, and without it the last sign-in's closed connections would block the port for a minute.
        try await ServerBootstrap(group: EventLoops.group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: port == 0 ? 0 : 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try prepare(channel, handler) }
            }
            .bind(host: host, port: port).get()
    }

    static func prepare(_ channel: any Channel, _ handler: LoopbackRequestHandler) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(RequestSizeLimit())
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: true)
        try pipeline.addHandler(RedirectHandler(allowedMethods: handler.allowedMethods) { handler.judge($0, body: $1) })
        handler.admit(channel)
    }
}
