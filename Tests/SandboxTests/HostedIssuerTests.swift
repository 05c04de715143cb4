import Testing

@testable import Sandbox

struct RealmTests {
    /// What the sovereign cloud answers to requests that carry its host.
    private func atSovereign(_ provider: SandboxProvider, _ method: String, _ target: String, body: String = "") throws
        -> JSON
    {
        let host = String(provider.sovereignBaseURL.dropFirst("http://".count))
        return try JSON(
            parsing: provider.answer(SandboxRequest(method, target, headers: ["host": host], body: body)).body)
    }

    @Test func `The sovereign cloud has an address, an issuer, keys and tenants of its own`() async throws {
        var browser = try await BrowserClient()
        let provider = browser.provider
        #expect(provider.sovereignBaseURL != provider.baseURL && provider.sovereignBaseURL.hasPrefix("http://127.0.0."))
        let path = "/common/v2.0/.well-known/openid-configuration"
        #expect(
            try atSovereign(provider, "GET", path)["issuer"]?.string == provider.sovereignBaseURL + "/{tenantid}/v2.0")
        let contoso = try atSovereign(provider, "GET", "/contoso.example/v2.0/.well-known/openid-configuration")
        #expect(contoso["error"]?.string == "invalid_tenant")
        #expect(
            browser.send("GET", "/litware.example/v2.0/.well-known/openid-configuration").body.contains("AADSTS90002"))
        let keys = try atSovereign(provider, "GET", "/common/discovery/v2.0/keys")["keys"]?.array ?? []
        let others = try browser.json("GET", "/common/discovery/v2.0/keys")["keys"]?.array ?? []
        #expect(keys.count == 1 && others.count == 1 && keys != others)
        let tokens = try provider.issue(username: "mary@litware.example")
        let claims = try BrowserClient.claims(tokens["id_token"]?.string)
        #expect(claims["iss"]?.string == "\(provider.sovereignBaseURL)/\(Directory.sovereignTenant.id)/v2.0")
        await provider.stop()
    }

    @Test func `A refresh token of one cloud is nothing at the other`() async throws {
        var browser = try await BrowserClient()
        let mary = try browser.provider.issue(username: "mary@litware.example")["refresh_token"]?.string
        #expect(try browser.refresh(mary)["error"]?.string == "invalid_grant")
        let form = Form([("grant_type", "refresh_token"), ("client_id", Directory.tryOut), ("refresh_token", mary)])
        let own = try atSovereign(browser.provider, "POST", "/common/oauth2/v2.0/token", body: form.encoded)
        #expect(own["access_token"] != nil)
        await browser.provider.stop()
    }

    @Test func `An instance-aware client is told at which cloud the code is good`() async throws {
        var browser = try await BrowserClient()
        let provider = browser.provider
        func signIn(_ user: String, _ more: [(String, String?)]) -> SandboxResponse {
            browser.cookie = nil
            let page = browser.authorize(scope: "openid User.Read", more: more)
            return browser.send(
                "POST", "/interaction",
                [
                    ("transaction", BrowserClient.transaction(page)), ("username", user), ("password", "sandbox"),
                    ("consent", "accept"),
                ])
        }
        #expect(signIn("mary@litware.example", []).body.contains("AADSTS50020"))
        let back = BrowserClient.parameters(signIn("mary@litware.example", [("instance_aware", "true")]))
        #expect(back["cloud_instance_host_name"] == String(provider.sovereignBaseURL.dropFirst("http://".count)))
        let code = Form([
            ("grant_type", "authorization_code"), ("client_id", Directory.tryOut), ("code", back["code"]),
            ("redirect_uri", "http://localhost:49152"), ("code_verifier", BrowserClient.verifier),
        ])
        #expect(
            try browser.json("POST", "/common/oauth2/v2.0/token", code.pairs.map { ($0.name, $0.value) })["error"]
                != nil)
        let tokens = try atSovereign(provider, "POST", "/common/oauth2/v2.0/token", body: code.encoded)
        #expect(try BrowserClient.claims(tokens["id_token"]?.string)["tid"]?.string == Directory.sovereignTenant.id)
        let home = BrowserClient.parameters(signIn("ada@contoso.example", [("instance_aware", "true")]))
        #expect(home["cloud_instance_host_name"] == "127.0.0.1:\(provider.port)")
        await provider.stop()
    }

    @Test func `Instance discovery groups the names of each cloud, in the asker's form first`() async throws {
        var browser = try await BrowserClient()
        let provider = browser.provider
        func ask(_ host: String) throws -> JSON {
            try browser.json(
                "GET", "/common/discovery/instance",
                [("authorization_endpoint", "https://\(host)/common/oauth2/v2.0/authorize"), ("api-version", "1.1")])
        }
        func group(_ answer: JSON, _ alias: String) -> JSON? {
            answer["metadata"]?.array?.first { $0["aliases"]?.array?.contains(.string(alias)) == true }
        }
        let own = try ask("localhost:\(provider.port)")
        #expect(group(own, "localhost:\(provider.port)")?["preferred_cache"]?.string == "127.0.0.1:\(provider.port)")
        #expect(group(own, "127.0.0.1")?["aliases"]?.array?.contains("localhost") == true)
        let bare = try ask("localhost")
        #expect(
            bare["tenant_discovery_endpoint"]?.string?.hasPrefix("http://localhost:\(provider.port)/common/") == true)
        #expect(group(bare, "localhost")?["preferred_network"]?.string == "127.0.0.1")
        let sovereign = String(provider.sovereignBaseURL.dropFirst("http://".count))
        #expect(group(own, sovereign) != nil && group(own, sovereign) != group(own, "localhost"))
        #expect(group(own, "sts.windows.net")?["preferred_cache"]?.string == "login.windows.net")
        #expect(try ask(sovereign)["tenant_discovery_endpoint"]?.string?.hasPrefix(provider.sovereignBaseURL) == true)
        #expect(try ask("login.evil.example")["error"]?.string == "invalid_instance")
        await provider.stop()
    }

    @Test func `Customers of the External ID tenant are known there alone, with a client of its own`() async throws {
        var browser = try await BrowserClient()
        browser.userAgent = "curl/8.0"
        let root = "/woodgrove.example/oauth2/v2.0"
        let code = BrowserClient.parameters(browser.authorize(root, client: Directory.ciamApp))["code"]
        let claims = try BrowserClient.claims(browser.redeem(code, root, client: Directory.ciamApp)["id_token"]?.string)
        #expect(
            claims["tid"]?.string == Directory.ciamTenant.id
                && claims["preferred_username"]?.string == "chien@shop.example")
        #expect(claims["iss"]?.string == "\(browser.provider.baseURL)/\(Directory.ciamTenant.id)/v2.0")
        #expect(browser.authorize(client: Directory.ciamApp).body.contains("AADSTS700016"))
        #expect(browser.authorize(more: [("login_hint", "chien@shop.example")]).body.contains("AADSTS50020"))
        browser.userAgent = "TestBrowser/1"
        let page = browser.authorize(root, client: Directory.ciamApp, more: [("prompt", "create")])
        #expect(page.body.contains("Create an account"))
        // An administrator has agreed for all customers: nobody is asked.
        let done = browser.send(
            "POST", "/interaction",
            [
                ("transaction", BrowserClient.transaction(page)), ("username", "new@shop.example"),
                ("display_name", "New"),
                ("new_password", "long enough"),
            ])
        #expect(BrowserClient.parameters(done)["code"] != nil)
        await browser.provider.stop()
    }
}
