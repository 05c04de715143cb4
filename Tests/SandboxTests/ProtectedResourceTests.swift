import FoundationEssentials
import Testing

@testable import Sandbox

struct ProtectedResourceTests {
    private func get(_ browser: BrowserClient, _ token: JSON?) -> SandboxResponse {
        let headers = token?.string.map { ["authorization": "Bearer \($0)"] } ?? [:]
        return browser.provider.answer(SandboxRequest("GET", "/resource", headers: headers))
    }

    @Test func `The resource takes a valid token; without one it says where to get it`() async throws {
        let browser = try await BrowserClient()
        let tokens = try browser.provider.issue(username: "ada@contoso.example")
        #expect(get(browser, tokens["access_token"]).status == 200)
        let bare = get(browser, nil)
        #expect(bare.status == 401 && bare.header("WWW-Authenticate")?.contains("authorization_uri=\"") == true)
        #expect(bare.header("WWW-Authenticate")?.contains("error=") == false)
        #expect(get(browser, "x.y.z").header("WWW-Authenticate")?.contains("invalid_token") == true)
        try browser.provider.advanceClock(by: 3601)
        #expect(get(browser, tokens["access_token"]).status == 401)
        await browser.provider.stop()
    }

    @Test func `A claims challenge ends when a token comes that was asked for with its claims`() async throws {
        var browser = try await BrowserClient()
        browser.provider.bend(Fault(.quirk(.continuousAccess)))
        let tokens = try browser.provider.issue(username: "ada@contoso.example")
        let header = try #require(get(browser, tokens["access_token"]).header("WWW-Authenticate"))
        #expect(header.contains("error=\"insufficient_claims\""))
        let mark = try #require(header.firstRange(of: "claims=\""))
        let text = String(header[mark.upperBound...].prefix { $0 != "\"" })
        var claims = try JSON(parsing: String(decoding: try #require(Data(base64Encoded: text)), as: UTF8.self))
        func refreshed() throws -> JSON? {
            try browser.json(
                "POST", "/common/oauth2/v2.0/token",
                [
                    ("grant_type", "refresh_token"), ("client_id", Directory.tryOut), ("claims", claims.text),
                    ("refresh_token", tokens["refresh_token"]?.string),
                ])["access_token"]
        }
        // Claims alone are not enough: the client has to say that it understands challenges.
        #expect(get(browser, try refreshed()).status == 401)
        var wishes = try #require(claims["access_token"])
        wishes["xms_cc"] = .members(["values": .strings(["cp1"])])
        claims["access_token"] = wishes
        #expect(get(browser, try refreshed()).status == 200)
        await browser.provider.stop()
    }
}
