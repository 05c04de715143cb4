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
        var visitor = try await BrowserClient()
        visitor.userAgent = "curl/8.0"
        return visitor
    }

    private func authorize(_ visitor: inout BrowserClient, _ reference: JSON?, client: String = Directory.labCLI)
        -> Answer
    {
        visitor.send("GET", "/oidc/authorize", [("client_id", client), ("request_uri", reference?.string)])
    }

    @Test func `A pushed request signs in by its reference, once`() async throws {
        var visitor = try await open()
        let metadata = try visitor.json("GET", "/oidc/.well-known/openid-configuration")
        #expect(metadata["pushed_authorization_request_endpoint"]?.string == visitor.provider.issuer + "/par")
        let pushed = visitor.send("POST", "/oidc/par", Self.request)
        let answer = try JSON(parsing: pushed.body)
        #expect(pushed.status == 201 && answer["expires_in"]?.int == PushedRequest.lifetime)
        let back = BrowserClient.parameters(authorize(&visitor, answer["request_uri"]))
        #expect(back["state"] == "s")
        #expect(try visitor.redeem(back["code"], "/oidc", client: Directory.labCLI)["access_token"] != nil)
        let again = authorize(&visitor, answer["request_uri"])
        #expect(again.status == 400 && again.header("Location") == nil && again.body.contains("request_uri"))
        await visitor.provider.stop()
    }

    @Test func `A reference is its client's, and ends`() async throws {
        var visitor = try await open()
        let made = try JSON(
            parsing: visitor.provider.answer(
                SandboxRequest("POST", "/oidc/register", body: #"{"redirect_uris":["http://127.0.0.1/cb"]}"#)
            ).body)
        let answer = try visitor.json("POST", "/oidc/par", Self.request)
        #expect(authorize(&visitor, answer["request_uri"], client: made["client_id"]?.string ?? "").status == 400)
        try visitor.provider.advanceClock(by: PushedRequest.lifetime)
        #expect(authorize(&visitor, answer["request_uri"]).status == 400)
        await visitor.provider.stop()
    }

    @Test func `What is wrong with a request is said when it is pushed`() async throws {
        var visitor = try await open()
        func error(_ name: String, _ value: String?) throws -> String? {
            let pairs = Self.request.filter { $0.0 != name } + [(name, value)]
            return try visitor.json("POST", "/oidc/par", pairs)["error"]?.string
        }
        #expect(try error("redirect_uri", "https://evil.example/") == "invalid_request")
        #expect(try error("code_challenge", nil) == "invalid_request")
        #expect(try error("response_type", "token") == "unsupported_response_type")
        #expect(try error("client_id", "nobody") == "invalid_client")
        #expect(try error("request_uri", PushedRequest.prefix + "x") == "invalid_request")
        #expect(visitor.send("GET", "/oidc/par", Self.request).status == 405)
        await visitor.provider.stop()
    }

    @Test func `Where requests have to be pushed, plain ones are refused`() async throws {
        var visitor = try await open()
        visitor.provider.bend(Fault(.habit(.pushedRequired)))
        #expect(
            try visitor.json("GET", "/oidc/.well-known/openid-configuration")["require_pushed_authorization_requests"]?
                .bool == true)
        let plain = visitor.send("GET", "/oidc/authorize", Self.request)
        #expect(plain.status == 400 && plain.header("Location") == nil)
        let answer = try visitor.json("POST", "/oidc/par", Self.request)
        #expect(BrowserClient.parameters(authorize(&visitor, answer["request_uri"]))["code"] != nil)
        await visitor.provider.stop()
    }
}
