import Foundation
import Testing

@testable import Sandbox

struct GitHubTests {
    private static let secret = String(repeating: "1", count: 40)
    private static let appSecret = String(repeating: "2", count: 40)

    /// A browser that is signed in, and a client that accepts JSON.
    private func open() async throws -> BrowserClient {
        var browser = try await BrowserClient(BrowserClient.interval(0))
        browser.userAgent = "curl/8.0"
        browser.headers = ["accept": "application/json"]
        return browser
    }

    private func code(
        _ browser: inout BrowserClient, client: String = Directory.gitHubOAuthApp,
        scope: String? = "repo read:org gist",
        redirect: String = "http://127.0.0.1:49152/", more: [(String, String?)] = []
    ) -> String? {
        BrowserClient.parameters(
            browser.send(
                "GET", "/login/oauth/authorize",
                [
                    ("client_id", client), ("redirect_uri", redirect), ("scope", scope), ("state", "s"),
                ] + more))["code"]
    }

    private func redeem(
        _ browser: inout BrowserClient, _ code: String?, client: String = Directory.gitHubOAuthApp,
        secret: String? = GitHubTests.secret, more: [(String, String?)] = []
    ) throws -> JSON {
        try browser.json(
            "POST", "/login/oauth/access_token",
            [("client_id", client), ("client_secret", secret), ("code", code)] + more)
    }

    private func poll(_ browser: inout BrowserClient, _ device: String?, client: String) throws -> JSON {
        try browser.json(
            "POST", "/login/oauth/access_token",
            [("client_id", client), ("device_code", device), ("grant_type", DeviceGrant.grantType)])
    }

    private func refresh(_ browser: inout BrowserClient, _ token: String?, secret: String?) throws -> JSON {
        try browser.json(
            "POST", "/login/oauth/access_token",
            [
                ("client_id", Directory.gitHubApp), ("client_secret", secret), ("grant_type", "refresh_token"),
                ("refresh_token", token),
            ])
    }

    private func api(
        _ browser: BrowserClient, _ method: String, _ path: String, _ authorization: String?, body: String = ""
    )
        -> SandboxResponse
    {
        var headers = ["user-agent": "GitHub CLI 2.23.0"]
        headers["authorization"] = authorization
        return browser.provider.answer(SandboxRequest(method, path, headers: headers, body: body))
    }

    private func basic(_ pair: String) -> String { "Basic " + Data(pair.utf8).base64EncodedString() }

    @Test func `An OAuth App gets a token without an end, and scopes with commas`() async throws {
        var browser = try await open()
        let tokens = try redeem(&browser, code(&browser))
        #expect(tokens["access_token"]?.string?.hasPrefix("gho_") == true && tokens["token_type"]?.string == "bearer")
        #expect(tokens["scope"]?.string == "repo,read:org,gist")
        #expect(tokens["expires_in"] == nil && tokens["refresh_token"] == nil && tokens["id_token"] == nil)
        try browser.provider.advanceClock(by: 10 * 365 * 86400)
        let user = api(browser, "GET", "/api/v3/user", "token \(tokens["access_token"]?.string ?? "")")
        #expect(user.header("X-OAuth-Scopes") == "gist, read:org, repo")
        let account = try JSON(parsing: user.body)
        #expect(account["login"]?.string == "hedy" && account["id"]?.int == 1007 && account["email"] == .null)
        await browser.provider.stop()
    }

    @Test func `Each error of the token endpoint has status 200, and is a form unless the request accepts JSON`()
        async throws
    {
        var browser = try await open()
        func refused(_ pairs: [(String, String?)]) throws -> String? {
            let answer = browser.send("POST", "/login/oauth/access_token", pairs)
            #expect(answer.status == 200)
            return try JSON(parsing: answer.body)["error"]?.string
        }
        let id = ("client_id", Optional(Directory.gitHubOAuthApp))
        let secret = ("client_secret", Optional(GitHubTests.secret))
        let challenge = [("code_challenge", Optional(BrowserClient.challenge)), ("code_challenge_method", "S256")]
        let verifier = ("code_verifier", Optional(BrowserClient.verifier))
        // PKCE replaces no secret.
        #expect(
            try refused([id, ("code", code(&browser, more: challenge)), verifier]) == "incorrect_client_credentials")
        #expect(
            try refused([id, ("client_secret", "wrong"), ("code", code(&browser))]) == "incorrect_client_credentials")
        #expect(try refused([id, secret, ("code", "wrong")]) == "bad_verification_code")
        #expect(
            try refused([id, secret, ("code", code(&browser, more: challenge))]) == "bad_verification_code")
        #expect(
            try refused([id, secret, ("code", code(&browser)), ("redirect_uri", "http://127.0.0.1/other")])
                == "redirect_uri_mismatch")
        #expect(
            try refused([id, ("grant_type", DeviceGrant.grantType), ("device_code", "wrong")])
                == "incorrect_device_code")
        #expect(
            try refused([id, secret, ("grant_type", "refresh_token"), ("refresh_token", "wrong")])
                == "bad_refresh_token")
        #expect(try refused([id, secret, ("grant_type", "password")]) == "unsupported_grant_type")
        #expect(try redeem(&browser, code(&browser, more: challenge), more: [verifier])["access_token"] != nil)
        browser.headers = [:]
        let form = browser.send("POST", "/login/oauth/access_token", [id, secret, ("code", "wrong")])
        #expect(form.header("Content-Type")?.hasPrefix("application/x-www-form-urlencoded") == true)
        #expect(Form(parsing: form.body)["error"] == "bad_verification_code" && form.status == 200)
        await browser.provider.stop()
    }

    @Test func `A loopback redirect may have any port, and a path at or below the registered one`() async throws {
        var browser = try await open()
        for (redirect, isGood) in [
            ("http://127.0.0.1:1234/callback", true), ("http://127.0.0.1:1234/callback/x", true),
            ("http://127.0.0.1:1234/callbacks", false), ("http://127.0.0.1:1234/", false),
            ("http://localhost:1234/callback", false),
        ] {
            #expect((code(&browser, client: Directory.gitHubApp, redirect: redirect) != nil) == isGood, "\(redirect)")
        }
        #expect(code(&browser, redirect: "http://127.0.0.1:1234/below") != nil)
        await browser.provider.stop()
    }

    @Test func `A refresh at a GitHub App ends both old tokens, and needs the secret`() async throws {
        var browser = try await open()
        let first = try redeem(
            &browser, code(&browser, client: Directory.gitHubApp, redirect: "http://127.0.0.1:1/callback"),
            client: Directory.gitHubApp, secret: GitHubTests.appSecret)
        #expect(first["access_token"]?.string?.hasPrefix("ghu_") == true && first["expires_in"]?.int == 28800)
        #expect(first["refresh_token_expires_in"]?.int == 15_897_600 && first["scope"]?.string == "")
        let access = "Bearer \(first["access_token"]?.string ?? "")"
        // A GitHub App has permissions instead of scopes.
        #expect(api(browser, "GET", "/api/v3/user", access).header("X-OAuth-Scopes") == nil)
        #expect(api(browser, "GET", "/api/v3/user/installations", access).status == 200)
        let old = first["refresh_token"]?.string
        #expect(try refresh(&browser, old, secret: nil)["error"]?.string == "incorrect_client_credentials")
        let second = try refresh(&browser, old, secret: GitHubTests.appSecret)
        #expect(second["refresh_token"]?.string?.hasPrefix("ghr_") == true)
        #expect(api(browser, "GET", "/api/v3/user", access).status == 401)
        #expect(try refresh(&browser, old, secret: GitHubTests.appSecret)["error"]?.string == "bad_refresh_token")
        await browser.provider.stop()
    }

    @Test func `A token from the device flow is refreshed without the secret`() async throws {
        var browser = try await open()
        let codes = try browser.json("POST", "/login/device/code", [("client_id", Directory.gitHubApp)])
        #expect(codes["verification_uri"]?.string?.hasSuffix("/login/device") == true)
        #expect(codes["device_code"]?.string?.count == 40 && codes["expires_in"]?.int == 900)
        try browser.provider.approve(userCode: codes["user_code"]?.string ?? "", username: "emmy@lab.example")
        let tokens = try poll(&browser, codes["device_code"]?.string, client: Directory.gitHubApp)
        let next = try refresh(&browser, tokens["refresh_token"]?.string, secret: nil)
        // Also the tokens of a refresh are from the device flow.
        #expect(try refresh(&browser, next["refresh_token"]?.string, secret: nil)["access_token"] != nil)
        await browser.provider.stop()
    }

    @Test func `Polls: pending twice, slow_down with the new interval, then the token`() async throws {
        var browser = try await open()
        browser.provider.bend(Fault(.quirk(.slowDownOnce)))
        let client = Directory.gitHubOAuthApp
        let codes = try browser.json("POST", "/login/device/code", [("client_id", client), ("scope", "repo")])
        try browser.provider.approve(userCode: codes["user_code"]?.string ?? "", username: "hedy@lab.example")
        let answers = try (0..<4).map { _ in try poll(&browser, codes["device_code"]?.string, client: client) }
        #expect(
            answers.map { $0["error"]?.string }
                == ["authorization_pending", "authorization_pending", "slow_down", nil])
        #expect(answers[2]["interval"]?.int == 5 && answers[3]["scope"]?.string == "repo")
        await browser.provider.stop()
    }

    @Test func `The device flow can be switched off`() async throws {
        var browser = try await open()
        let refused = browser.send(
            "POST", "/login/device/code", [("client_id", Directory.gitHubAppWithoutDevices)])
        #expect(try JSON(parsing: refused.body)["error"]?.string == "device_flow_disabled" && refused.status == 400)
        await browser.provider.stop()
    }

    @Test func `The API wants a user agent, and knows only good tokens`() async throws {
        let browser = try await open()
        #expect(browser.provider.answer(SandboxRequest("GET", "/api/v3/user")).status == 403)
        let wrong = api(browser, "GET", "/api/v3/user", "Bearer gho_wrong")
        #expect(try wrong.status == 401 && JSON(parsing: wrong.body)["message"]?.string == "Bad credentials")
        let tokens = try browser.provider.issue(
            username: "emmy@lab.example", client: Directory.gitHubOAuthApp, scope: "user:email")
        let access = "token \(tokens["access_token"]?.string ?? "")"
        #expect(
            try JSON(parsing: api(browser, "GET", "/api/v3/user", access).body)["email"]?.string == "emmy@lab.example")
        let viewer = api(browser, "POST", "/api/graphql", access, body: #"{"query":"query{viewer{login}}"}"#)
        #expect(try JSON(parsing: viewer.body)["data"]?["viewer"]?["login"]?.string == "emmy")
        await browser.provider.stop()
    }

    @Test func `Anyone who has a token may revoke it, without authentication`() async throws {
        let browser = try await open()
        let token = try browser.provider.issue(username: "hedy@lab.example", client: Directory.gitHubOAuthApp)[
            "access_token"]?.string
        let body = #"{"credentials":["\#(token ?? "")"]}"#
        #expect(api(browser, "POST", "/api/v3/credentials/revoke", "Bearer \(token ?? "")", body: body).status == 403)
        #expect(api(browser, "GET", "/api/v3/user", "Bearer \(token ?? "")").status == 200)
        #expect(api(browser, "POST", "/api/v3/credentials/revoke", nil, body: body).status == 202)
        #expect(api(browser, "GET", "/api/v3/user", "Bearer \(token ?? "")").status == 401)
        await browser.provider.stop()
    }

    @Test func `An application revokes a token or a grant with its secret`() async throws {
        let browser = try await open()
        func issue() throws -> String {
            try #require(
                try browser.provider.issue(username: "hedy@lab.example", client: Directory.gitHubOAuthApp)[
                    "access_token"]?.string)
        }
        let tokens = [try issue(), try issue(), try issue()]
        let path = "/api/v3/applications/\(Directory.gitHubOAuthApp)/"
        let credentials = basic("\(Directory.gitHubOAuthApp):\(GitHubTests.secret)")
        func living() -> [Bool] { tokens.map { api(browser, "GET", "/api/v3/user", "Bearer \($0)").status == 200 } }
        let body = #"{"access_token":"\#(tokens[0])"}"#
        #expect(
            api(browser, "DELETE", path + "token", basic("\(Directory.gitHubOAuthApp):x"), body: body).status == 401)
        #expect(api(browser, "DELETE", path + "token", credentials, body: body).status == 204)
        #expect(living() == [false, true, true])
        let other = #"{"access_token":"\#(tokens[1])"}"#
        #expect(api(browser, "DELETE", path + "grant", credentials, body: other).status == 204)
        #expect(living() == [false, false, false])
        await browser.provider.stop()
    }

    @Test func `There is no metadata, but a page`() async throws {
        var browser = try await open()
        for path in [
            "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server/login/oauth",
            "/login/oauth/.well-known/openid-configuration",
        ] {
            let page = browser.send("GET", path)
            #expect(page.status == 404 && page.header("Content-Type")?.hasPrefix("text/html") == true, "\(path)")
        }
        await browser.provider.stop()
    }

    @Test func `Another account may sign in the next time, and is asked for with select_account`() async throws {
        var browser = try await open()
        browser.userAgent = "TestBrowser/1"
        func signIn(_ name: String, _ more: [(String, String?)] = []) throws -> Int? {
            let page = browser.send(
                "GET", "/login/oauth/authorize",
                [
                    ("client_id", Directory.gitHubOAuthApp), ("redirect_uri", "http://127.0.0.1:1/"),
                ] + more)
            let done = browser.send(
                "POST", "/interaction",
                [("transaction", BrowserClient.transaction(page)), ("username", name), ("password", "sandbox")])
            let tokens = try redeem(&browser, BrowserClient.parameters(done)["code"])
            let user = api(browser, "GET", "/api/v3/user", "token \(tokens["access_token"]?.string ?? "")")
            return try JSON(parsing: user.body)["id"]?.int
        }
        #expect(try signIn("hedy") == 1007)
        #expect(try signIn("emmy", [("prompt", "select_account")]) == 1008)
        await browser.provider.stop()
    }

    @Test func `Its own host names are reached through the sandbox as a proxy`() async throws {
        let browser = try await open()
        let token = try browser.provider.issue(username: "hedy@lab.example", client: Directory.gitHubOAuthApp)[
            "access_token"]?.string
        func get(_ host: String, _ path: String) -> SandboxResponse {
            browser.provider.answer(
                SandboxRequest(
                    "GET", path,
                    headers: ["host": host, "user-agent": "gh", "authorization": "token \(token ?? "")"]))
        }
        #expect(get("api.github.localhost", "/").header("X-OAuth-Scopes") != nil)
        #expect(get("api.github.localhost", "/user").body.contains("hedy"))
        #expect(get("github.localhost", "/oidc/.well-known/openid-configuration").status == 404)
        #expect(get("github.localhost", "/login/device").body.contains("Enter the code"))
        await browser.provider.stop()
    }
}
