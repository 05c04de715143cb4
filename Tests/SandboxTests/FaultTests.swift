import Testing

@testable import Sandbox

struct FaultTests {
    @Test func `Faults with times are a script, and then the truth comes out`() async throws {
        var browser = try await BrowserClient(BrowserClient.interval(0))
        let codes = try browser.startDevice("/oidc", "/device", client: Directory.labCLI, scope: "openid")
        try browser.provider.approve(userCode: codes.user, username: "hedy@lab.example")
        browser.provider.bend(Fault(.pending, times: 2), Fault(.slowDown, times: 1))
        let errors = try (0..<3).map { _ in
            try browser.poll(codes.device, "/oidc", client: Directory.labCLI)["error"]?.string
        }
        #expect(errors == ["authorization_pending", "authorization_pending", "slow_down"])
        #expect(try browser.poll(codes.device, "/oidc", client: Directory.labCLI)["access_token"] != nil)
        await browser.provider.stop()
    }

    @Test func `A fault finds its user, client and grant, and nobody else`() async throws {
        var browser = try await BrowserClient()
        let ada = try browser.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        let taro = try browser.provider.issue(username: "taro@contoso.example")["refresh_token"]?.string
        _ = try browser.control(
            "POST", "faults",
            #"""
            {"kind":"error","error":"invalid_grant","suberror":"basic_action","codes":[50076],"claims":"{\"access_token\":{}}",
             "endpoint":"token:refresh_token","user":"ada@contoso.example"}
            """#)
        let refused = try browser.refresh(ada)
        #expect(refused["suberror"]?.string == "basic_action" && refused["error_codes"]?.array == [50076])
        #expect(refused["claims"]?.string == #"{"access_token":{}}"#)
        #expect(refused["error_description"]?.string?.hasPrefix("AADSTS50076: ") == true)
        #expect(try browser.refresh(taro)["access_token"] != nil)
        _ = try browser.control("DELETE", "faults")
        #expect(try browser.refresh(ada)["access_token"] != nil)
        await browser.provider.stop()
    }

    @Test(arguments: TokenFault.allCases)
    func `Each spoiled ID token is spoiled in its one way`(_ bend: TokenFault) async throws {
        var browser = try await BrowserClient()
        browser.userAgent = "curl/8.0"
        browser.provider.bend(Fault(.idToken(bend), times: 1))
        let token = try browser.redeem(BrowserClient.parameters(browser.authorize())["code"])["id_token"]?.string
        guard bend != .missing else {
            #expect(token == nil)
            await browser.provider.stop()
            return
        }
        let claims = try BrowserClient.claims(token)
        let header = String(decoding: Base64URLCoding.decode((token ?? "").prefix { $0 != "." }) ?? [], as: UTF8.self)
        let signed = browser.provider.state.with { $0.keys.global.claims(of: token ?? "") } != nil
        #expect(signed == ![.algNone, .hs256WithPublicKey, .badSignature].contains(bend))
        let now = browser.provider.now
        let spoiled: Bool =
            switch bend {
            case .algNone: header.contains(#""alg":"none""#) && token?.hasSuffix(".") == true
            case .hs256WithPublicKey: header.contains("HS256")
            case .badSignature: !signed && header.contains("RS256")
            case .wrongIssuer: claims["iss"]?.string?.contains("invalid") == true
            case .wrongAudience: claims["aud"]?.string != Directory.tryOut
            case .wrongNonce: claims["nonce"]?.string != "a-nonce"
            case .missingNonce: claims["nonce"] == nil
            case .expired: (claims["exp"]?.int ?? now) < now
            case .missingSub: claims["sub"] == nil
            case .futureIat: (claims["iat"]?.int ?? 0) > now + 3600
            case .missing: false
            }
        #expect(spoiled)
        await browser.provider.stop()
    }

    @Test func `Overrides reach token answers, documents and redirects, with JSON nobody should write`() async throws {
        var browser = try await BrowserClient()
        browser.userAgent = "curl/8.0"
        let secret = try browser.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        _ = try browser.control(
            "POST", "faults",
            #"{"kind":"override","times":1,"fields":{"token_type":"bear\u001b[31mer","scope":null},"raw":{"expires_in":"1e3"}}"#
        )
        let answer = browser.send(
            "POST", "/common/oauth2/v2.0/token",
            [("grant_type", "refresh_token"), ("client_id", Directory.tryOut), ("refresh_token", secret)])
        #expect(
            answer.body.contains("\"expires_in\":1e3") && answer.body.contains("\\u001b[31m")
                && !answer.body.contains("\"scope\""))
        browser.provider.bend(
            Fault(.override([.init(name: "state", value: "another")]), endpoint: "authorize", times: 1))
        #expect(BrowserClient.parameters(browser.authorize())["state"] == "another")
        browser.provider.bend(
            Fault(.override([.init(name: "issuer", value: "https://evil.example")]), endpoint: "discovery", times: 1))
        #expect(
            try browser.json("GET", "/oidc/.well-known/openid-configuration")["issuer"]?.string
                == "https://evil.example")
        await browser.provider.stop()
    }

    @Test func `Statuses, redirects and strange pages come in place of an answer`() async throws {
        var browser = try await BrowserClient()
        _ = try browser.control(
            "POST", "faults",
            #"[{"kind":"status","status":429,"retry_after":7,"times":1},{"kind":"redirect","location":"https://evil.example/","times":1},{"kind":"html","times":1}]"#
        )
        let busy = browser.send("GET", "/oidc/jwks")
        #expect(busy.status == 429 && busy.header("Retry-After") == "7")
        let away = browser.send("POST", "/oidc/token")
        #expect(away.status == 307 && away.header("Location") == "https://evil.example/")
        #expect(browser.send("GET", "/oidc/jwks").header("Content-Type")?.hasPrefix("text/html") == true)
        #expect(browser.send("GET", "/oidc/jwks").header("Content-Type")?.hasPrefix("application/json") == true)
        await browser.provider.stop()
    }

    @Test func `The control endpoint counts, resets, moves the clock, and refuses browsers and nonsense`() async throws
    {
        var browser = try await BrowserClient()
        _ = browser.send("GET", "/oidc/jwks")
        #expect(try browser.control("GET", "state")["requests"]?["keys"]?.int == 1)
        _ = try browser.control("POST", "clock", #"{"advance":3600}"#)
        #expect(try browser.control("GET", "state")["clock"]?["ahead"]?.int == 3600)
        #expect(
            try browser.control("POST", "clock", #"{"advance":9223372036854775807}"#)["error"]?.string
                == "invalid_request")
        _ = try browser.control("POST", "reset")
        #expect(browser.provider.requests("keys") == 0)
        let page = SandboxRequest("POST", "/_sandbox/reset", headers: ["origin": "https://evil.example"])
        #expect(browser.provider.answer(page).status == 403)
        #expect(try browser.control("POST", "faults", #"{"kind":"mischief"}"#)["error"]?.string == "invalid_request")
        #expect(try browser.control("POST", "faults", "{")["error"] != nil)
        await browser.provider.stop()
    }

    @Test func `Pages answer themselves for one user when told so`() async throws {
        var browser = try await BrowserClient()
        _ = try browser.control("POST", "auto", #"{"username":"grace@fabrikam.example"}"#)
        #expect(BrowserClient.parameters(browser.authorize(more: [("prompt", "login")]))["code"] != nil)
        let codes = try browser.startDevice(
            "/common/oauth2/v2.0", "/devicecode", client: Directory.tryOut, scope: "User.Read openid")
        #expect(browser.send("POST", "/device", [("user_code", codes.user)]).body.contains("grace@fabrikam.example"))
        await browser.provider.stop()
    }
}
