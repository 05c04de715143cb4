// Wire is the protocol with providers, one file per RFC: it builds requests, and bounds and checks responses. It must
// not touch the disk, or decide whether to send a request.

import AsyncHTTPClient
import Glibc
package import Identity
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import StrictJSON
import Synchronization

extension NetworkSettings {
    /// One word of a header field, for the user agent (RFC 9110 section 10.1.5) and Entra ID's SKU header.
    fileprivate var product: String {
        let name = (productName ?? "").utf8.filter { Self.mayStandInProduct(Unicode.Scalar($0)) }.prefix(128)
        return name.isEmpty ? "SilentFirst" : String(decoding: name, as: UTF8.self)
    }

    /// `tchar` of RFC 9110 section 5.6.2, and the slash before a version.
    private static func mayStandInProduct(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "!", "#", "$", "%", "&", "'", "*", "+", "-", ".", "^", "_", "`", "|", "~",
            "/":
            true
        default: false
        }
    }

    /// How long one exchange can take.
    package var patience: Duration { .seconds(min(max(timeout, 0.1), 3600)) }

    /// Loopback never uses a proxy, and plain http is allowed only there.
    func proxy(for address: WebAddress) -> ProxySetting? {
        guard !address.isLoopback else { return nil }
        for entry in noProxy {
            if entry == "*" { return nil }
            let domain = (entry.hasPrefix(".") ? String(entry.dropFirst()) : entry).asciiLowercased
            if !domain.isEmpty, address.host == domain || address.host.hasSuffix("." + domain) { return nil }
        }
        return address.isSecure ? httpsProxy : httpProxy
    }
}

/// The only access to providers: verified TLS, no redirects, cookies or decompression; bounded bodies and time.
package final class Transport: Sendable {
    private static let maximumHeaders = 32_768

    /// Answers a request instead of a network.
    package typealias Exchange = @Sendable (HTTPRequest) async throws(WireError) -> HTTPReply

    private let settings: NetworkSettings
    private let exchange: Exchange?
    let product: String
    private let clients = Mutex<[ProxyAddress?: Route]>([:])

    /// A client of the library, and its relay to an unsupported proxy.
    private struct Route {
        var client: HTTPClient
        var relay: ProxyRelay?
        var product: String

        func close() {
            client.shutdown { _ in }
            relay?.close()
        }
    }

    /// Connects on the first request.
    ///
    /// - Parameter exchange: answers every request; nil for the network.
    package init(_ settings: NetworkSettings, exchange: Exchange? = nil) {
        (self.settings, self.exchange, product) = (settings, exchange, settings.product)
    }

    deinit {
        // The library traps in debug builds if a client is not shut down.
        for way in clients.withLock({ Array($0.values) }) { way.close() }
    }

    /// Sends a request and reads the whole response. After a temporary failure it is resent once after a pause, if that
    /// cannot spend anything twice (``HTTPRequest/Resend``); never after a time to wait was given.
    ///
    /// - Throws: ``WireError`` without a usable response; statuses from 400 are replies, not errors, unlike redirects.
    ///   `cancelled` as soon as the calling task is.
    package func send(_ request: HTTPRequest) async throws(WireError) -> HTTPReply {
        let reply: HTTPReply
        if let exchange {
            request.onSent?()
            reply = try await exchange(request)
        } else {
            reply = try await overNetwork(request)
        }
        guard !(300...399).contains(reply.status) else {
            throw .redirected(host: request.address.hostAndPort, status: reply.status)
        }
        return reply
    }

    private func overNetwork(_ request: HTTPRequest) async throws(WireError) -> HTTPReply {
        let host = request.address.hostAndPort
        let proxy = try proxy(for: request.address)
        let way = try await way(through: proxy)
        let timeout = request.patience ?? settings.patience
        // Our own deadline bounds connecting, waiting and the whole body together.
        let result = await withTaskGroup(of: Result<HTTPReply, WireError>.self) { group in
            group.addTask { await Self.attempt(request, way, proxy, timeout) }
            group.addTask {
                do { try await Task.sleep(for: timeout) } catch { return .failure(.cancelled) }
                return .failure(.timedOut(host: host))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.cancelled)
        }
        // A received response is returned even to a canceled task: it may contain a new refresh token.
        if case .failure = result, Task.isCancelled { throw .cancelled }
        return try result.get()
    }

    /// Does not wait: a stalled handshake would take ten more seconds. The next request opens new connections.
    package func close() async {
        let closing = clients.withLock { clients in
            defer { clients = [:] }
            return Array(clients.values)
        }
        for way in closing { way.close() }
    }

    /// The result of one exchange, and whether the request may have been received.
    private struct Attempt {
        var result: Result<HTTPReply, WireError>
        var wasSent = true
    }

    private static func attempt(
        _ request: HTTPRequest, _ way: Route, _ proxy: ProxyAddress?, _ timeout: Duration
    ) async -> Result<HTTPReply, WireError> {
        let first = await exchange(request, way, proxy, timeout)
        if case .failure(.tls(let host, .untrusted)) = first.result, proxy == nil,
            let problem = await CertificateDiagnosis.problem(at: request.address, timeout: timeout)
        {
            return .failure(.tls(host: host, problem))
        }
        guard mayRepeat(request, after: first) else { return first.result }
        // Random, so that many clients of a failing provider do not return at the same time.
        do { try await Task.sleep(for: .milliseconds(.random(in: 300...800))) } catch { return .failure(.cancelled) }
        return await exchange(request, way, proxy, timeout).result
    }

    private static func mayRepeat(_ request: HTTPRequest, after attempt: Attempt) -> Bool {
        switch (request.resend, attempt.result) {
        case (.never, _): false
        // Respect a given time to wait.
        case (.ifUnspent, .success(let reply)), (.always, .success(let reply)):
            reply.status >= 500 && reply.retryAfter == nil
        case (.ifUnspent, .failure(.unreachable)): !attempt.wasSent
        case (.always, .failure(.unreachable)): true
        case (.ifUnspent, .failure), (.always, .failure): false
        }
    }

    private static func exchange(_ request: HTTPRequest, _ way: Route, _ proxy: ProxyAddress?, _ timeout: Duration)
        async
        -> Attempt
    {
        let host = request.address.hostAndPort
        var request = request
        do throws(WireError) {
            if let proof = try request.proof?() { request.headers.append(proof) }
        } catch { return Attempt(result: .failure(error), wasSent: false) }
        do {
            let response = try await way.client.execute(message(request, way.product), timeout: TimeAmount(timeout))
            let headerSize = response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
            guard headerSize <= maximumHeaders else { return Attempt(result: .failure(.tooLarge(host: host))) }
            let body = try await response.body.collect(upTo: WireError.maximumBody)
            return Attempt(
                result: .success(
                    HTTPReply(
                        host: host, status: Int(response.status.code), body: Array(body.readableBytesView),
                        headers: response.headers,
                        sent: SecretRedactor(request), hadClientSecret: !request.clientSecrets.isEmpty)
                ))
        } catch {
            var failure = WireError(transport: error, host: host, proxy: proxy)
            // The relay knows more than its response says.
            if case .proxy = failure, (error as? HTTPClientError) != .proxyAuthenticationRequired,
                let why = way.relay?.lastTrouble
            {
                failure = .proxy(why: why)
            }
            // The proxy itself may be unreachable.
            if case .unreachable(let host, let why) = failure, let proxy {
                failure = .unreachable(host: host, why: "\(why), through the proxy \(proxy.hostAndPort)")
            }
            return Attempt(result: .failure(failure), wasSent: !WireError.isBeforeSending(error))
        }
    }

    private static func message(_ request: HTTPRequest, _ product: String) -> HTTPClientRequest {
        var message = HTTPClientRequest(url: request.address.text)
        message.headers.add(name: "accept", value: "application/json")
        message.headers.add(name: "accept-encoding", value: "identity")
        message.headers.add(name: "user-agent", value: product)
        for (name, value) in request.headers { message.headers.add(name: name, value: value) }
        if let bearer = request.bearer {
            message.headers.add(name: "authorization", value: "Bearer " + bearer.reveal())
        }
        switch request.body {
        case nil: if request.isDeletion { message.method = .DELETE }
        case .form(let fields):
            message.method = .POST
            message.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
            message.body = body(FormEncoding.encode(fields), request.onSent)
        case .json(let value):
            message.method = .POST
            message.headers.add(name: "content-type", value: "application/json")
            message.body = body(value.serialized(), request.onSent)
        }
        return message
    }

    /// A body that is requested once the connection exists.
    private static func body(_ text: String, _ onSent: (@Sendable () -> Void)?) -> HTTPClientRequest.Body {
        guard let onSent else { return .bytes(ByteBuffer(string: text)) }
        let rest = Mutex<ByteBuffer?>(ByteBuffer(string: text))
        let pieces = AsyncStream<ByteBuffer> {
            onSent()
            return rest.withLock { rest in
                defer { rest = nil }
                return rest
            }
        }
        return .stream(pieces, length: .known(Int64(text.utf8.count)))
    }

    /// Checked only when a request is sent.
    private func proxy(for address: WebAddress) throws(WireError) -> ProxyAddress? {
        guard let setting = settings.proxy(for: address) else { return nil }
        do { return try setting.read() } catch { throw .proxySetting(name: setting.source, why: error.description) }
    }

    private func way(through proxy: ProxyAddress?) async throws(WireError) -> Route {
        if let way = clients.withLock({ $0[proxy] }) { return way }
        let tls = try tls()
        var relay: ProxyRelay?
        if let proxy, proxy.scheme == .https || (proxy.scheme == .socks5 && proxy.credentials != nil) {
            do { relay = try await ProxyRelay.start(to: proxy, tls: tls) } catch {
                throw .proxy(why: "cannot open a connection on this machine")
            }
        }
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        configuration.tlsConfiguration = tls
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 4
        configuration.connectionPool.retryConnectionEstablishment = false
        // Short, so no request is sent on a connection that the server is closing: a POST is not resent.
        configuration.connectionPool.idleTimeout = .seconds(5)
        configuration.timeout.connect = .seconds(10)
        configuration.http1_1ConnectionDebugInitializer = { CertificateDiagnosis.requireName(of: $0) }
        if let proxy { configuration.proxy = Self.configured(proxy, relay) }
        let new = Route(
            client: HTTPClient(eventLoopGroupProvider: .shared(EventLoops.group), configuration: configuration),
            relay: relay, product: product)
        let kept = clients.withLock { clients in
            if clients[proxy] == nil { clients[proxy] = new }
            return clients[proxy] ?? new
        }
        // A concurrent request created one first.
        if kept.client !== new.client { new.close() }
        return kept
    }

    private static func configured(_ proxy: ProxyAddress, _ relay: ProxyRelay?) -> HTTPClient.Configuration.Proxy {
        if let relay {
            let authorization = HTTPClient.Authorization.basic(
                username: ProxyRelay.user, password: relay.password.reveal())
            return .server(host: "127.0.0.1", port: relay.port, authorization: authorization)
        }
        guard proxy.scheme != .socks5 else { return .socksServer(host: proxy.host, port: proxy.port) }
        let authorization = proxy.credentials.map {
            HTTPClient.Authorization.basic(username: $0.user, password: $0.password.reveal())
        }
        return .server(host: proxy.host, port: proxy.port, authorization: authorization)
    }

    private func tls() throws(WireError) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .fullVerification
        tls.minimumTLSVersion = .tlsv12
        guard let file = settings.certificateFile else { return tls }
        do {
            let roots = try NIOSSLCertificate.fromPEMFile(file)
            guard !roots.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
            tls.trustRoots = .certificates(roots)
        } catch {
            let isThere = access(file, R_OK) == 0
            let trouble = String(cString: strerror(errno)).asciiLowercased
            throw .trustFile(path: file, why: isThere ? "no readable certificates" : trouble)
        }
        return tls
    }
}

/// One event loop for requests and the listener; created lazily, so a cached token starts none.
enum EventLoops {
    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
}
