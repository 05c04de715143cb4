import Testing

@testable import Sandbox

struct AuthorizeTests {
    @Test func `Signing in through the pages wins a code, and a declined scope is missing from the answer`()
        async throws
    {
        var browser = try await BrowserClient()
        let signIn = browser.authorize(scope: "User.Read Mail.Read openid profile offline_access")
        let consent = browser.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(signIn)), ("username", "ada@contoso.example"),
                ("password", "sandbox"),
            ])
        let end = browser.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(consent)), ("boxes", "1"), ("scope", "User.Read"),
                ("consent", "accept"),
            ])
        let back = BrowserClient.parameters(end)
        #expect(end.status == 302 && end.header("Location")?.hasPrefix("http://localhost:49152?code=") == true)
        #expect(back["state"] == "a state")
        let tokens = try browser.redeem(back["code"])
        #expect(tokens["scope"]?.string == "openid profile User.Read")
        let claims = try BrowserClient.claims(tokens["id_token"]?.string)
        #expect(claims["nonce"]?.string == "a-nonce" && claims["tid"]?.string == Directory.contoso.id)
        #expect(claims["iss"]?.string == browser.provider.baseURL + "/\(Directory.contoso.id)/v2.0")
        let again = browser.authorize(scope: "User.Read openid")
        #expect(again.status == 302)
        await browser.provider.stop()
    }

    @Test func `Nothing ticked, and Cancel, are access_denied`() async throws {
        var browser = try await BrowserClient()
        let signIn = browser.authorize()
        let consent = browser.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(signIn)), ("username", "ada@contoso.example"),
                ("password", "sandbox"),
            ])
        let end = browser.send(
            "POST", "/interaction",
            [("transaction", BrowserClient.transaction(consent)), ("boxes", "1"), ("consent", "accept")])
        #expect(BrowserClient.parameters(end)["error"] == "access_denied")
        let second = browser.authorize(more: [("prompt", "login")])
        let cancelled = browser.send(
            "POST", "/interaction", [("transaction", BrowserClient.transaction(second)), ("cancel", "1")])
        #expect(BrowserClient.parameters(cancelled)["error"] == "access_denied")
        await browser.provider.stop()
    }

    @Test func `A code needs its verifier, its redirect URI and its first minute, and works once`() async throws {
        var browser = try await BrowserClient()
        browser.userAgent = "curl/8.0"
        func code() -> String? { BrowserClient.parameters(browser.authorize())["code"] }
        #expect(
            try browser.redeem(code(), verifier: String(repeating: "x", count: 43))["error"]?.string == "invalid_grant")
        #expect(try browser.redeem(code(), redirect: "http://localhost:1")["error"]?.string == "invalid_grant")
        let good = code()
        let tokens = try browser.redeem(good)
        #expect(tokens["access_token"] != nil)
        #expect(try browser.redeem(good)["error_codes"]?.array == [54005])
        // RFC 6749 section 4.1.2: what the code had won is gone with its second use.
        #expect(try browser.refresh(tokens["refresh_token"]?.string)["error"]?.string == "invalid_grant")
        let old = code()
        try browser.provider.advanceClock(by: 61)
        #expect(try browser.redeem(old)["error_codes"]?.array == [70008])
        await browser.provider.stop()
    }

    @Test func `A redirect URI that is not the client's is never followed`() async throws {
        var browser = try await BrowserClient()
        for uri in [
            "http://localhost.evil.example:1", "https://localhost", "http://localhost:1/elsewhere",
            "http://localhost@evil.example",
        ] {
            let answer = browser.authorize(redirect: uri)
            #expect(answer.status == 400 && answer.header("Location") == nil && answer.body.contains("AADSTS50011"))
        }
        #expect(browser.authorize(redirect: "http://[::1]:4711/").status == 200)
        await browser.provider.stop()
    }

    @Test func `The plain issuer says who it is in every answer, and wants PKCE`() async throws {
        var browser = try await BrowserClient()
        browser.userAgent = "curl/8.0"
        let back = BrowserClient.parameters(browser.authorize("/oidc", client: Directory.labCLI, scope: "openid email"))
        #expect(back["iss"] == browser.provider.issuer && back["code"] != nil)
        let claims = try BrowserClient.claims(
            browser.redeem(back["code"], "/oidc", client: Directory.labCLI)["id_token"]?.string)
        #expect(claims["email"]?.string == "hedy@lab.example" && claims["at_hash"] != nil)
        let bare = browser.send(
            "GET", "/oidc/authorize",
            [
                ("client_id", Directory.labCLI), ("response_type", "code"), ("redirect_uri", "http://127.0.0.1:1"),
                ("scope", "openid"),
            ])
        #expect(
            BrowserClient.parameters(bare)["error"] == "invalid_request"
                && BrowserClient.parameters(bare)["iss"] == browser.provider.issuer)
        await browser.provider.stop()
    }

    @Test func `form_post answers with a form whose button does what its script does`() async throws {
        var browser = try await BrowserClient()
        browser.userAgent = "curl/8.0"
        let page = browser.authorize(more: [("response_mode", "form_post")])
        #expect(
            page.status == 200 && page.body.contains("action=\"http://localhost:49152\"")
                && page.body.contains("name=\"code\""))
        #expect(page.header("Content-Security-Policy")?.contains("script-src 'nonce-") == true)
        await browser.provider.stop()
    }

    @Test func `prompt decides what is asked, and none asks nothing`() async throws {
        var browser = try await BrowserClient()
        #expect(BrowserClient.parameters(browser.authorize(more: [("prompt", "none")]))["error"] == "login_required")
        let signIn = browser.authorize()
        _ = browser.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(signIn)), ("username", "ada@contoso.example"),
                ("password", "sandbox"),
                ("consent", "accept"),
            ])
        #expect(BrowserClient.parameters(browser.authorize(more: [("prompt", "none")]))["code"] != nil)
        #expect(
            browser.authorize(more: [("prompt", "select_account")]).body.contains(
                "name=\"account\" value=\"ada@contoso.example\""))
        #expect(browser.authorize(more: [("prompt", "login")]).body.contains("name=\"password\""))
        #expect(browser.authorize(more: [("prompt", "consent")]).body.contains("type=\"checkbox\""))
        browser.userAgent = "curl/8.0"
        browser.cookie = nil
        #expect(browser.authorize(more: [("prompt", "login")]).body.contains("name=\"password\""))
        await browser.provider.stop()
    }

    @Test func `Who belongs where: personal accounts, work accounts, guests, and what needs an administrator`()
        async throws
    {
        var browser = try await BrowserClient()
        browser.userAgent = "curl/8.0"
        func come(_ tenant: String, _ user: String) -> SandboxResponse {
            browser.authorize("/\(tenant)/oauth2/v2.0", more: [("login_hint", user)])
        }
        #expect(come("organizations", "alan@personal.example").body.contains("AADSTS50020"))
        #expect(come("consumers", "ada@contoso.example").body.contains("AADSTS50020"))
        #expect(come("consumers", "alan@personal.example").status == 302)
        #expect(come("fabrikam.example", "taro@contoso.example").body.contains("AADSTS50020"))
        let home = try browser.provider.issue(username: "ada@contoso.example")
        let guest = try browser.provider.issue(username: "ada@contoso.example", tenant: "fabrikam.example")
        #expect(home["client_info"] == guest["client_info"])
        let (one, two) = (
            try BrowserClient.claims(home["id_token"]?.string), try BrowserClient.claims(guest["id_token"]?.string)
        )
        #expect(one["oid"] != two["oid"] && two["tid"]?.string == Directory.fabrikam.id)
        let mail = browser.authorize(scope: "Mail.Send openid", more: [("login_hint", "katherine@contoso.example")])
        #expect(mail.body.contains("AADSTS90094"))
        await browser.provider.stop()
    }
}
