import Testing

@testable import Sandbox

struct PromptTests {
    private func signIn(_ browser: inout BrowserClient, _ user: String) {
        let page = browser.authorize(more: [("prompt", "login")])
        _ = browser.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(page)), ("username", user), ("password", "sandbox"),
                ("consent", "accept"),
            ])
    }

    @Test func `prompt=none tells nobody, several, and a missing consent apart`() async throws {
        var browser = try await BrowserClient()
        func none(_ more: [(String, String?)] = [], scope: String = "User.Read openid profile offline_access")
            -> String?
        {
            BrowserClient.parameters(browser.authorize(scope: scope, more: [("prompt", "none")] + more))["error"]
        }
        #expect(none() == "login_required")
        signIn(&browser, "ada@contoso.example")
        #expect(none() == nil)
        #expect(none(scope: "Mail.Read openid") == "consent_required")
        signIn(&browser, "grace@fabrikam.example")
        #expect(none() == "interaction_required")
        #expect(none([("login_hint", "ada@contoso.example")]) == nil)
        #expect(none([("domain_hint", "fabrikam.example")]) == nil)
        #expect(none([("domain_hint", "consumers")]) == "login_required")
        await browser.provider.stop()
    }

    @Test func `max_age asks for the password again, and the token then says when it was given`() async throws {
        var browser = try await BrowserClient()
        signIn(&browser, "ada@contoso.example")
        let before = browser.provider.now
        try browser.provider.advanceClock(by: 600)
        let page = browser.authorize(more: [("max_age", "60")])
        #expect(page.body.contains("name=\"password\""))
        let short = browser.send(
            "POST", "/interaction",
            [("transaction", BrowserClient.transaction(page)), ("account", "ada@contoso.example")])
        #expect(short.body.contains("name=\"password\""))
        #expect(
            BrowserClient.parameters(browser.authorize(more: [("max_age", "60"), ("prompt", "none")]))["error"]
                == "login_required")
        let code = BrowserClient.parameters(browser.authorize(more: [("max_age", "3600")]))["code"]
        let claims = try BrowserClient.claims(browser.redeem(code)["id_token"]?.string)
        #expect(abs((claims["auth_time"]?.int ?? 0) - before) < 30)
        #expect(BrowserClient.parameters(browser.authorize(more: [("max_age", "soon")]))["error"] == "invalid_request")
        await browser.provider.stop()
    }

    @Test func `The answer comes in the query, the fragment or a form`() async throws {
        var browser = try await BrowserClient()
        browser.userAgent = "curl/8.0"
        let fragment = browser.authorize(more: [("response_mode", "fragment")]).header("Location")
        #expect(fragment?.hasPrefix("http://localhost:49152#code=") == true && fragment?.contains("?") == false)
        #expect(browser.authorize(more: [("response_mode", "query")]).header("Location")?.contains("?code=") == true)
        #expect(browser.authorize(more: [("response_mode", "form_post")]).body.contains("name=\"code\""))
        #expect(
            BrowserClient.parameters(browser.authorize(more: [("response_mode", "carrier_pigeon")]))["error"]
                == "invalid_request")
        await browser.provider.stop()
    }

    @Test
    func `Client capabilities and authentication contexts are seen in the access token, whatever the grant`()
        async throws
    {
        var browser = try await BrowserClient()
        browser.userAgent = "curl/8.0"
        let claims = #"{"access_token":{"xms_cc":{"values":["cp1"]},"acrs":{"essential":true,"value":"c1"}}}"#
        let tokens = try browser.redeem(BrowserClient.parameters(browser.authorize(more: [("claims", claims)]))["code"])
        let first = try BrowserClient.claims(tokens["access_token"]?.string)
        #expect(first["xms_cc"]?.array == ["cp1"] && first["acrs"]?.array == ["c1"])
        let plain = try browser.refresh(tokens["refresh_token"]?.string)
        #expect(try BrowserClient.claims(plain["access_token"]?.string)["xms_cc"] == nil)
        let again = try browser.json(
            "POST", "/common/oauth2/v2.0/token",
            [
                ("grant_type", "refresh_token"), ("client_id", Directory.tryOut),
                ("refresh_token", tokens["refresh_token"]?.string),
                ("claims", claims),
            ])
        #expect(try BrowserClient.claims(again["access_token"]?.string)["xms_cc"]?.array == ["cp1"])
        await browser.provider.stop()
    }

    @Test func `A correlation id comes back in the body of an error and in the header`() async throws {
        let browser = try await BrowserClient()
        let id = "0b1c2d3e-0000-4000-8000-000000000001"
        let answer = browser.provider.answer(
            SandboxRequest(
                "POST", "/common/oauth2/v2.0/token", headers: ["client-request-id": id],
                body: "grant_type=refresh_token"))
        #expect(answer.header("client-request-id") == id && answer.header("x-ms-request-id") != nil)
        #expect(try JSON(parsing: answer.body)["correlation_id"]?.string == id)
        await browser.provider.stop()
    }
}
