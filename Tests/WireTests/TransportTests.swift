import FoundationEssentials
import Identity
import StrictJSON
import Synchronization
import Testing
import Waiting

@testable import Wire

@Suite struct TransportTests {
    private static func get(
        timeout: Duration = Waiting.end, path: String = "/x",
        _ respond: @escaping @Sendable (StubServer.Asked) -> StubServer.Reply
    ) async throws -> (Result<HTTPReply, WireError>, [StubServer.Asked]) {
        try await StubServer.open(respond) { server async throws in
            try await Samples.transport(timeout: timeout) { transport async throws in
                let request = HTTPRequest(try WebAddress("http://127.0.0.1:\(server.port)\(path)"))
                let result: Result<HTTPReply, WireError>
                do throws(WireError) { result = .success(try await transport.send(request)) } catch {
                    result = .failure(error)
                }
                return (result, server.asked)
            }
        }
    }

    private static func error(
        timeout: Duration = Waiting.end, _ respond: @escaping @Sendable (StubServer.Asked) -> StubServer.Reply
    ) async throws
        -> WireError?
    {
        guard case .failure(let error) = try await get(timeout: timeout, respond).0 else { return nil }
        return error
    }

    @Test func `A request says who asks and what it reads, and nothing of this machine`() async throws {
        let (result, asked) = try await Self.get { _ in .json("{}") }
        #expect(try result.get().status == 200)
        let one = try #require(asked.first)
        #expect(
            Set(one.headers.map(\.name)).isSubset(of: [
                "host", "accept", "accept-encoding", "user-agent", "content-length", "connection",
            ]))
        #expect(one.header("user-agent") == "SilentFirst")
        #expect(one.header("accept-encoding") == "identity")
    }

    @Test(
        arguments: [
            ("foyer", "foyer"), ("example/1.2", "example/1.2"), (nil, "SilentFirst"), ("", "SilentFirst"),
            ("ä \n", "SilentFirst"),
            ("a\r\nauthorization: b", "aauthorizationb"),
            (String(repeating: "x", count: 1000), String(repeating: "x", count: 128)),
        ] as [(String?, String)])
    func `The product is what the program says, and one word whatever it says`(name: String?, product: String)
        async throws
    {
        let (reply, asked) = try await StubServer.open({ _ in .json("{}") }) { server async throws in
            let transport = Transport(NetworkSettings(timeout: Double(Waiting.seconds), productName: name))
            let reply = try await transport.send(HTTPRequest(try WebAddress("http://127.0.0.1:\(server.port)/")))
            await transport.close()
            return (reply, server.asked)
        }
        #expect(reply.status == 200)
        #expect(asked.map { $0.header("user-agent") } == [product])
        #expect(
            TokenEndpoint.entraHeaders(UUID(), product: product, anchor: nil).contains {
                $0 == ("x-client-sku", product)
            })
    }

    @Test(arguments: [301, 302, 303, 307, 308, 304]) func `No redirect is followed`(status: Int) async throws {
        let (result, asked) = try await Self.get {
            .answer(status, "", headers: ["Location: http://\($0.header("host") ?? "")/y"])
        }
        guard case .failure(.redirected(_, status)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(asked.map(\.target) == ["/x"])
    }

    @Test func `A body ends at 512 KiB, whether its length was told or not`() async throws {
        let most = String(repeating: "a", count: WireError.maximumBody)
        let reply = try await Self.get { _ in .answer(200, most) }.0.get()
        #expect(reply.body.count == WireError.maximumBody)
        let host = "HTTP/1.1 200 OK\r\n"
        for reply in [
            StubServer.Reply.answer(200, most + "a"),
            .raw(host + "Content-Length: 1099511627776\r\n\r\n" + most + "a", .silence),
            .raw(
                host + "Transfer-Encoding: chunked\r\n\r\n"
                    + (0..<9).map { _ in "10000\r\n" + String(repeating: "b", count: 65_536) + "\r\n" }.joined(),
                .silence),
            .raw(host + "\r\n" + most + most, .silence),
        ] {
            guard case .tooLarge = try await Self.error({ _ in reply }) else {
                Issue.record("taken")
                continue
            }
        }
    }

    @Test func `Headers without measure are refused`() async throws {
        for headers in [
            String(repeating: "X-Header: y\r\n", count: 5000),
            "X-Header: " + String(repeating: "y", count: 4_194_304) + "\r\n",
            (0..<10).map { "X-\($0): " + String(repeating: "y", count: 4000) + "\r\n" }.joined(),
        ] {
            guard
                let error = try await Self.error({ _ in .raw("HTTP/1.1 200 OK\r\n\(headers)Content-Length: 2\r\n\r\n{}")
                })
            else {
                Issue.record("taken")
                continue
            }
            #expect(error.message.count < 200)
        }
    }

    @Test func `Interim answers are passed over, however many`() async throws {
        let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", count: 20_000)
        switch try await Self.get({ _ in
            .raw(interim + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        }).0 {
        case .success(let reply): #expect(reply.status == 200)
        case .failure(let error): #expect(error.mayPass)
        }
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `Slow drips and silence end at the deadline`() async throws {
        for reply in [
            StubServer.Reply.raw("", .silence), .raw("HTTP/1.1 200 OK\r\nX-Slow: ", .drip),
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{", .drip),
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{", .silence),
        ] {
            guard case .timedOut = try await Self.error(timeout: .milliseconds(200), { _ in reply }) else {
                Issue.record("no end")
                continue
            }
        }
    }

    @Test(
        .timeLimit(.minutes(Waiting.minutes)),
        arguments: [
            StubServer.Reply.raw("", .silence), .raw("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n{", .drip),
        ])
    func `Giving up ends a request in every state`(reply: StubServer.Reply) async throws {
        try await StubServer.open({ _ in reply }) { server async throws in
            try await Samples.transport { transport async throws in
                let request = HTTPRequest(try WebAddress("http://127.0.0.1:\(server.port)/x"))
                let sending = Task {
                    await Samples.error { () async throws(WireError) in _ = try await transport.send(request) }
                }
                #expect(await eventually { !server.asked.isEmpty })
                sending.cancel()
                #expect(await sending.value == .cancelled)
            }
        }
    }

    @Test func `What is packed is not unpacked, and is no JSON`() async throws {
        let (result, _) = try await Self.get { _ in
            StubServer.Reply(
                bytes: Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 22\r\n\r\n".utf8)
                    + [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xAB, 0xAE, 5, 0, 0x43, 0xBF, 0xA6, 0xA3, 2, 0, 0, 0])
        }
        let reply = try result.get()
        #expect(reply.body.count == 22)
        #expect(throws: WireError.self) { try reply.object() }
    }

    @Test func `JSON is JSON whatever its content type says`() async throws {
        let reply = try await Self.get { _ in .answer(200, #"{"a":1}"#, type: "text/html") }.0.get()
        #expect(try reply.object()["a"]?.integer == 1)
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "\u{16}\u{3}\u{1}",
    ])
    func `An answer that breaks off, or is no HTTP, is a connection that may come back`(text: String) async throws {
        let error = try #require(try await Self.error { _ in .raw(text) })
        #expect(error.mayPass, "\(error)")
        guard case .unreachable = error else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func `Two lengths in one answer are no answer`() async throws {
        #expect(
            try await Self.error { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\n{}abc") }
                != nil)
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `A port where nobody listens says so at once`() async throws {
        let port = try await StubServer.open({ _ in .json("{}") }) { $0.port }
        try await Samples.transport { transport async throws in
            let request = HTTPRequest(try WebAddress("http://127.0.0.1:\(port)/x?secret=1"), body: .form([]))
            let error = await Samples.error { () async throws(WireError) in _ = try await transport.send(request) }
            #expect(error == .unreachable(host: "127.0.0.1:\(port)", why: "connection refused"))
            #expect(error?.message.contains("secret") == false)
        }
    }

    @Test func `A GET that met a 5xx is sent once more, and no more`() async throws {
        let (result, asked) = try await Self.get { _ in .answer(500, "{}") }
        #expect(try result.get().status == 500)
        #expect(asked.count == 2)
    }

    @Test func `Who is asked to wait does not ask again`() async throws {
        #expect(try await Self.get { _ in .answer(503, "{}", headers: ["Retry-After: 1"]) }.1.count == 1)
        #expect(try await Self.get { _ in .answer(429, "{}") }.1.count == 1)
    }

    @Test func `Cookies are not kept`() async throws {
        try await StubServer.open({ _ in .answer(200, "{}", headers: ["Set-Cookie: a=b; Path=/"]) }) {
            server async throws in
            try await Samples.transport { transport async throws in
                let request = HTTPRequest(try WebAddress("http://127.0.0.1:\(server.port)/x"))
                for _ in 0..<2 { _ = try await transport.send(request) }
                #expect(server.asked.allSatisfy { $0.header("cookie") == nil })
            }
        }
    }

    @Test func `Loopback and NO_PROXY hosts are reached directly, all else through the proxy`() throws {
        let proxy = ProxySetting("http://proxy.example:3128")
        let settings = NetworkSettings(httpsProxy: proxy, noProxy: ["example.org", ".corp.example", ""])
        for (address, expected) in [
            ("https://login.microsoftonline.com/", proxy), ("https://127.0.0.1/", nil),
            ("https://localhost:8443/", nil),
            ("https://[::1]/", nil),
            ("https://example.org/", nil), ("https://id.example.org/", nil), ("https://notexample.org/", proxy),
            ("https://a.corp.example/", nil),
            ("https://corp.example.evil/", proxy),
        ] as [(String, ProxySetting?)] {
            #expect(settings.proxy(for: try WebAddress(address)) == expected, "\(address)")
        }
        #expect(
            NetworkSettings(httpsProxy: proxy, noProxy: ["*"]).proxy(for: try WebAddress("https://x.example/")) == nil
        )
    }

    private static func through(_ proxy: String) async throws -> WireError? {
        let transport = Transport(
            NetworkSettings(httpsProxy: ProxySetting(proxy, source: "HTTPS_PROXY"), timeout: Double(Waiting.seconds)))
        let request = HTTPRequest(
            try WebAddress("https://id.example.org/token?x=1"), body: .form([("code", "secret")]), bearer: Secret("at"))
        let error = await Samples.error { () async throws(WireError) in _ = try await transport.send(request) }
        await transport.close()
        return error
    }

    @Test(arguments: [403, 407, 502]) func `A proxy is told where to, and nothing else; what it refuses is said of it`(
        status: Int
    )
        async throws
    {
        try await StubServer.open({ _ in .answer(status, "") }) { server async throws in
            let error = try await Self.through("http://127.0.0.1:\(server.port)")
            guard case .proxy = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(
                server.asked.allSatisfy {
                    $0.method == "CONNECT" && $0.target == "id.example.org:443" && $0.body.isEmpty
                })
            #expect(
                server.asked.allSatisfy { $0.header("authorization") == nil && $0.header("proxy-authorization") == nil }
            )
        }
    }

    @Test(arguments: ["://", "socks4://x:1", "ftp://x:1", "socks5://ada:pass@", "http://:pass@127.0.0.1:1"])
    func
        `A proxy that cannot be used says so of the setting, when a request is to go through it, and never shows the password`(
            text: String
        )
        async throws
    {
        let error = try #require(try await Self.through(text))
        guard case .proxySetting("HTTPS_PROXY", _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(!error.message.contains("pass@") && !error.mayPass)
    }

    @Test func `A request that goes through no proxy does not look at it`() async throws {
        try await StubServer.open({ _ in .json("{}") }) { server async throws in
            let transport = Transport(
                NetworkSettings(httpsProxy: ProxySetting("socks4://x"), httpProxy: ProxySetting("://")))
            #expect(
                try await transport.send(HTTPRequest(try WebAddress("http://127.0.0.1:\(server.port)/x"))).status == 200
            )
            await transport.close()
        }
    }

    @Test(arguments: [200, 407]) func `A proxy is told the user name and the password, and neither is ever shown`(
        status: Int
    ) async throws {
        try await StubServer.open({ _ in .answer(status, "") }) { server async throws in
            let error = try #require(try await Self.through("http://ada:p%40ss%3Aword@127.0.0.1:\(server.port)"))
            // The base64 of ada:p@ss:word (RFC 7617 section 2).
            #expect(server.asked.first?.header("proxy-authorization") == "Basic YWRhOnBAc3M6d29yZA==")
            #expect(server.asked.allSatisfy { $0.method == "CONNECT" && $0.target == "id.example.org:443" })
            #expect(!error.message.contains("p@ss") && !error.message.contains("p%40ss"))
            if status == 407 { #expect(error == .proxy(why: "wrong username or password")) }
        }
    }

    @Test(arguments: ["socks5", "socks5h", "SOCKS5H"]) func `A SOCKS5 proxy is told the host and nothing else`(
        scheme: String
    ) async throws {
        let heard = Mutex<[UInt8]>([])
        // RFC 1928: which ways are offered; none is wanted; where to; no route.
        try await StubServer.bare({ bytes in
            heard.withLock { $0 += bytes }
            return bytes.count == 3 ? [5, 0] : [5, 4, 0, 1, 0, 0, 0, 0, 0, 0]
        }) { port async throws in
            let error = try #require(try await Self.through("\(scheme)://127.0.0.1:\(port)"))
            guard case .proxy = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(heard.withLock { $0 } == [5, 1, 0] + [5, 1, 0, 3, 14] + Array("id.example.org".utf8) + [1, 187])
    }

    @Test func `A proxy that is not there is said to be the one that was not reached`() async throws {
        let port = try await StubServer.open({ _ in .json("{}") }) { $0.port }
        let error = try await Self.through("http://ada:secret@127.0.0.1:\(port)")
        #expect(error == .proxy(why: "127.0.0.1:\(port) is unreachable: connection refused"))
    }

    @Test func `A transport that is let go without closing does no harm`() async throws {
        try await StubServer.open({ _ in .json("{}") }) { server async throws in
            let reply = try await Transport(NetworkSettings(timeout: Double(Waiting.seconds))).send(
                HTTPRequest(try WebAddress("http://127.0.0.1:\(server.port)/x")))
            #expect(reply.status == 200)
        }
    }
}
