import FoundationEssentials
import Testing

@testable import Sandbox

struct ProtectedResourceTests {
    private func get(_ visitor: BrowserClient, _ token: JSON?) -> Answer {
        let headers = token?.string.map { ["authorization": "Bearer \($0)"] } ?? [:]
        return visitor.provider.answer(SandboxRequest("GET", "/resource", headers: headers))
    }

    @Test func `The resource takes a valid token; without one it says where to get it`() async throws {
        let visitor = try await BrowserClient()
        let tokens = try visitor.provider.issue(username: "ada@contoso.example")
        #expect(get(visitor, tokens["access_token"]).status == 200)
        let bare = get(visitor, nil)
        #expect(bare.status == 401 && bare.header("WWW-Authenticate")?.contains("authorization_uri=\"") == true)
        #expect(bare.header("WWW-Authenticate")?.contains("error=") == false)
        #expect(get(visitor, "x.y.z").header("WWW-Authenticate")?.contains("invalid_token") == true)
        try visitor.provider.advanceClock(by: 3601)
        #expect(get(visitor, tokens["access_token"]).status == 401)
        await visitor.provider.stop()
    }

    @Test func `A claims challenge ends when a token comes that was asked for with its claims`() async throws {
        var visitor = try await BrowserClient()
        visitor.provider.bend(Fault(.habit(.continuousAccess)))
        let tokens = try visitor.provider.issue(username: "ada@contoso.example")
        let header = try #require(get(visitor, tokens["access_token"]).header("WWW-Authenticate"))
        #expect(header.contains("error=\"insufficient_claims\""))
        let mark = try #require(header.firstRange(of: "claims=\""))
        let text = String(header[mark.upperBound...].prefix { $0 != "\"" })
        var claims = try JSON(parsing: String(decoding: try #require(Data(base64Encoded: text)), as: UTF8.self))
        func refreshed() throws -> JSON? {
            try visitor.json(
                "POST", "/common/oauth2/v2.0/token",
                [
                    ("grant_type", "refresh_token"), ("client_id", Directory.tryOut), ("claims", claims.text),
                    ("refresh_token", tokens["refresh_token"]?.string),
                ])["access_token"]
        }
        // Claims alone are not enough: the client has to say that it understands challenges.
        #expect(get(visitor, try refreshed()).status == 401)
        var wishes = try #require(claims["access_token"])
        wishes["xms_cc"] = .members(["values": .strings(["cp1"])])
        claims["access_token"] = wishes
        #expect(get(visitor, try refreshed()).status == 200)
        await visitor.provider.stop()
    }
}
