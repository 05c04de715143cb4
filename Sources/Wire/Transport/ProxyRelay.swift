import FoundationEssentials
import Identity
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Proofs
import Synchronization

/// Connects to proxies that the HTTP library does not support: TLS to the proxy itself, and SOCKS5 with a username and
/// password.
///
/// It is an HTTP proxy on a loopback port for this process only, protected by a random password. After `CONNECT` it
/// passes bytes through; TLS to the provider stays end to end.
final class ProxyRelay: Sendable {
    /// Any name; the password identifies this process.
    static let user = "relay"
    let port: Int
    let password: Secret
    private let channel: any Channel
    private let trouble: RelayError

    /// The latest problem with the proxy, as text.
    final class RelayError: Sendable {
        private let words = Mutex<String?>(nil)
        func note(_ text: String) { words.withLock { $0 = text } }
        var last: String? { words.withLock { $0 } }
    }

    private init(_ channel: any Channel, _ password: Secret, _ trouble: RelayError) {
        self.channel = channel
        self.password = password
        self.trouble = trouble
        port = channel.localAddress?.port ?? 0
    }

    /// - Parameter tls: the same as for providers.
    static func start(to proxy: ProxyAddress, tls: TLSConfiguration) async throws -> ProxyRelay {
        let password = Secret(Random.token(bytes: 32))
        let trouble = RelayError()
        let context = proxy.scheme == .https ? try NIOSSLContext(configuration: tls) : nil
        let channel = try await ServerBootstrap(group: EventLoops.group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        RelayClientHandler(proxy, context, password, trouble))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ProxyRelay(channel, password, trouble)
    }

    var lastTrouble: String? { trouble.last }

    func close() { channel.close(promise: nil) }

    static func basic(_ user: String, _ password: Secret) -> String {
        "Basic " + Data("\(user):\(password.reveal())".utf8).base64EncodedString()
    }

    /// Length of a head including its final empty line; nil if incomplete.
    static func head(of bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (4...bytes.count).first { bytes[($0 - 4)..<$0].elementsEqual([13, 10, 13, 10]) }
    }
}

/// The library's side: one `CONNECT`, then bytes.
private final class RelayClientHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let longestHead = 8192
    private let proxy: ProxyAddress
    private let tls: NIOSSLContext?
    private let password: Secret
    private let trouble: ProxyRelay.RelayError
    private var seen: [UInt8] = []
    private var isAsked = false
    private var far: (any Channel)?

    init(_ proxy: ProxyAddress, _ tls: NIOSSLContext?, _ password: Secret, _ trouble: ProxyRelay.RelayError) {
        (self.proxy, self.tls, self.password, self.trouble) = (proxy, tls, password, trouble)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if let far {
            far.writeAndFlush(buffer, promise: nil)
            return
        }
        seen += Array(buffer.readableBytesView)
        guard !isAsked else { return }
        guard let end = ProxyRelay.head(of: seen) else {
            if seen.count > Self.longestHead { context.close(promise: nil) }
            return
        }
        isAsked = true
        let lines = String(decoding: seen[..<end], as: UTF8.self).split(separator: "\r\n").map(String.init)
        seen = []
        let first = (lines.first ?? "").split(separator: " ").map(String.init)
        let shown = lines.first { $0.asciiLowercased.hasPrefix("proxy-authorization:") }?.drop { $0 != ":" }.dropFirst()
            .drop { $0 == " " }
        let isOurs = Secret(String(shown ?? "")).isEqual(
            constantTime: Secret(ProxyRelay.basic(ProxyRelay.user, password)))
        guard first.count == 3, first[0] == "CONNECT", isOurs else { return context.close(promise: nil) }
        open(first[1], context)
    }

    private func open(_ target: String, _ context: ChannelHandlerContext) {
        let (proxy, tls, trouble, near) = (proxy, tls, trouble, context.channel)
        ClientBootstrap(group: context.eventLoop)
            .connectTimeout(.seconds(10))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        let isLiteral =
                            proxy.host.contains(":") || proxy.host.split(separator: ".").allSatisfy { UInt8($0) != nil }
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: isLiteral ? nil : proxy.host))
                    }
                    try channel.pipeline.syncOperations.addHandler(RelayProxyHandler(proxy, target, near, trouble))
                }
            }
            .connect(host: proxy.host, port: proxy.port).assumeIsolated().whenComplete { result in
                switch result {
                case .success(let channel):
                    self.far = channel
                    if !near.isActive { channel.close(promise: nil) }
                case .failure(let error):
                    trouble.note(Self.words(of: error, proxy))
                    RelayProxyHandler.refuse(near, "502 Bad Gateway")
                }
            }
    }

    private static func words(of error: any Error, _ proxy: ProxyAddress) -> String {
        let first = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
        let why = (first as? IOError).map { IOErrorWords.of($0.errnoCode) } ?? "no response"
        return "\(proxy.hostAndPort) is unreachable: \(why)"
    }

    func channelInactive(context: ChannelHandlerContext) {
        far?.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The proxy's side: its handshake, then bytes.
private final class RelayProxyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Stage { case beginning, method, password, reply, head, open, over }

    private static let longestHead = 16_384
    private let proxy: ProxyAddress
    private let target: String
    private let near: any Channel
    private let trouble: ProxyRelay.RelayError
    private var stage = Stage.beginning
    private var seen: [UInt8] = []

    init(_ proxy: ProxyAddress, _ target: String, _ near: any Channel, _ trouble: ProxyRelay.RelayError) {
        (self.proxy, self.target, self.near, self.trouble) = (proxy, target, near, trouble)
    }

    static func refuse(_ near: any Channel, _ status: String) {
        near.writeAndFlush(ByteBuffer(string: "HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")).whenComplete { _ in
            near.close(promise: nil)
        }
    }

    func channelActive(context: ChannelHandlerContext) {
        if proxy.scheme == .socks5 { begin(context) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent {
            CertificateDiagnosis.requireName(of: context.channel).assumeIsolated().whenComplete { result in
                switch result {
                case .success: self.begin(context)
                case .failure:
                    self.refuse("502 Bad Gateway", "no secure connection to it: \(TLSProblem.noName.words)", context)
                }
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard proxy.scheme == .socks5 else {
            stage = .head
            let proof =
                proxy.credentials.map { "Proxy-Authorization: \(ProxyRelay.basic($0.user, $0.password))\r\n" } ?? ""
            return say(Array("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\(proof)\r\n".utf8), context)
        }
        // RFC 1928 section 3: no authentication, or username and password if there are any.
        stage = .method
        say(proxy.credentials == nil ? [5, 1, 0] : [5, 2, 0, 2], context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard stage != .open else {
            near.writeAndFlush(buffer, promise: nil)
            return
        }
        seen += Array(buffer.readableBytesView)
        while advance(context) {}
    }

    /// - Returns: whether the received bytes may contain more.
    private func advance(_ context: ChannelHandlerContext) -> Bool {
        switch stage {
        case .method:
            guard seen.count >= 2 else { return false }
            switch (seen[0], seen[1], proxy.credentials) {
            case (5, 0, _): connect(context)
            case (5, 2, let credentials?):
                // RFC 1929 section 2; the lengths were checked with the setting.
                let (user, password) = (Array(credentials.user.utf8), Array(credentials.password.reveal().utf8))
                stage = .password
                say(
                    [1, UInt8(truncatingIfNeeded: user.count)] + user + [UInt8(truncatingIfNeeded: password.count)]
                        + password, context)
            case (5, _, _): refuse("407 Proxy Authentication Required", nil, context)
            default: refuse("502 Bad Gateway", "not a SOCKS5 proxy", context)
            }
            seen = Array(seen.dropFirst(2))
            return true
        case .password:
            guard seen.count >= 2 else { return false }
            if seen[1] == 0 { connect(context) } else { refuse("407 Proxy Authentication Required", nil, context) }
            seen = Array(seen.dropFirst(2))
            return true
        case .reply:
            // Section 6: version, result, reserved, then one of three kinds of address with its port.
            guard seen.count >= 5 else { return false }
            let length: Int? =
                switch seen[3] {
                case 1: 10
                case 3: 7 + Int(seen[4])
                case 4: 22
                default: nil
                }
            guard seen[0] == 5, seen[1] == 0, let length else {
                refuse("502 Bad Gateway", "it cannot reach \(target) (SOCKS \(seen[1]))", context)
                return false
            }
            guard seen.count >= length else { return false }
            seen = Array(seen.dropFirst(length))
            open()
            return false
        case .head:
            guard let end = ProxyRelay.head(of: seen) else {
                if seen.count > Self.longestHead { refuse("502 Bad Gateway", "not an HTTP proxy", context) }
                return false
            }
            let status = String(decoding: seen[..<end], as: UTF8.self).split(separator: " ").dropFirst().first.flatMap {
                Int($0.prefix(3))
            }
            seen = Array(seen.dropFirst(end))
            switch status {
            case (200...299)?: open()
            case 407: refuse("407 Proxy Authentication Required", nil, context)
            default:
                refuse(
                    "502 Bad Gateway", "it cannot reach \(target)" + (status.map { " (HTTP \($0))" } ?? ""), context
                )
            }
            return false
        case .beginning, .open, .over: return false
        }
    }

    private func connect(_ context: ChannelHandlerContext) {
        let colon = target.lastIndex(of: ":") ?? target.endIndex
        let host = Array(target[..<colon].filter { $0 != "[" && $0 != "]" }.utf8)
        guard let port = UInt16(target[colon...].dropFirst()), host.count <= 255 else {
            return refuse("502 Bad Gateway", "it cannot reach \(target)", context)
        }
        stage = .reply
        say(
            [5, 1, 0, 3, UInt8(truncatingIfNeeded: host.count)] + host + [UInt8(port >> 8), UInt8(port & 255)], context)
    }

    private func open() {
        stage = .open
        near.writeAndFlush(ByteBuffer(bytes: Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + seen), promise: nil)
        seen = []
    }

    private func refuse(_ status: String, _ why: String?, _ context: ChannelHandlerContext) {
        guard stage != .open, stage != .over else { return }
        stage = .over
        if let why { trouble.note(why) }
        Self.refuse(near, status)
        context.close(promise: nil)
    }

    private func say(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if stage == .open {
            near.close(promise: nil)
        } else {
            refuse("502 Bad Gateway", "connection lost", context)
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .tls(_, let problem) = WireError(transport: error, host: "") {
            refuse("502 Bad Gateway", "no secure connection to it: \(problem.words)", context)
        }
        context.close(promise: nil)
    }
}
