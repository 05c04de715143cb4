import Testing

@testable import Sandbox

struct RefreshTests {
    @Test func `At the Entra shape a new refresh token comes each time, and the old one stays good`() async throws {
        var visitor = try await BrowserClient()
        let first = try visitor.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        let second = try visitor.refresh(first)["refresh_token"]?.string
        #expect(second != nil && second != first)
        #expect(try visitor.refresh(first)["access_token"] != nil)
        #expect(visitor.provider.requests("token:refresh_token") == 2 && visitor.provider.requests("token") == 2)
        await visitor.provider.stop()
    }

    @Test func `Clients of the family share a refresh token, others get client_mismatch`() async throws {
        var visitor = try await BrowserClient()
        let tokens = try visitor.provider.issue(username: "ada@contoso.example", client: Directory.azureCLI)
        #expect(tokens["foci"]?.string == "1")
        let secret = tokens["refresh_token"]?.string
        let scope = "https://management.azure.com//.default"
        let sibling = try visitor.refresh(secret, client: Directory.azurePowerShell, scope: scope)
        #expect(
            sibling["scope"]?.string
                == "https://management.azure.com//user_impersonation https://management.azure.com//.default")
        #expect(
            try BrowserClient.claims(sibling["access_token"]?.string)["aud"]?.string == "https://management.azure.com/")
        let outsider = try visitor.refresh(secret)
        #expect(outsider["error"]?.string == "invalid_grant" && outsider["suberror"]?.string == "client_mismatch")
        await visitor.provider.stop()
    }

    @Test func `A permission nobody agreed to is consent_required; two resources are too many`() async throws {
        var visitor = try await BrowserClient()
        let secret = try visitor.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        let more = try visitor.refresh(secret, scope: "Mail.Read")
        #expect(more["suberror"]?.string == "consent_required" && more["error_codes"]?.array == [65001])
        #expect(
            try visitor.refresh(secret, scope: "User.Read https://vault.azure.net/.default")["error_codes"]?.array == [
                28000
            ])
        #expect(try visitor.refresh(secret, scope: "user.read")["access_token"] != nil)
        await visitor.provider.stop()
    }

    @Test func `A revoked or idle refresh token is refused in Entra's words`() async throws {
        var visitor = try await BrowserClient()
        let secret = try visitor.provider.issue(username: "ada@contoso.example")["refresh_token"]?.string
        let idle = try visitor.provider.issue(username: "taro@contoso.example")["refresh_token"]?.string
        #expect(visitor.provider.revoke(username: "ada@contoso.example") == 1)
        let answer = try visitor.refresh(secret)
        #expect(answer["suberror"]?.string == "bad_token" && answer["error_codes"]?.array == [50173])
        #expect(answer["trace_id"] != nil && answer["correlation_id"] != nil && answer["timestamp"] != nil)
        try visitor.provider.advanceClock(by: 91 * 86400)
        #expect(try visitor.refresh(idle)["error_codes"]?.array == [700082])
        await visitor.provider.stop()
    }

    @Test func `The plain issuer rotates, and a replay ends the whole chain`() async throws {
        var visitor = try await BrowserClient()
        let first = try visitor.provider.issue(
            username: "hedy@lab.example", client: Directory.labCLI, scope: "openid offline_access notes.read")[
                "refresh_token"]?.string
        let wider = try visitor.refresh(first, "/oidc", client: Directory.labCLI, scope: "notes.read notes.write")
        #expect(wider["error"]?.string == "invalid_scope")
        let second = try visitor.refresh(first, "/oidc", client: Directory.labCLI)["refresh_token"]?.string
        #expect(second != nil)
        #expect(try visitor.refresh(first, "/oidc", client: Directory.labCLI)["error"]?.string == "invalid_grant")
        #expect(try visitor.refresh(second, "/oidc", client: Directory.labCLI)["error"]?.string == "invalid_grant")
        await visitor.provider.stop()
    }

    @Test func `Revocation, introspection, userinfo and registration do what their RFCs say`() async throws {
        var visitor = try await BrowserClient()
        let made = try JSON(
            parsing: visitor.provider.answer(
                SandboxRequest(
                    "POST", "/oidc/register", body: #"{"redirect_uris":["http://127.0.0.1/cb"],"client_name":"A tool"}"#
                )
            ).body)
        let client = try #require(made["client_id"]?.string)
        #expect(made["token_endpoint_auth_method"]?.string == "none" && made["client_secret"] == nil)
        let tokens = try visitor.provider.issue(
            username: "emmy@lab.example", client: client, scope: "openid profile offline_access")
        let (access, refresh) = (tokens["access_token"]?.string, tokens["refresh_token"]?.string)
        #expect(
            try visitor.json("POST", "/oidc/introspect", [("client_id", client), ("token", access)])["active"]?.bool
                == true)
        let info = visitor.provider.answer(
            SandboxRequest("GET", "/oidc/userinfo", headers: ["authorization": "Bearer \(access ?? "")"]))
        let person = try JSON(parsing: info.body)
        #expect(
            person["sub"] == (try BrowserClient.claims(tokens["id_token"]?.string))["sub"]
                && person["name"]?.string == "Emmy Noether")
        #expect(
            visitor.send("POST", "/oidc/revoke", [("client_id", Directory.labCLI), ("token", refresh)]).status == 400)
        #expect(visitor.send("POST", "/oidc/revoke", [("client_id", client), ("token", refresh)]).status == 200)
        #expect(
            visitor.send("POST", "/oidc/revoke", [("client_id", client), ("token", "never heard of")]).status == 200)
        #expect(try visitor.refresh(refresh, "/oidc", client: client)["error"]?.string == "invalid_grant")
        let evil = SandboxRequest("POST", "/oidc/register", body: #"{"redirect_uris":["http://evil.example/cb"]}"#)
        #expect(visitor.provider.answer(evil).body.contains("invalid_redirect_uri"))
        await visitor.provider.stop()
    }

    @Test func `Signing out goes back only to a registered address`() async throws {
        var visitor = try await BrowserClient()
        let token = try visitor.provider.issue(username: "hedy@lab.example", client: Directory.labCLI, scope: "openid")[
            "id_token"]?.string
        let back = visitor.send(
            "GET", "/oidc/logout",
            [("id_token_hint", token), ("post_logout_redirect_uri", "http://localhost:5/"), ("state", "s")])
        #expect(back.header("Location") == "http://localhost:5/?state=s")
        let stay = visitor.send(
            "GET", "/oidc/logout", [("id_token_hint", token), ("post_logout_redirect_uri", "https://evil.example/")])
        #expect(stay.status == 200 && stay.header("Location") == nil)
        await visitor.provider.stop()
    }

    @Test func `A long access token says when to refresh it`() async throws {
        var options = SandboxProvider.Options()
        options.accessTokenLifetime = 86400
        let visitor = try await BrowserClient(options)
        let tokens = try visitor.provider.issue(username: "ada@contoso.example")
        #expect(tokens["expires_in"]?.int == 86400 && tokens["refresh_in"]?.int == 43200)
        await visitor.provider.stop()
    }
}
