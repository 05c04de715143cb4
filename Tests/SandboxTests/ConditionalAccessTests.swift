import Testing

@testable import Sandbox

struct ConditionalAccessTests {
    @Test func `A tenant's demand stops the refresh there alone, until a person has met it with the claims verbatim`()
        async throws
    {
        var browser = try await BrowserClient()
        let ada = try browser.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        _ = try browser.control("POST", "demand", #"{"tenant":"fabrikam.example","context":"c1"}"#)
        let root = "/fabrikam.example/oauth2/v2.0"
        let refused = try browser.refresh(ada, root)
        let claims = try #require(refused["claims"]?.string)
        #expect(refused["suberror"]?.string == "basic_action" && refused["error_codes"]?.array == [50076])
        #expect(claims == #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#)
        #expect(try browser.refresh(ada)["access_token"] != nil)
        let signIn = browser.authorize(root, more: [("claims", claims)])
        let proof = browser.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(signIn)), ("username", "ada@contoso.example"),
                ("password", "sandbox"),
                ("consent", "accept"),
            ])
        #expect(proof.body.contains("Verify that it is you"))
        let silent = BrowserClient.parameters(
            browser.authorize(root, more: [("prompt", "none"), ("login_hint", "ada@contoso.example")]))
        #expect(silent["error"] == "interaction_required" && silent["claims"] == claims)
        let end = browser.send(
            "POST", "/interaction",
            [("transaction", BrowserClient.transaction(proof)), ("verify", "1"), ("consent", "accept")])
        let tokens = try browser.redeem(BrowserClient.parameters(end)["code"], root)
        #expect(try BrowserClient.claims(tokens["access_token"]?.string)["acrs"]?.array == ["c1"])
        #expect(try browser.refresh(tokens["refresh_token"]?.string, root)["access_token"] != nil)
        try browser.provider.demandContext(nil, tenant: "fabrikam.example")
        #expect(try browser.refresh(ada, root)["access_token"] != nil)
        await browser.provider.stop()
    }

    @Test func `A claims parameter that the sign-in does not meet is sent back to the person`() async throws {
        var browser = try await BrowserClient()
        let secret = try browser.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c7"}}}"#
        let refused = try browser.json(
            "POST", "/common/oauth2/v2.0/token",
            [
                ("grant_type", "refresh_token"), ("client_id", Directory.tryOut), ("refresh_token", secret),
                ("claims", claims),
            ])
        #expect(refused["claims"]?.string == claims)
        let codes = try browser.json(
            "POST", "/common/oauth2/v2.0/devicecode",
            [("client_id", Directory.tryOut), ("scope", "User.Read openid"), ("claims", claims)])
        try browser.provider.approve(userCode: codes["user_code"]?.string ?? "", username: "ada@contoso.example")
        let tokens = try browser.poll(
            codes["device_code"]?.string ?? "", "/common/oauth2/v2.0", client: Directory.tryOut)
        #expect(try BrowserClient.claims(tokens["access_token"]?.string)["acrs"]?.array == ["c7"])
        await browser.provider.stop()
    }

    @Test(arguments: [false, true])
    func `A throttle refuses for as long as it says, counts who does not wait, and ends`(_ asDate: Bool) async throws {
        var browser = try await BrowserClient()
        let secret = try browser.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        browser.provider.bend(.throttle(seconds: 30, asDate: asDate, client: Directory.tryOut))
        func ask() -> SandboxResponse {
            browser.send(
                "POST", "/common/oauth2/v2.0/token",
                [("grant_type", "refresh_token"), ("client_id", Directory.tryOut), ("refresh_token", secret)])
        }
        let first = ask()
        #expect(first.status == 429 && first.header("Date")?.hasSuffix(" GMT") == true)
        #expect(asDate ? first.header("Retry-After")?.hasSuffix(" GMT") == true : first.header("Retry-After") == "30")
        try browser.provider.advanceClock(by: 20)
        let second = ask()
        #expect(second.status == 429 && second.header("Retry-After") != first.header("Retry-After"))
        #expect(browser.provider.requests("throttled") == 2 && browser.provider.requests("throttled:early") == 1)
        // Another client is not concerned.
        #expect(try browser.refresh(secret, client: Directory.azureCLI)["suberror"]?.string == "client_mismatch")
        try browser.provider.advanceClock(by: 11)
        #expect(ask().status == 200 && browser.provider.requests("throttled") == 2)
        _ = try browser.control("POST", "faults", #"{"kind":"throttle","retry_after":5,"date":true,"endpoint":"keys"}"#)
        #expect(browser.send("GET", "/oidc/jwks").header("Retry-After")?.contains(",") == true)
        await browser.provider.stop()
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    ])
    func `Dates are written as RFC 9110 writes them`(_ seconds: Int, _ text: String) {
        #expect(Fault.RateLimit.httpDate(seconds) == text)
    }
}
