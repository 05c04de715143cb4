import Testing

@testable import Sandbox

/// RFC 9126.
struct PushedRequestTests {
    private static let request: [(String, String?)] = [
        ("client_id", Directory.labCLI), ("response_type", "code"), ("redirect_uri", "http://localhost:49152"),
        ("scope", "openid offline_access"), ("state", "s"), ("code_challenge", BrowserClient.challenge),
        ("code_challenge_method", "S256"),
    ]

    private func open() async throws -> BrowserClient {
        var browser = try await BrowserClient()
        browser.userAgent = "curl/8.0"
        return browser
    }

    private func authorize(_ browser: inout BrowserClient, _ reference: JSON?, client: String = Directory.labCLI)
        -> SandboxResponse
    {
        browser.send("GET", "/oidc/authorize", [("client_id", client), ("request_uri", reference?.string)])
    }

    @Test func `A pushed request signs in by its reference, once`() async throws {
        var browser = try await open()
        let metadata = try browser.json("GET", "/oidc/.well-known/openid-configuration")
        #expect(metadata["pushed_authorization_request_endpoint"]?.string == browser.provider.issuer + "/par")
        let pushed = browser.send("POST", "/oidc/par", Self.request)
        let answer = try JSON(parsing: pushed.body)
        #expect(pushed.status == 201 && answer["expires_in"]?.int == PushedRequest.lifetime)
        let back = BrowserClient.parameters(authorize(&browser, answer["request_uri"]))
        #expect(back["state"] == "s")
        #expect(try browser.redeem(back["code"], "/oidc", client: Directory.labCLI)["access_token"] != nil)
        let again = authorize(&browser, answer["request_uri"])
        #expect(again.status == 400 && again.header("Location") == nil && again.body.contains("request_uri"))
        await browser.provider.stop()
    }

    @Test func `A reference is its client's, and ends`() async throws {
        var browser = try await open()
        let made = try JSON(
            parsing: browser.provider.answer(
                SandboxRequest("POST", "/oidc/register", body: #"{"redirect_uris":["http://127.0.0.1/cb"]}"#)
            ).body)
        let answer = try browser.json("POST", "/oidc/par", Self.request)
        #expect(authorize(&browser, answer["request_uri"], client: made["client_id"]?.string ?? "").status == 400)
        try browser.provider.advanceClock(by: PushedRequest.lifetime)
        #expect(authorize(&browser, answer["request_uri"]).status == 400)
        await browser.provider.stop()
    }

    @Test func `What is wrong with a request is said when it is pushed`() async throws {
        var browser = try await open()
        func error(_ name: String, _ value: String?) throws -> String? {
            let pairs = Self.request.filter { $0.0 != name } + [(name, value)]
            return try browser.json("POST", "/oidc/par", pairs)["error"]?.string
        }
        #expect(try error("redirect_uri", "https://evil.example/") == "invalid_request")
        #expect(try error("code_challenge", nil) == "invalid_request")
        #expect(try error("response_type", "token") == "unsupported_response_type")
        #expect(try error("client_id", "nobody") == "invalid_client")
        #expect(try error("request_uri", PushedRequest.prefix + "x") == "invalid_request")
        #expect(browser.send("GET", "/oidc/par", Self.request).status == 405)
        await browser.provider.stop()
    }

    @Test func `Where requests have to be pushed, plain ones are refused`() async throws {
        var browser = try await open()
        browser.provider.bend(Fault(.quirk(.pushedRequired)))
        #expect(
            try browser.json("GET", "/oidc/.well-known/openid-configuration")["require_pushed_authorization_requests"]?
                .bool == true)
        let plain = browser.send("GET", "/oidc/authorize", Self.request)
        #expect(plain.status == 400 && plain.header("Location") == nil)
        let answer = try browser.json("POST", "/oidc/par", Self.request)
        #expect(BrowserClient.parameters(authorize(&browser, answer["request_uri"]))["code"] != nil)
        await browser.provider.stop()
    }
}
