import Testing

@testable import Sandbox

struct RefreshTests {
    @Test func `At the Entra shape a new refresh token comes each time, and the old one stays good`() async throws {
        var browser = try await BrowserClient()
        let first = try browser.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        let second = try browser.refresh(first)["refresh_token"]?.string
        #expect(second != nil && second != first)
        #expect(try browser.refresh(first)["access_token"] != nil)
        #expect(browser.provider.requests("token:refresh_token") == 2 && browser.provider.requests("token") == 2)
        await browser.provider.stop()
    }

    @Test func `Clients of the family share a refresh token, others get client_mismatch`() async throws {
        var browser = try await BrowserClient()
        let tokens = try browser.provider.issue(username: "ada@contoso.example", client: Directory.azureCLI)
        #expect(tokens["foci"]?.string == "1")
        let secret = tokens["refresh_token"]?.string
        let scope = "https://management.azure.com//.default"
        let sibling = try browser.refresh(secret, client: Directory.azurePowerShell, scope: scope)
        #expect(
            sibling["scope"]?.string
                == "https://management.azure.com//user_impersonation https://management.azure.com//.default")
        #expect(
            try BrowserClient.claims(sibling["access_token"]?.string)["aud"]?.string == "https://management.azure.com/")
        let outsider = try browser.refresh(secret)
        #expect(outsider["error"]?.string == "invalid_grant" && outsider["suberror"]?.string == "client_mismatch")
        await browser.provider.stop()
    }

    @Test func `A permission nobody agreed to is consent_required; two resources are too many`() async throws {
        var browser = try await BrowserClient()
        let secret = try browser.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        let more = try browser.refresh(secret, scope: "Mail.Read")
        #expect(more["suberror"]?.string == "consent_required" && more["error_codes"]?.array == [65001])
        #expect(
            try browser.refresh(secret, scope: "User.Read https://vault.azure.net/.default")["error_codes"]?.array == [
                28000
            ])
        #expect(try browser.refresh(secret, scope: "user.read")["access_token"] != nil)
        await browser.provider.stop()
    }

    @Test func `A revoked or idle refresh token is refused in Entra's words`() async throws {
        var browser = try await BrowserClient()
        let secret = try browser.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        let idle = try browser.provider.issue(username: "taro@contoso.example")["refresh_token"]?.string
        #expect(browser.provider.revoke(username: "ada@contoso.example") == 1)
        let answer = try browser.refresh(secret)
        #expect(answer["suberror"]?.string == "bad_token" && answer["error_codes"]?.array == [50173])
        #expect(answer["trace_id"] != nil && answer["correlation_id"] != nil && answer["timestamp"] != nil)
        try browser.provider.advanceClock(by: 91 * 86400)
        #expect(try browser.refresh(idle)["error_codes"]?.array == [700082])
        await browser.provider.stop()
    }

    @Test func `The plain issuer rotates, and a replay ends the whole chain`() async throws {
        var browser = try await BrowserClient()
        let first = try browser.provider.issue(
            username: "hedy@lab.example", client: Directory.labCLI, scope: "openid offline_access notes.read")[
                "refresh_token"]?.string
        let wider = try browser.refresh(first, "/oidc", client: Directory.labCLI, scope: "notes.read notes.write")
        #expect(wider["error"]?.string == "invalid_scope")
        let second = try browser.refresh(first, "/oidc", client: Directory.labCLI)["refresh_token"]?.string
        #expect(second != nil)
        #expect(try browser.refresh(first, "/oidc", client: Directory.labCLI)["error"]?.string == "invalid_grant")
        #expect(try browser.refresh(second, "/oidc", client: Directory.labCLI)["error"]?.string == "invalid_grant")
        await browser.provider.stop()
    }

    @Test func `Revocation, introspection, userinfo and registration do what their RFCs say`() async throws {
        var browser = try await BrowserClient()
        let made = try JSON(
            parsing: browser.provider.answer(
                SandboxRequest(
                    "POST", "/oidc/register", body: #"{"redirect_uris":["http://127.0.0.1/cb"],"client_name":"A tool"}"#
                )
            ).body)
        let client = try #require(made["client_id"]?.string)
        #expect(made["token_endpoint_auth_method"]?.string == "none" && made["client_secret"] == nil)
        let tokens = try browser.provider.issue(
            username: "emmy@lab.example", client: client, scope: "openid profile offline_access")
        let (access, refresh) = (tokens["access_token"]?.string, tokens["refresh_token"]?.string)
        #expect(
            try browser.json("POST", "/oidc/introspect", [("client_id", client), ("token", access)])["active"]?.bool
                == true)
        let info = browser.provider.answer(
            SandboxRequest("GET", "/oidc/userinfo", headers: ["authorization": "Bearer \(access ?? "")"]))
        let person = try JSON(parsing: info.body)
        #expect(
            person["sub"] == (try BrowserClient.claims(tokens["id_token"]?.string))["sub"]
                && person["name"]?.string == "Emmy Noether")
        #expect(
            browser.send("POST", "/oidc/revoke", [("client_id", Directory.labCLI), ("token", refresh)]).status == 400)
        #expect(browser.send("POST", "/oidc/revoke", [("client_id", client), ("token", refresh)]).status == 200)
        #expect(
            browser.send("POST", "/oidc/revoke", [("client_id", client), ("token", "never heard of")]).status == 200)
        #expect(try browser.refresh(refresh, "/oidc", client: client)["error"]?.string == "invalid_grant")
        let evil = SandboxRequest("POST", "/oidc/register", body: #"{"redirect_uris":["http://evil.example/cb"]}"#)
        #expect(browser.provider.answer(evil).body.contains("invalid_redirect_uri"))
        await browser.provider.stop()
    }

    @Test func `Signing out goes back only to a registered address`() async throws {
        var browser = try await BrowserClient()
        let token = try browser.provider.issue(username: "hedy@lab.example", client: Directory.labCLI, scope: "openid")[
            "id_token"]?.string
        let back = browser.send(
            "GET", "/oidc/logout",
            [("id_token_hint", token), ("post_logout_redirect_uri", "http://localhost:5/"), ("state", "s")])
        #expect(back.header("Location") == "http://localhost:5/?state=s")
        let stay = browser.send(
            "GET", "/oidc/logout", [("id_token_hint", token), ("post_logout_redirect_uri", "https://evil.example/")])
        #expect(stay.status == 200 && stay.header("Location") == nil)
        await browser.provider.stop()
    }

    @Test func `A long access token says when to refresh it`() async throws {
        var options = SandboxProvider.Options()
        options.accessTokenLifetime = 86400
        let browser = try await BrowserClient(options)
        let tokens = try browser.provider.issue(username: "ada@contoso.example")
        #expect(tokens["expires_in"]?.int == 86400 && tokens["refresh_in"]?.int == 43200)
        await browser.provider.stop()
    }
}
