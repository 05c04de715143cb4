import Testing

@testable import Sandbox

struct ConditionalAccessTests {
    @Test func `A tenant's demand stops the refresh there alone, until a person has met it with the claims verbatim`()
        async throws
    {
        var visitor = try await BrowserClient()
        let ada = try visitor.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        _ = try visitor.control("POST", "demand", #"{"tenant":"fabrikam.example","context":"c1"}"#)
        let root = "/fabrikam.example/oauth2/v2.0"
        let refused = try visitor.refresh(ada, root)
        let claims = try #require(refused["claims"]?.string)
        #expect(refused["suberror"]?.string == "basic_action" && refused["error_codes"]?.array == [50076])
        #expect(claims == #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#)
        #expect(try visitor.refresh(ada)["access_token"] != nil)
        let signIn = visitor.authorize(root, more: [("claims", claims)])
        let proof = visitor.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(signIn)), ("username", "ada@contoso.example"),
                ("password", "sandbox"),
                ("consent", "accept"),
            ])
        #expect(proof.body.contains("Verify that it is you"))
        let silent = BrowserClient.parameters(
            visitor.authorize(root, more: [("prompt", "none"), ("login_hint", "ada@contoso.example")]))
        #expect(silent["error"] == "interaction_required" && silent["claims"] == claims)
        let end = visitor.send(
            "POST", "/interaction",
            [("transaction", BrowserClient.transaction(proof)), ("verify", "1"), ("consent", "accept")])
        let tokens = try visitor.redeem(BrowserClient.parameters(end)["code"], root)
        #expect(try BrowserClient.claims(tokens["access_token"]?.string)["acrs"]?.array == ["c1"])
        #expect(try visitor.refresh(tokens["refresh_token"]?.string, root)["access_token"] != nil)
        try visitor.provider.demandContext(nil, tenant: "fabrikam.example")
        #expect(try visitor.refresh(ada, root)["access_token"] != nil)
        await visitor.provider.stop()
    }

    @Test func `A claims parameter that the sign-in does not meet is sent back to the person`() async throws {
        var visitor = try await BrowserClient()
        let secret = try visitor.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        let claims = #"{"access_token":{"acrs":{"essential":true,"value":"c7"}}}"#
        let refused = try visitor.json(
            "POST", "/common/oauth2/v2.0/token",
            [
                ("grant_type", "refresh_token"), ("client_id", Directory.tryOut), ("refresh_token", secret),
                ("claims", claims),
            ])
        #expect(refused["claims"]?.string == claims)
        let codes = try visitor.json(
            "POST", "/common/oauth2/v2.0/devicecode",
            [("client_id", Directory.tryOut), ("scope", "User.Read openid"), ("claims", claims)])
        try visitor.provider.approve(userCode: codes["user_code"]?.string ?? "", username: "ada@contoso.example")
        let tokens = try visitor.poll(
            codes["device_code"]?.string ?? "", "/common/oauth2/v2.0", client: Directory.tryOut)
        #expect(try BrowserClient.claims(tokens["access_token"]?.string)["acrs"]?.array == ["c7"])
        await visitor.provider.stop()
    }

    @Test(arguments: [false, true])
    func `A throttle refuses for as long as it says, counts who does not wait, and ends`(_ asDate: Bool) async throws {
        var visitor = try await BrowserClient()
        let secret = try visitor.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        visitor.provider.bend(.throttle(seconds: 30, asDate: asDate, client: Directory.tryOut))
        func ask() -> Answer {
            visitor.send(
                "POST", "/common/oauth2/v2.0/token",
                [("grant_type", "refresh_token"), ("client_id", Directory.tryOut), ("refresh_token", secret)])
        }
        let first = ask()
        #expect(first.status == 429 && first.header("Date")?.hasSuffix(" GMT") == true)
        #expect(asDate ? first.header("Retry-After")?.hasSuffix(" GMT") == true : first.header("Retry-After") == "30")
        try visitor.provider.advanceClock(by: 20)
        let second = ask()
        #expect(second.status == 429 && second.header("Retry-After") != first.header("Retry-After"))
        #expect(visitor.provider.requests("throttled") == 2 && visitor.provider.requests("throttled:early") == 1)
        // Another client is not concerned.
        #expect(try visitor.refresh(secret, client: Directory.azureCLI)["suberror"]?.string == "client_mismatch")
        try visitor.provider.advanceClock(by: 11)
        #expect(ask().status == 200 && visitor.provider.requests("throttled") == 2)
        _ = try visitor.control("POST", "faults", #"{"kind":"throttle","retry_after":5,"date":true,"endpoint":"keys"}"#)
        #expect(visitor.send("GET", "/oidc/jwks").header("Retry-After")?.contains(",") == true)
        await visitor.provider.stop()
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    ])
    func `Dates are written as RFC 9110 writes them`(_ seconds: Int, _ text: String) {
        #expect(HTTPDate.text(seconds) == text)
    }
}
