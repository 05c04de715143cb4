import Testing

@testable import Sandbox

struct DiscoveryTests {
    @Test(arguments: ["common", "organizations", "consumers"])
    func `A tenant-independent document has the issuer template`(_ segment: String) async throws {
        var visitor = try await BrowserClient()
        let document = try visitor.json("GET", "/\(segment)/v2.0/.well-known/openid-configuration")
        #expect(document["issuer"]?.string == visitor.provider.baseURL + "/{tenantid}/v2.0")
        #expect(document["token_endpoint"]?.string == visitor.provider.baseURL + "/\(segment)/oauth2/v2.0/token")
        await visitor.provider.stop()
    }

    @Test func `A domain name becomes its tenant's id in issuer and endpoints`() async throws {
        var visitor = try await BrowserClient()
        let document = try visitor.json("GET", "/contoso.example/v2.0/.well-known/openid-configuration")
        #expect(document["issuer"]?.string == visitor.provider.baseURL + "/\(Directory.contoso.id)/v2.0")
        #expect(document["device_authorization_endpoint"]?.string?.contains(Directory.contoso.id) == true)
        let unknown = visitor.send("GET", "/nowhere.example/v2.0/.well-known/openid-configuration")
        #expect(unknown.status == 400 && unknown.body.contains("AADSTS90002"))
        await visitor.provider.stop()
    }

    @Test func `The plain issuer is found by both well-known forms`() async throws {
        var visitor = try await BrowserClient()
        let first = try visitor.json("GET", "/oidc/.well-known/openid-configuration")
        let second = try visitor.json("GET", "/.well-known/oauth-authorization-server/oidc")
        #expect(first == second)
        #expect(first["issuer"]?.string == visitor.provider.issuer)
        #expect(first["authorization_response_iss_parameter_supported"]?.bool == true)
        #expect(first["code_challenge_methods_supported"]?.array == ["S256"])
        await visitor.provider.stop()
    }

    @Test func `Instance discovery knows itself and the public cloud, and nobody else`() async throws {
        var visitor = try await BrowserClient()
        func ask(_ endpoint: String, _ version: String) -> Answer {
            visitor.send(
                "GET", "/common/discovery/instance", [("authorization_endpoint", endpoint), ("api-version", version)])
        }
        let own = visitor.provider.baseURL + "/common/oauth2/v2.0/authorize"
        #expect(ask(own, "1.1").body.contains("\"metadata\""))
        #expect(!ask(own, "1.0").body.contains("\"metadata\""))
        let stranger = ask("https://login.evil.example/common/oauth2/v2.0/authorize", "1.1")
        #expect(stranger.status == 400 && stranger.body.contains("invalid_instance"))
        await visitor.provider.stop()
    }

    @Test func `Rotated keys stay published until the next rotation`() async throws {
        var visitor = try await BrowserClient()
        let before = try visitor.json("GET", "/oidc/jwks")["keys"]?.array?.compactMap { $0["kid"]?.string } ?? []
        try visitor.provider.rotateKeys()
        let after =
            try visitor.json("GET", "/common/discovery/v2.0/keys")["keys"]?.array?.compactMap { $0["kid"]?.string }
            ?? []
        #expect(before.count == 1 && after.count == 2 && after.contains(before[0]))
        let token = try visitor.provider.issue(username: "ada@contoso.example")["id_token"]?.string ?? ""
        let header = String(decoding: Base64URL.decode(token.prefix { $0 != "." }) ?? [], as: UTF8.self)
        #expect(header.contains(after[1]))
        await visitor.provider.stop()
    }

    @Test func `The summary has what a program needs`() async throws {
        let visitor = try await BrowserClient()
        let summary = visitor.provider.summary
        #expect(summary["issuer"]?.string == visitor.provider.issuer)
        #expect(summary["port"]?.int == visitor.provider.port)
        #expect(summary["clients"]?.array?.count == 7 && summary["users"]?.array?.count == 16)
        #expect(summary["users"]?.array?.first?["username"]?.string == "ada@contoso.example")
        #expect(summary["authorities"]?["adfs"]?.string == visitor.provider.adfsAuthority)
        #expect(
            summary["authorities"]?["b2c"]?[Directory.editPolicy]?.string
                == visitor.provider.b2cAuthority(policy: Directory.editPolicy))
        #expect(summary["authorities"]?["sovereign"]?.string == visitor.provider.sovereignAuthority())
        #expect(summary["caFile"] == nil)
        await visitor.provider.stop()
    }
}
