import CommandSupport
import Identity
import StrictJSON
import Testing

@Suite struct RequestTests {
    private func request(_ text: String) throws(Failure) -> AgentRequest {
        try AgentProtocol.request(Array(text.utf8))
    }

    @Test func `A token's request is read as it was written`() throws {
        let text = """
            {"op":"token","client":"work","scopes":["a","b c"],"account":"ada","store":"file:x","tenant":"t",\
            "claims":"{\\"a\\":1}","forceRefresh":true,"timeout":2500,"environment":{"HOME":"/home/ada"},\
            "folder":"/tmp","storeFolder":"7:9"}
            """
        guard case .token(let request) = try request(text) else {
            Issue.record("another request")
            return
        }
        #expect(request.options.client == "work" && request.options.scopes == ["a", "b c"])
        #expect(request.options.timeout == 2.5 && request.options.tenant == "t")
        #expect(request.options.forceRefresh && request.options.claims == "{\"a\":1}" && request.options.isSilent)
        #expect(request.options.neverAsks)
        #expect(request.storeFolder == FileIdentity(device: 7, inode: 9))
        #expect(request.requestersEnvironment["HOME"] == "/home/ada" && request.requestersEnvironment["PATH"] == nil)
        #expect(request.requestersEnvironment.expand("x") == "/tmp/x")
        #expect(try AgentProtocol.request(AgentProtocol.line(AgentRequest.token(request).json)) == .token(request))
    }

    @Test(arguments: [
        #"{"op":"token","folder":"tmp"}"#, #"{"op":"token"}"#, #"{"op":"token","folder":"/","scopes":"a"}"#,
        #"{"op":"token","folder":"/","scopes":[1]}"#, #"{"op":"token","folder":"/","timeout":1}"#,
        #"{"op":"token","folder":"/","forceRefresh":"yes"}"#, #"{"op":"token","folder":"/","client":"a\u0000"}"#,
        #"{"op":"token","folder":"/","storeFolder":"7"}"#, #"{"op":"token","folder":"/","verbose":true}"#,
        #"{"op":"token","folder":"/","environment":{"PATH":"/"}}"#, #"{"op":"status","id":1}"#, "[]", "", "{}",
    ])
    func `What is not understood is refused`(text: String) {
        #expect { try request(text) } throws: { ($0 as? Failure)?.code == .usage }
    }

    @Test func `Whatever is sent, it is a request or wrong usage`() {
        let seeds = [
            #"{"op":"token","scopes":["a"],"environment":{"HOME":"/h"},"folder":"/","storeFolder":"1:2","timeout":500}"#,
            #"{"op":"answer","id":"1a2b","answer":"session"}"#, #"{"op":"unlock","passphrase":"\u00e4"}"#,
        ].map { Array($0.utf8) }
        var random = SystemRandomNumberGenerator()
        var understood = 0
        for round in 0..<30_000 {
            var line = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let place = Int.random(in: 0..<line.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: line[place] = UInt8.random(in: 0...255, using: &random)
                case 1: line.remove(at: place)
                default: line.insert(contentsOf: line[place...].prefix(8), at: place)
                }
                if line.isEmpty { line = [0x7B] }
            }
            do throws(Failure) {
                _ = try AgentProtocol.request(line)
                understood += 1
            } catch { if error.code != .usage { Issue.record("\(error.code): \(line)") } }
        }
        #expect(understood > 0)
    }

    @Test func `The first line tells protocol and version, and no other line does`() {
        let hello = Array(AgentProtocol.hello().serialized().utf8)
        #expect(AgentProtocol.serverVersion(in: hello) == Product.version)
        for other in [#"{"foyer":2,"version":"0.1.0"}"#, #"{"version":"0.1.0"}"#, "SSH-2.0", ""] {
            #expect(AgentProtocol.serverVersion(in: Array(other.utf8)) == nil, "\(other)")
        }
    }

    @Test func `A failure comes back from its error object as it was`() {
        let failure = Failure(
            .interactionRequired, "the sign-in was revoked", hint: "sign in", oauthError: "invalid_grant",
            suberror: "bad_token", serverCodes: [90118], claims: "{}", grantedScopes: ["a"], declinedScopes: ["b"],
            serverCodeOrigin: .b2c, oauthDescription: "AADB2C90118: forgotten")
        #expect(Failure(["error": failure.json]) == failure)
        #expect(Failure(["error": ["code": "nonsense", "message": "x"]]) == nil)
        #expect(Failure(["accessToken": "x"]) == nil)
    }
}
