import Identity
import Synchronization
import Testing
import Waiting

@testable import Wire

/// Over real sockets on loopback.
@Suite struct LoopbackListenerTests {
    private static func open<T>(
        _ redirectURI: String = "http://127.0.0.1/callback", announces: Bool = false,
        onUnexpectedRequest: @escaping @Sendable (StrayRequest) -> Void = { _ in },
        _ body: (LoopbackListener) async throws -> T
    ) async throws -> T {
        let expectation = AuthorizationExpectation(
            state: "right", metadata: try Samples.metadata(announcesIssuer: announces))
        let listener = try await LoopbackListener.start(
            redirectURI: redirectURI, expectation: expectation, onUnexpectedRequest: onUnexpectedRequest)
        defer { listener.close() }
        return try await body(listener)
    }

    private static func code(_ listener: LoopbackListener) async throws -> String? {
        guard case .code(let code, cloudHost: _) = try await listener.response(timeout: Waiting.end) else {
            return nil
        }
        return code.reveal()
    }

    private static func status(_ reply: String) -> String {
        String(reply.split(separator: " ").dropFirst().first ?? "")
    }

    @Test func `The redirect to the chosen port brings the code`() async throws {
        try await Self.open { listener async throws in
            #expect(listener.redirectURI == "http://127.0.0.1:\(listener.port)/callback")
            let reply = await RawHTTPClient.get(
                "/callback?code=c1&state=right", port: listener.port, host: "127.0.0.1:\(listener.port)")
            #expect(Self.status(reply) == "200")
            #expect(reply.contains("You can close this page"))
            #expect(try await Self.code(listener) == "c1")
        }
    }

    @Test func `A redirect URI on another address of this machine is answered there, and for no other host`()
        async throws
    {
        try await Self.open("http://127.0.0.2/callback") { listener async throws in
            let (port, other) = (listener.port, UInt32(0x7F00_0002))
            #expect(listener.redirectURI == "http://127.0.0.2:\(port)/callback")
            let target = "/callback?code=c1&state=right"
            #expect(
                Self.status(await RawHTTPClient.get(target, port: port, host: "127.0.0.3:\(port)", address: other))
                    == "400")
            #expect(
                Self.status(await RawHTTPClient.get(target, port: port, host: "127.0.0.2:\(port)", address: other))
                    == "200")
            #expect(try await Self.code(listener) == "c1")
        }
    }

    @Test func `The page is fixed, keeps nothing, loads nothing and echoes nothing`() async throws {
        try await Self.open { listener async throws in
            let reply = await RawHTTPClient.get(
                "/callback?code=c1&state=right&x=%3Cscript%3Ealert(1)%3C/script%3E%0d%0aX-Evil:1", port: listener.port)
            let lines = reply.split(separator: "\r\n").map { $0.lowercased() }
            #expect(lines.contains("cache-control: no-store"))
            #expect(lines.contains("referrer-policy: no-referrer"))
            #expect(lines.contains("x-content-type-options: nosniff"))
            #expect(lines.contains { $0.hasPrefix("content-security-policy: default-src 'none'") })
            #expect(lines.contains("connection: close"))
            #expect(!reply.contains("alert") && !reply.lowercased().contains("x-evil") && !reply.contains("c1"))
            #expect(!reply.contains("<script") && !reply.contains("http://") && !reply.contains("https://"))
        }
    }

    @Test func `Others who come first are sent away, and the sign-in still succeeds`() async throws {
        let strays = Mutex<[String]>([])
        let answers = Mutex(0)
        try await Self.open(onUnexpectedRequest: { stray in
            if case .answer = stray { answers.withLock { $0 += 1 } }
            strays.withLock { $0.append(stray.words) }
        }) { listener async throws in
            let port = listener.port
            for (target, status) in [
                ("/favicon.ico", "404"), ("/", "404"), ("/callback/", "404"), ("//callback?code=e&state=right", "404"),
                ("/c%61llback?code=e&state=right", "404"),
                ("/callback", "400"), ("/callback?", "400"), ("/callback?code=evil", "400"),
                ("/callback?code=evil&state=wrong", "400"),
                ("/callback?code=evil&state=right&state=right", "400"), ("/callback?code=evil&state=right%", "400"),
                ("http://127.0.0.1:\(port)/callback?code=e&state=right", "404"),
            ] {
                #expect(Self.status(await RawHTTPClient.get(target, port: port)) == status, "\(target)")
            }
            #expect(strays.withLock { $0.count } == 12)
            // With a query on the right path: somebody may have meant them as answers.
            #expect(answers.withLock { $0 } == 4)
            #expect(strays.withLock { words in !words.contains { $0.contains("evil") || $0.contains("wrong") } })
            #expect(Self.status(await RawHTTPClient.get("/callback?code=c1&state=right", port: port)) == "200")
            #expect(try await Self.code(listener) == "c1")
        }
    }

    @Test(arguments: [
        "evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:PORT",
        "127.0.0.1:PORT:PORT", "",
        "0.0.0.0:PORT",
    ])
    func `A request for another host is refused, so that no name can be bound to this port`(host: String) async throws {
        try await Self.open { listener async throws in
            let port = listener.port
            let named = host.replacing("PORT", with: String(port))
            #expect(
                Self.status(await RawHTTPClient.get("/callback?code=e&state=right", port: port, host: named)) == "400")
            #expect(
                Self.status(await RawHTTPClient.ask("GET /callback?code=e&state=right HTTP/1.1\r\n\r\n", port: port))
                    == "400")
            let two =
                "GET /callback?code=e&state=right HTTP/1.1\r\nHost: localhost:\(port)\r\nHost: evil.example\r\n\r\n"
            #expect(Self.status(await RawHTTPClient.ask(two, port: port)) == "400")
            #expect(
                Self.status(
                    await RawHTTPClient.get("/callback?code=c1&state=right", port: port, host: "LOCALHOST:\(port)"))
                    == "200")
            #expect(try await Self.code(listener) == "c1")
        }
    }

    @Test(arguments: ["POST", "HEAD", "OPTIONS", "TRACE", "PUT", "CONNECT", "get"]) func `Only GET is answered`(
        method: String
    ) async throws {
        try await Self.open { listener async throws in
            let text =
                """
                \(method) /callback?code=e&state=right HTTP/1.1\r\nHost: \
                localhost:\(listener.port)\r\nContent-Length: 0\r\n\r\n
                """
            let status = Self.status(await RawHTTPClient.ask(text, port: listener.port))
            #expect(status == "405" || status == "400" || status.isEmpty, "\(status)")
            #expect(Self.status(await RawHTTPClient.get("/callback?code=c1&state=right", port: listener.port)) == "200")
            #expect(try await Self.code(listener) == "c1")
        }
    }

    @Test func `A request of a mebibyte, or of twenty thousand headers, ends at sixteen kibibytes`() async throws {
        try await Self.open { listener async throws in
            for text in [
                "GET /callback?state=right&code=" + String(repeating: "a", count: 1_048_576),
                "GET /callback HTTP/1.1\r\n" + String(repeating: "X-Header: y\r\n", count: 20_000),
                String(repeating: "\r\n", count: 100_000),
                String(repeating: "\u{0}", count: 100_000),
            ] {
                let reply = await RawHTTPClient.ask(text, port: listener.port)
                #expect(!reply.contains("200 "))
            }
            let large = await RawHTTPClient.ask(
                "GET /callback?state=right&code=" + String(repeating: "a", count: 20_000), port: listener.port)
            #expect(large.isEmpty || Self.status(large) == "431")
            #expect(Self.status(await RawHTTPClient.get("/callback?code=c1&state=right", port: listener.port)) == "200")
            #expect(try await Self.code(listener) == "c1")
        }
    }

    @Test func `Thirty half-open connections, and a hundred, do not keep the real one out`() async throws {
        try await Self.open { listener async throws in
            var idle: [RawHTTPClient] = []
            for count in [30, 70] {
                idle += await RawHTTPClient.idle(count, port: listener.port, "GET /callback?st")
                #expect(Self.status(await RawHTTPClient.get("/other", port: listener.port)) == "404")
            }
            #expect(idle.count == 100)
            #expect(Self.status(await RawHTTPClient.get("/callback?code=c1&state=right", port: listener.port)) == "200")
            #expect(try await Self.code(listener) == "c1")
            withExtendedLifetime(idle) {}
        }
    }

    @Test func `The answer counts once; whoever repeats it finds nothing`() async throws {
        try await Self.open { listener async throws in
            #expect(Self.status(await RawHTTPClient.get("/callback?code=c1&state=right", port: listener.port)) == "200")
            #expect(Self.status(await RawHTTPClient.get("/callback?code=c2&state=right", port: listener.port)) == "404")
            #expect(try await Self.code(listener) == "c1")
        }
    }

    @Test func `A connection brings one request, whatever is sent behind it`() async throws {
        let strays = Mutex(0)
        try await Self.open(onUnexpectedRequest: { _ in strays.withLock { $0 += 1 } }) { listener async throws in
            let request = { (target: String) in
                "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(listener.port)\r\n\r\n"
            }
            let many = String(repeating: request("/other"), count: 20) + request("/callback?code=c2&state=right")
            let reply = await RawHTTPClient.ask(many, port: listener.port)
            #expect(Self.status(reply) == "404" && reply.split(separator: "HTTP/1.1 ").count == 1)
            #expect(strays.withLock { $0 } == 1)
            #expect(Self.status(await RawHTTPClient.get("/callback?code=c1&state=right", port: listener.port)) == "200")
            #expect(try await Self.code(listener) == "c1")
        }
    }

    @Test func `A refusal ends the wait, and its page does not say that all is well`() async throws {
        try await Self.open { listener async throws in
            let reply = await RawHTTPClient.get(
                "/callback?error=access_denied&error_description=no&state=right", port: listener.port)
            #expect(Self.status(reply) == "200")
            #expect(reply.contains("Not signed in") && !reply.contains("access_denied"))
            guard case .refused(let error) = try await listener.response(timeout: Waiting.end) else {
                Issue.record("no refusal")
                return
            }
            #expect(error.error == "access_denied")
        }
    }

    @Test func `An answer of another provider ends the sign-in`() async throws {
        for query in ["&iss=https%3A%2F%2Fevil.example", ""] {
            try await Self.open(announces: true) { listener async throws in
                #expect(
                    await RawHTTPClient.get("/callback?code=c1&state=right" + query, port: listener.port).contains(
                        "Not signed in"))
                let error = await Samples.error { () async throws(WireError) in
                    _ = try await listener.response(timeout: Waiting.end)
                }
                #expect(error?.check == "issuer")
            }
        }
    }

    @Test func `Localhost is listened to on both families, and Entra ID's URI has no path`() async throws {
        try await Self.open("http://localhost") { listener async throws in
            #expect(listener.redirectURI == "http://localhost:\(listener.port)")
            #expect(Self.status(await RawHTTPClient.get("/favicon.ico", port: listener.port)) == "404")
            if RawHTTPClient(port: listener.port, onIPv6: true) != nil {
                #expect(
                    Self.status(await RawHTTPClient.get("/?code=c1&state=right", port: listener.port, onIPv6: true))
                        == "200")
            } else {
                #expect(Self.status(await RawHTTPClient.get("/?code=c1&state=right", port: listener.port)) == "200")
            }
            #expect(try await Self.code(listener) == "c1")
        }
    }

    @Test func `An IPv6 literal is listened to as one`() async throws {
        do {
            try await Self.open("http://[::1]/cb") { listener async throws in
                #expect(listener.redirectURI == "http://[::1]:\(listener.port)/cb")
                #expect(RawHTTPClient(port: listener.port) == nil)
                let reply = await RawHTTPClient.get(
                    "/cb?code=c1&state=right", port: listener.port, host: "[::1]:\(listener.port)", onIPv6: true)
                #expect(Self.status(reply) == "200")
                #expect(try await Self.code(listener) == "c1")
            }
        } catch WireError.unsupported {
            // A machine without IPv6.
        }
    }

    @Test func `A fixed port that is taken is said to be, and one that was just used is not`() async throws {
        let port = try await Self.open { $0.port }
        let fixed = "http://127.0.0.1:\(port)/callback"
        let other = AuthorizationExpectation(state: "other", metadata: try Samples.metadata())
        // The listener hangs up first, so its side of each connection lingers: the next sign-in gets the port all the
        // same.
        for _ in 0..<3 {
            // Closing is not waited for by the listener.
            try #require(await eventually { RawHTTPClient(port: port) == nil })
            try await Self.open(fixed) { listener async throws in
                #expect(listener.port == port)
                let error = await Samples.error { () async throws(WireError) in
                    _ = try await LoopbackListener.start(redirectURI: fixed, expectation: other) { _ in }
                }
                #expect(error == .unsupported("port \(port) is in use by another program"))
                #expect(Self.status(await RawHTTPClient.get("/callback?code=c1&state=right", port: port)) == "200")
            }
        }
    }

    @Test func `The wait ends by itself, and the port is closed with the listener`() async throws {
        let port = try await Self.open { listener async throws in
            let error = await Samples.error { () async throws(WireError) in
                _ = try await listener.response(timeout: .milliseconds(30))
            }
            #expect(error == .timedOut(host: "the browser"))
            return listener.port
        }
        #expect(await eventually { RawHTTPClient(port: port) == nil })
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `Giving up ends the wait at once, not at its end`() async throws {
        try await Self.open { listener async throws in
            let wait = Task {
                await Samples.error { () async throws(WireError) in
                    _ = try await listener.response(timeout: Waiting.end)
                }
            }
            wait.cancel()
            #expect(await wait.value == .cancelled)
        }
    }

    @Test(arguments: [
        "https://localhost", "http://0.0.0.0", "http://192.168.1.1", "http://example.org", "myapp://callback",
        "http://127.0.0.1/?x=1", "",
        "http://localhost@evil.example",
    ])
    func `Only an http address of this machine is listened on`(redirectURI: String) async throws {
        let metadata = try Samples.metadata()
        let error = await Samples.error { () async throws(WireError) in
            _ = try await LoopbackListener.start(
                redirectURI: redirectURI, expectation: AuthorizationExpectation(state: "s", metadata: metadata)
            ) { _ in }
        }
        guard case .unsupported = error else {
            Issue.record("listens: \(redirectURI)")
            return
        }
    }

    @Test func `Two sign-ins at once, and each refuses the other's answer`() async throws {
        let metadata = try Samples.metadata()
        try await Self.open { first async throws in
            let second = try await LoopbackListener.start(
                redirectURI: "http://127.0.0.1/callback",
                expectation: AuthorizationExpectation(state: "second", metadata: metadata)
            ) { _ in }
            defer { second.close() }
            #expect(Self.status(await RawHTTPClient.get("/callback?code=c2&state=second", port: first.port)) == "400")
            #expect(Self.status(await RawHTTPClient.get("/callback?code=c1&state=right", port: second.port)) == "400")
            #expect(Self.status(await RawHTTPClient.get("/callback?code=c1&state=right", port: first.port)) == "200")
            #expect(Self.status(await RawHTTPClient.get("/callback?code=c2&state=second", port: second.port)) == "200")
            #expect(try await Self.code(first) == "c1")
            #expect(try await Self.code(second) == "c2")
        }
    }

    // MARK: Forms, fragments and the way back from signing out

    private static func post(
        _ body: String, _ port: Int, path: String = "/callback", type: String = "application/x-www-form-urlencoded"
    )
        async -> String
    {
        await RawHTTPClient.ask(
            """
            POST \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Type: \(type)\r\nContent-Length: \
            \(body.utf8.count)\r\n\r\n\(body)
            """,
            port: port)
    }

    @Test func `A form is taken where one was asked for: on the redirect path only, with the same checks`() async throws
    {
        let expectation = AuthorizationExpectation(
            state: "right", metadata: try Samples.metadata(), responseMode: .formPost)
        let listener = try await LoopbackListener.start(
            redirectURI: "http://127.0.0.1/callback", expectation: expectation
        ) { _ in }
        defer { listener.close() }
        let port = listener.port
        #expect(Self.status(await Self.post("code=e&state=right", port, path: "/other")) == "404")
        #expect(Self.status(await Self.post("code=e&state=wrong", port)) == "400")
        #expect(Self.status(await Self.post("code=e&state=right", port, type: "text/plain")) == "400")
        #expect(Self.status(await Self.post("code=e&state=right&state=right", port)) == "400")
        #expect(
            ["431", "400", "nobody", ""].contains(
                Self.status(await Self.post(String(repeating: "a", count: 20_000), port))))
        #expect(
            Self.status(
                await RawHTTPClient.ask("PUT /callback HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n", port: port))
                == "405")
        let reply = await Self.post(
            "code=c1&state=right", port, type: "application/x-www-form-urlencoded; charset=utf-8")
        #expect(Self.status(reply) == "200" && !reply.contains("c1"))
        #expect(try await Self.code(listener) == "c1")
    }

    @Test func `An answer that stays behind # in the browser gets a page that says so, and pasting it works`()
        async throws
    {
        try await Self.open { listener async throws in
            let reply = await RawHTTPClient.get("/callback", port: listener.port)
            #expect(Self.status(reply) == "400" && reply.contains("copy the whole URL"))
            let expectation = AuthorizationExpectation(state: "right", metadata: try Samples.metadata())
            guard
                case .address(.code(let code, cloudHost: _)) = try PastedRedirect.answer(
                    "http://127.0.0.1:1/callback#state=right&code=c1", expectation)
            else {
                Issue.record("no code")
                return
            }
            #expect(code.reveal() == "c1")
            #expect(throws: WireError.self) {
                _ = try PastedRedirect.answer("http://127.0.0.1:1/callback#state=wrong&code=c1", expectation)
            }
            // What stands in the query goes first, so that nothing is slipped in behind it.
            #expect(throws: WireError.self) {
                _ = try PastedRedirect.answer(
                    "http://127.0.0.1:1/callback?state=wrong&code=e#state=right&code=c1", expectation)
            }
        }
    }

    @Test
    func
        `Anybody can ask for the page of a sign-out without its state: the browser that brings it is still waited for`()
        async throws
    {
        let listener = try await LoopbackListener.start(redirectURI: "http://127.0.0.1/bye", signOutState: "s1") { _ in
        }
        defer { listener.close() }
        for _ in 0..<3 {
            let reply = await RawHTTPClient.get("/bye", port: listener.port)
            #expect(Self.status(reply) == "200" && reply.contains("The provider's page"))
        }
        async let found = listener.signOutReturn(timeout: Waiting.end)
        #expect(await RawHTTPClient.get("/bye?state=s1", port: listener.port).contains(">The provider has ended"))
        #expect(try await found == .confirmed)
    }

    @Test(arguments: [("?state=s1", SignOutReturn.confirmed), ("", .unconfirmed), ("?other=1", .unconfirmed)])
    func `The browser comes back from signing out, with the state or, as some providers do, without`(
        query: String, expected: SignOutReturn
    ) async throws {
        let listener = try await LoopbackListener.start(redirectURI: "http://127.0.0.1/bye", signOutState: "s1") { _ in
        }
        defer { listener.close() }
        #expect(Self.status(await RawHTTPClient.get("/bye?state=other", port: listener.port)) == "400")
        #expect(Self.status(await RawHTTPClient.get("/favicon.ico", port: listener.port)) == "404")
        #expect(Self.status(await RawHTTPClient.get("/bye" + query, port: listener.port)) == "200")
        #expect(
            try await listener.signOutReturn(timeout: expected == .confirmed ? Waiting.end : .milliseconds(200))
                == expected)
    }

    @Test(arguments: [
        ("login.microsoftonline.us", "login.microsoftonline.us"),
        ("LOGIN.microsoftonline.US", "login.microsoftonline.us"),
        ("evil.example", nil), ("login.microsoftonline.us.evil.example", nil), ("", nil),
    ])
    func `The person's own cloud is honoured only when it is one that is known`(host: String, expected: String?) throws
    {
        let expectation = AuthorizationExpectation(state: "s", metadata: try Samples.metadata())
        guard
            case .code(_, let cloudHost) = try expectation.answer([
                "state": "s", "code": "c", "cloud_instance_host_name": host,
            ])
        else {
            Issue.record("no code")
            return
        }
        #expect(cloudHost == expected)
    }
}
