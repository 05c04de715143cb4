import CommandSupport
import Identity
import StrictJSON
import Testing

@Suite struct RequestTests {
    private func request(_ text: String) throws(Failure) -> AgentRequest {
        try AgentProtocol.request(Array(text.utf8))
    }

    @Test func `A token's request is read as it was written`() throws {
        var choices = TokenOptions(
            common: CommonOptions(client: "work", scopes: ["a", "b c"], account: "ada", store: "file:x", timeout: 2.5),
            asking: SignInOptions(tenant: "t"), silent: true, forceRefresh: true, claims: "{\"a\":1}")
        choices.common.json = true
        let text = """
            {"op":"token","client":"work","scopes":["a","b c"],"account":"ada","store":"file:x","tenant":"t",\
            "claims":"{\\"a\\":1}","forceRefresh":true,"timeout":2500,"environment":{"HOME":"/home/ada"},\
            "folder":"/tmp","storeFolder":"7:9"}
            """
        guard case .token(let request) = try request(text) else {
            Issue.record("another request")
            return
        }
        #expect(request.options.common.client == "work" && request.options.common.scopes == ["a", "b c"])
        #expect(request.options.common.timeout == 2.5 && request.options.asking.tenant == "t")
        #expect(request.options.forceRefresh && request.options.claims == choices.claims && request.options.isSilent)
        #expect(request.options.common.neverAsks)
        #expect(request.storeFolder == FileIdentity(device: 7, inode: 9))
        #expect(request.askersEnvironment["HOME"] == "/home/ada" && request.askersEnvironment["PATH"] == nil)
        #expect(request.askersEnvironment.expand("x") == "/tmp/x")
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

    @Test func `The first line tells protocol and version, and no other line does`() {
        let hello = Array(AgentProtocol.hello.serialized().utf8)
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
