import Testing

@testable import Sandbox

struct SlackTests {
    private func open() async throws -> BrowserClient {
        var browser = try await BrowserClient()
        browser.userAgent = "curl/8.0"
        return browser
    }

    private func code(_ browser: inout BrowserClient, client: String) -> String? {
        BrowserClient.parameters(
            browser.send(
                "GET", "/slack/oauth/v2/authorize",
                [
                    ("client_id", client), ("user_scope", "users:read,search:read"),
                    ("redirect_uri", "http://localhost:49152"), ("code_challenge", BrowserClient.challenge),
                    ("code_challenge_method", "S256"),
                ]))["code"]
    }

    private func access(_ browser: inout BrowserClient, _ pairs: [(String, String?)]) throws -> JSON {
        let answer = browser.send("POST", "/slack/api/oauth.v2.access", pairs)
        #expect(answer.status == 200)
        return try JSON(parsing: answer.body)
    }

    @Test func `The user's token is nested, and every error has status 200`() async throws {
        var browser = try await open()
        func redeem(_ code: String?, secret: String?) throws -> JSON {
            try access(
                &browser,
                [
                    ("client_id", Directory.slackApp), ("client_secret", secret), ("code", code),
                    ("redirect_uri", "http://localhost:49152"), ("code_verifier", BrowserClient.verifier),
                ])
        }
        let code = code(&browser, client: Directory.slackApp)
        let missing = try redeem(code, secret: nil)
        #expect(missing["ok"]?.bool == false && missing["error"]?.string == "bad_client_secret")
        #expect(try redeem("wrong", secret: "slack-secret")["error"]?.string == "invalid_code")
        let answer = try redeem(code, secret: "slack-secret")
        #expect(answer["ok"]?.bool == true && answer["access_token"] == nil && answer["team"]?["id"]?.string == "T1")
        let user = answer["authed_user"]
        #expect(user?["id"]?.string == "U1007" && user?["scope"]?.string == "users:read,search:read")
        #expect(user?["expires_in"] == nil && user?["refresh_token"] == nil)
        browser.headers = ["authorization": "Bearer \(user?["access_token"]?.string ?? "")"]
        #expect(try browser.json("POST", "/slack/api/auth.test")["user_id"]?.string == "U1007")
        #expect(try browser.json("POST", "/slack/api/auth.revoke")["revoked"]?.bool == true)
        let gone = browser.send("POST", "/slack/api/auth.test")
        #expect(gone.status == 200 && gone.body.contains("invalid_auth"))
        await browser.provider.stop()
    }

    @Test func `A public client rotates its refresh token`() async throws {
        var browser = try await open()
        let client = ("client_id", Optional(Directory.slackPublic))
        let first = try access(
            &browser,
            [
                client, ("code", code(&browser, client: Directory.slackPublic)),
                ("redirect_uri", "http://localhost:49152"), ("code_verifier", BrowserClient.verifier),
            ])["authed_user"]
        #expect(first?["expires_in"]?.int == 43200 && first?["access_token"]?.string?.hasPrefix("xoxe.xoxp-") == true)
        func refresh(_ token: JSON?) throws -> JSON {
            try access(&browser, [client, ("grant_type", "refresh_token"), ("refresh_token", token?.string)])
        }
        let second = try refresh(first?["refresh_token"])
        #expect(second["access_token"] != nil && second["refresh_token"] != first?["refresh_token"])
        let dead = try refresh(first?["refresh_token"])
        #expect(dead["ok"]?.bool == false && dead["error"]?.string == "invalid_refresh_token")
        await browser.provider.stop()
    }
}
