import FoundationEssentials
import Identity
import NIOSSL
import Synchronization
import Testing
import Waiting

@testable import Wire

enum Base64 {
    static func encode(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}

/// The whole way through each kind of proxy, to a provider in TLS.
@Suite struct ProxyTests {
    struct Route: Sendable, CustomTestStringConvertible {
        var scheme: String
        var kind: ForwardingProxy.Kind
        var isSecure = false
        var password: String?
        var testDescription: String { scheme + (password == nil ? "" : " with a password") }
    }

    private static let ways: [Route] = [
        Route(scheme: "http", kind: .http), Route(scheme: "http", kind: .http, password: "ada:p@ss:word"),
        Route(scheme: "https", kind: .http, isSecure: true),
        Route(scheme: "https", kind: .http, isSecure: true, password: "ada:p@ss:word"),
        Route(scheme: "socks5", kind: .socks5), Route(scheme: "socks5h", kind: .socks5, password: "ada:p@ss:word"),
    ]

    /// What comes of a request through a proxy, and what the proxy heard.
    private static func ask(
        _ way: Route, shown credentials: String? = nil, proxyNames: [UInt8]? = [127, 0, 0, 1], trustsProxy: Bool = true
    ) async throws -> (Result<HTTPReply, WireError>, String) {
        let authority = try HomemadeCertificate(
            .init(commonName: "server authority", names: [], address: nil, isAuthority: true, usage: nil))
        let provider = try HomemadeCertificate(.init(names: ["id.example.org"], address: nil), issuer: authority)
        let stranger = try HomemadeCertificate(
            .init(commonName: "stranger", names: [], address: nil, isAuthority: true, usage: nil))
        let front = try HomemadeCertificate(
            .init(names: [], address: proxyNames), issuer: trustsProxy ? authority : stranger)
        let heard = Mutex("")
        return try await StubServer.open(tls: try provider.context(), { _ in .json(#"{"a":1}"#) }) {
            server async throws in
            try await ForwardingProxy.open(
                way.kind, to: server.port, tls: way.isSecure ? try front.context() : nil, password: way.password,
                heard: { text in heard.withLock { $0 += text } }
            ) { port async throws in
                try await authority.file { file async throws in
                    let text = "\(way.scheme)://\(credentials.map { $0 + "@" } ?? "")127.0.0.1:\(port)"
                    let transport = Transport(
                        NetworkSettings(
                            certificateFile: file, httpsProxy: ProxySetting(text, source: "HTTPS_PROXY"),
                            timeout: Double(Waiting.seconds)))
                    let request = HTTPRequest(
                        try WebAddress("https://id.example.org/token"), body: .form([("code", "secret-of-the-code")]))
                    let result: Result<HTTPReply, WireError>
                    do throws(WireError) { result = .success(try await transport.send(request)) } catch {
                        result = .failure(error)
                    }
                    await transport.close()
                    return (result, heard.withLock { $0 })
                }
            }
        }
    }

    @Test(arguments: ways) func `Each kind of proxy leads to the provider and hears of the host alone`(way: Route)
        async throws
    {
        let (result, heard) = try await Self.ask(way, shown: way.password == nil ? nil : "ada:p%40ss%3Aword")
        #expect(try result.get().status == 200)
        #expect(heard.contains("id.example.org") && !heard.contains("secret-of-the-code") && !heard.contains("/token"))
    }

    @Test(arguments: ways.filter { $0.password != nil })
    func `A proxy that does not take the password is told from one that wants one`(
        way: Route
    )
        async throws
    {
        for (shown, words) in [
            ("ada:wrong-one", "wrong username or password"),
            (nil, "authentication required"),
        ] {
            guard case .failure(let error) = try await Self.ask(way, shown: shown).0 else {
                Issue.record("let in")
                continue
            }
            guard case .proxy(let why) = error else {
                Issue.record("\(error)")
                continue
            }
            // The library's own SOCKS5, without a password, says less.
            if way.kind == .http || shown != nil { #expect(why == words) }
            #expect(!error.message.contains("wrong-one"))
        }
    }

    @Test func `A proxy in TLS that is not who it should be is told neither the host nor the password`() async throws {
        let way = Route(scheme: "https", kind: .http, isSecure: true, password: "ada:pass")
        for (names, isTrusted) in [([127, 0, 0, 2], true), ([127, 0, 0, 1], false), (nil, true)] as [([UInt8]?, Bool)] {
            let (result, heard) = try await Self.ask(way, shown: "ada:pass", proxyNames: names, trustsProxy: isTrusted)
            guard case .failure(.proxy(let why)) = result else {
                Issue.record("\(result)")
                continue
            }
            #expect(why.contains("certificate") && heard.isEmpty, "\(why)")
        }
    }

    @Test func `The way to a proxy on this machine is open to this process alone`() async throws {
        let proxy = try ProxyAddress("socks5://ada:pass@127.0.0.1:1")
        let relay = try await ProxyRelay.start(to: proxy, tls: .makeClientConfiguration())
        for proof in ["", "Proxy-Authorization: Basic \(Base64.encode("foyer:guessed"))\r\n"] {
            let reply = await RawHTTPClient.ask(
                "CONNECT id.example.org:443 HTTP/1.1\r\nHost: id.example.org\r\n\(proof)\r\n", port: relay.port)
            #expect(reply.isEmpty)
        }
        #expect(relay.lastTrouble == nil)
        relay.close()
    }
}
