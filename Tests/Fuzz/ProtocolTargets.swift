internal import FoundationEssentials
internal import Identity
internal import NIOCore
internal import NIOEmbedded
internal import StrictJSON

@testable internal import Agent
@testable internal import CommandSupport
@testable internal import Programs
@testable internal import Wire

extension FuzzTarget {
    /// The bytes of requests to the agent, in whatever pieces they come.
    static let agent = FuzzTarget(
        "agent", longest: 8192,
        words: [
            "\"op\":\"token\"", "\"op\":\"accounts\"", "\"op\":\"signIn\"", "status", "stop", "lock", "unlock",
            "requests",
            "answer", "endForwarding", "client", "clientId", "authority", "scopes", "account", "store", "config",
            "tenant",
            "claims", "forceRefresh", "timeout", "forProcess", "correlationId", "environment", "folder", "storeFolder",
            "passphrase", "session", "HOME", "program", "interactive", "pop", "popNonce", "\n", "\\u0000",
            "00000000-0000-4000-8000-000000000001", "1:2", "foyer",
        ]
    ) { input in
        guard let size = input.first else { return }
        let bytes = Array(input.dropFirst())
        let channel = EmbeddedChannel(handler: LineReader(limit: 2048))
        try? channel.connect(to: SocketAddress(unixDomainSocketPath: "/s")).wait()
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty, channel.isActive {
            let part = rest.prefix(Int(size) * 16 + 1)
            rest = rest.dropFirst(part.count)
            _ = try? channel.writeInbound(ByteBuffer(bytes: part))
            while let line = try? channel.readInbound(as: ByteBuffer.self) {
                lines.append(Array(line.readableBytesView))
            }
        }
        let whole = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().map(Array.init)
        hold(lines.elementsEqual(whole.prefix(lines.count)), "a line is another one")
        hold(lines.allSatisfy { $0.count < 2048 }, "a line is longer than it may be")
        if channel.isActive { hold(lines.count == whole.count, "a line is lost") }
        _ = try? channel.finish()
        for line in lines.prefix(64) { request(line) }
        request(Array(bytes.suffix(4096)))
        _ = SSHCommandLine.host(bytes.split(separator: 0).prefix(64).map { String(decoding: $0, as: UTF8.self) })
    }

    private static func request(_ line: [UInt8]) {
        if let request = try? AgentProtocol.request(line) {
            let written = AgentProtocol.line(request.json)
            hold(written.last == 0x0A && !written.dropLast().contains(0x0A), "a request is more than a line")
            hold((try? AgentProtocol.request(written)) == request, "a request is read as another one")
        }
        if let request = try? AgentProtocol.forwardedRequest(line) {
            let written = AgentProtocol.line(request.json)
            hold(
                (try? AgentProtocol.forwardedRequest(written)) == request, "a forwarded request is read as another one")
        }
        _ = AgentProtocol.serverVersion(in: line)
    }

    /// The bytes of a browser, or of anybody on this machine, to the address that waits for an answer.
    static let loopback = FuzzTarget(
        "loopback", longest: 4096,
        words: [
            "GET /back?code=c&state=s HTTP/1.1\r\nHost: localhost:8400\r\n\r\n", "POST /back HTTP/1.1\r\n",
            "Host: localhost:8400\r\n", "Content-Length: ", "Transfer-Encoding: chunked\r\n", "HTTP/1.0\r\n",
            "Content-Type: application/x-www-form-urlencoded\r\n", "\r\n\r\n", "0\r\n\r\n", "code=", "&state=s",
            "&iss=https://op.example", "error=access_denied", "error_description=", "%00", "%",
            "Expect: 100-continue\r\n",
            "Connection: upgrade\r\nUpgrade: websocket\r\n", "Host: 127.0.0.1:8400\r\n", "cloud_instance_host_name=",
        ]
    ) { input in
        guard let flags = input.first, let metadata = provider else { return }
        let (answers, sink) = AsyncStream.makeStream(
            of: LoopbackRequestHandler.ReturnResult.self, bufferingPolicy: .bufferingOldest(16))
        _ = answers
        let isSignOut = flags & 1 != 0
        let expectation = AuthorizationExpectation(
            state: "s", metadata: metadata, responseMode: flags & 2 != 0 ? .formPost : .query)
        let handler = LoopbackRequestHandler(
            path: "/back", expected: isSignOut ? .signOut(state: Secret("s")) : .authorization(expectation), sink: sink,
            onUnexpectedRequest: { stray in hold(stray.words.utf8.count < 200, "a stray request is a long story") })
        handler.open(port: 8400, host: "localhost")
        let channel = EmbeddedChannel()
        do {
            try LoopbackListener.prepare(channel, handler)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8400)).wait()
        } catch { fatalError("no channel: \(error)") }
        var rest = input.dropFirst()
        let piece = Int(flags >> 2) * 32 + 1
        while !rest.isEmpty, channel.isActive {
            _ = try? channel.writeInbound(ByteBuffer(bytes: rest.prefix(piece)))
            rest = rest.dropFirst(piece)
        }
        channel.embeddedEventLoop.run()
        var sent: [UInt8] = []
        while let part = try? channel.readOutbound(as: ByteBuffer.self) { sent += part.readableBytesView }
        if !sent.isEmpty {
            hold(sent.starts(with: "HTTP/1.1 ".utf8), "the answer is none of HTTP")
            hold(sent.count <= 4096, "the answer is longer than one")
        }
        if case .enqueued(let room) = sink.yield(.failure(.cancelled)) {
            let told = 15 - room
            hold(told <= (isSignOut ? 2 : 1), "there is more than one answer")
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(6))
        hold(!channel.isActive, "a connection is never closed")
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    private static let provider: ProviderMetadata? = {
        func address(_ path: String) throws -> WebAddress { try WebAddress("https://op.example/" + path) }
        return try? ProviderMetadata(
            issuer: "https://op.example", authorization: address("authorize"), token: address("token"),
            keys: address("keys"), announcesIssuer: false)
    }()

    /// What git says to a credential helper.
    static let git = FuzzTarget(
        "git", longest: 4096,
        words: [
            "protocol=https\n", "host=", "dev.azure.com", ".visualstudio.com", "path=", "username=", "password=",
            "wwwauth[]=Bearer authorization_uri=https://login.microsoftonline.com/", "capability[]=authtype\n",
            "capability[]=state\n", "state[]=", "\n", "/../", "%2e", "_git", "@", ":443", "[::1]",
        ]
    ) { bytes in
        if let request = try? GitCredential(bytes) {
            if let address = request.address() {
                hold(address.isSecure || address.isLoopback, "a token goes out in the clear")
            }
            if let devOps = request.devOps {
                hold(!(devOps.organization ?? "a").contains("/"), "an organization has a slash")
            }
            _ = AzureDevOps.tenant(of: request.wwwAuthenticate)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let request = try? GitCredential(url: text) {
            hold(request.host?.contains("@") != true, "a name is left in the host")
        }
        if let tenant = AzureDevOps.tenant(ofResource: text) { hold(tenant.utf8.count == 36, "a tenant is none") }
    }

    /// What a resource answers instead of what was asked for.
    static let challenge = FuzzTarget(
        "challenge", longest: 4096,
        words: [
            "Bearer ", "PoP ", "DPoP ", "Negotiate ", "error=\"insufficient_claims\"", "claims=\"", "e30", "e30=",
            "nonce=\"",
            "authorization_uri=\"https://login.microsoftonline.com/common\"", ", ", "\\\"", "realm=",
            "eyJhY2Nlc3NfdG9rZW4iOnt9fQ==",
        ]
    ) { bytes in
        let fields = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        let challenges = AuthenticationChallenge.read(fields)
        hold(challenges.count <= 16 * 16, "more challenges than are read")
        for challenge in challenges {
            hold(!challenge.scheme.isEmpty && challenge.scheme.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "no scheme")
            hold(challenge.token == nil || challenge.parameters.isEmpty, "a challenge is two")
            hold(Set(challenge.parameters.map(\.name)).count == challenge.parameters.count, "a name comes twice")
        }
        if let challenge = ClaimsChallenge(wwwAuthenticate: fields) {
            hold(ClaimsRequest.isValid(challenge.claims), "claims that cannot be sent")
            do {
                let merged = try ClaimsRequest.merged(challenge: challenge.claims, capabilities: ["cp1"]) ?? ""
                hold(
                    try ClaimsRequest.merged(challenge: merged, capabilities: ["cp1"]) == merged,
                    "capabilities are joined twice")
            } catch { hold(challenge.claims.utf8.count > 5000, "what was merged cannot be merged: \(error)") }
        }
        _ = ClaimsChallenge.proofNonce(wwwAuthenticate: fields)
    }

    /// What a provider says of itself, and of what went wrong.
    static let discovery = FuzzTarget(
        "discovery", longest: 4096,
        words: [
            "issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "https://op.example", "http://localhost/",
            "code_challenge_methods_supported", "S256", "scopes_supported", "userinfo_endpoint", "end_session_endpoint",
            "response_modes_supported", "dpop_signing_alg_values_supported", "error", "error_description", "suberror",
            "error_codes", "claims", "kty", "RSA", "EC", "crv", "P-256", "AQAB", "use", "sig", "xn--", "%41", "//", "@",
        ]
    ) { bytes in
        guard let value = try? JSONValue(parsing: bytes), let object = value.object else {
            return address(String(decoding: bytes, as: UTF8.self))
        }
        for member in object.members { if let text = member.value.string { address(text) } }
        for text in ["https://op.example", "https://login.microsoftonline.com/common"] {
            guard let authority = try? Authority(text) else { fatalError("no authority") }
            guard let metadata = try? ProviderMetadata(object, of: authority) else { continue }
            hold(metadata.token.isSecure, "tokens go out in the clear")
            guard let again = try? ProviderMetadata(metadata.document, of: authority) else {
                fatalError("what was kept of a provider is refused")
            }
            hold(again.document == metadata.document, "what was kept of a provider says something else")
        }
        if let error = OAuthError(Claims(object), status: 400) {
            hold(error.error.unicodeScalars.count <= 100, "an error is a long story")
            hold(
                (error.description ?? "").unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
                },
                "a control character is left")
            _ = error.effect
        }
        if let key = SigningKey(object) {
            hold(!key.verifies([0], of: "a.b", algorithm: "none"), "an unsigned token is signed")
        }
    }

    private static func address(_ text: String) {
        if let address = try? WebAddress(text) {
            hold(address.isSecure || address.isLoopback, "an address is in the clear")
            guard let again = try? WebAddress(address.text) else { fatalError("an address is none") }
            hold(again.host == address.host && again.port == address.port, "an address leads elsewhere")
            hold(address.host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x40 }, "a host has what no host has")
        }
        if let authority = try? Authority(text) {
            guard let again = try? Authority(authority.description, kind: authority.kind) else {
                fatalError("an authority is none")
            }
            hold(again == authority, "an authority is another one")
        }
    }

    /// What a person pastes from a browser.
    static let redirect = FuzzTarget(
        "redirect", longest: 2048,
        words: [
            "http://localhost:8400/back?code=c&state=s", "code=", "&state=s", "#", "?", "&", "=", "%00", "%C3%A9", "+",
            "error=", "iss=https%3A%2F%2Fop.example", "error_description=",
        ]
    ) { bytes in
        guard let provider else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        if let fields = FormEncoding.decode(text) {
            let pairs = fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
            let encoded = FormEncoding.encode(pairs)
            hold(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a form has what no form has")
            if fields[""] != "" { hold(FormEncoding.decode(encoded) == fields, "a form is read as another one") }
        }
        let expectation = AuthorizationExpectation(state: "s", metadata: provider)
        if let answer = try? PastedRedirect.answer(text, expectation), case .address = answer {
            // The name of the state may be written in escapes, and lines may be broken anywhere.
            let line = text.filter { !$0.isWhitespace }
            hold(line.contains("=s") || line.contains("=%73"), "an answer to nothing is taken")
        }
    }

    /// `config.json` of Docker gets a helper, and loses it again.
    static let docker = FuzzTarget(
        "docker", longest: 4096,
        words: ["credHelpers", "foyer", "auths", "example.azurecr.io", "credsStore", "{}", "\n\t", "\\u0066"]
    ) { bytes in
        _ = DockerConfiguration.served(bytes)
        let registries = ["example.azurecr.io", "other.azurecr.io"]
        guard let change = try? DockerConfiguration.added(registries, to: bytes, path: "/") else { return }
        let served = DockerConfiguration.served(change.bytes)
        if (try? JSONValue(parsing: change.bytes)) != nil {
            hold(served.first == "every registry" || Set(served).isSuperset(of: registries), "a helper is missing")
        }
        guard let removed = try? DockerConfiguration.removed(change.own, from: change.bytes, path: "/") else {
            fatalError("what was added cannot be taken back")
        }
        hold(
            (try? JSONValue(parsing: removed)) == (try? JSONValue(parsing: bytes)),
            "what was added and taken back is something else")
        for line in ChangedLines.of(bytes, change.bytes, known: change.inserted) {
            hold(line.first == "+" || line.first == "-" || line.first == "…", "a line of a difference is none")
        }
    }
}
