import Testing

@testable import Sandbox

struct DiscoveryTests {
    @Test(arguments: ["common", "organizations", "consumers"])
    func `A tenant-independent document has the issuer template`(_ segment: String) async throws {
        var browser = try await BrowserClient()
        let document = try browser.json("GET", "/\(segment)/v2.0/.well-known/openid-configuration")
        #expect(document["issuer"]?.string == browser.provider.baseURL + "/{tenantid}/v2.0")
        #expect(document["token_endpoint"]?.string == browser.provider.baseURL + "/\(segment)/oauth2/v2.0/token")
        await browser.provider.stop()
    }

    @Test func `A domain name becomes its tenant's id in issuer and endpoints`() async throws {
        var browser = try await BrowserClient()
        let document = try browser.json("GET", "/contoso.example/v2.0/.well-known/openid-configuration")
        #expect(document["issuer"]?.string == browser.provider.baseURL + "/\(Directory.contoso.id)/v2.0")
        #expect(document["device_authorization_endpoint"]?.string?.contains(Directory.contoso.id) == true)
        let unknown = browser.send("GET", "/nowhere.example/v2.0/.well-known/openid-configuration")
        #expect(unknown.status == 400 && unknown.body.contains("AADSTS90002"))
        await browser.provider.stop()
    }

    @Test func `The plain issuer is found by both well-known forms`() async throws {
        var browser = try await BrowserClient()
        let first = try browser.json("GET", "/oidc/.well-known/openid-configuration")
        let second = try browser.json("GET", "/.well-known/oauth-authorization-server/oidc")
        #expect(first == second)
        #expect(first["issuer"]?.string == browser.provider.issuer)
        #expect(first["authorization_response_iss_parameter_supported"]?.bool == true)
        #expect(first["code_challenge_methods_supported"]?.array == ["S256"])
        await browser.provider.stop()
    }

    @Test func `Instance discovery knows itself and the public cloud, and nobody else`() async throws {
        var browser = try await BrowserClient()
        func ask(_ endpoint: String, _ version: String) -> SandboxResponse {
            browser.send(
                "GET", "/common/discovery/instance", [("authorization_endpoint", endpoint), ("api-version", version)])
        }
        let own = browser.provider.baseURL + "/common/oauth2/v2.0/authorize"
        #expect(ask(own, "1.1").body.contains("\"metadata\""))
        #expect(!ask(own, "1.0").body.contains("\"metadata\""))
        let stranger = ask("https://login.evil.example/common/oauth2/v2.0/authorize", "1.1")
        #expect(stranger.status == 400 && stranger.body.contains("invalid_instance"))
        await browser.provider.stop()
    }

    @Test func `Rotated keys stay published until the next rotation`() async throws {
        var browser = try await BrowserClient()
        let before = try browser.json("GET", "/oidc/jwks")["keys"]?.array?.compactMap { $0["kid"]?.string } ?? []
        try browser.provider.rotateKeys()
        let after =
            try browser.json("GET", "/common/discovery/v2.0/keys")["keys"]?.array?.compactMap { $0["kid"]?.string }
            ?? []
        #expect(before.count == 1 && after.count == 2 && after.contains(before[0]))
        let token = try browser.provider.issue(username: "ada@contoso.example")["id_token"]?.string ?? ""
        let header = String(decoding: Base64URLCoding.decode(token.prefix { $0 != "." }) ?? [], as: UTF8.self)
        #expect(header.contains(after[1]))
        await browser.provider.stop()
    }

    @Test func `The summary has what a program needs`() async throws {
        let browser = try await BrowserClient()
        let summary = browser.provider.summary
        #expect(summary["issuer"]?.string == browser.provider.issuer)
        #expect(summary["port"]?.int == browser.provider.port)
        #expect(summary["clients"]?.array?.count == 9 && summary["users"]?.array?.count == 16)
        #expect(summary["users"]?.array?.first?["username"]?.string == "ada@contoso.example")
        #expect(summary["authorities"]?["adfs"]?.string == browser.provider.adfsAuthority)
        #expect(
            summary["authorities"]?["b2c"]?[Directory.editPolicy]?.string
                == browser.provider.b2cAuthority(policy: Directory.editPolicy))
        #expect(summary["authorities"]?["sovereign"]?.string == browser.provider.sovereignAuthority())
        #expect(summary["caFile"] == nil)
        await browser.provider.stop()
    }

    @Test func `Everybody of the samples may sign in where the summary says, with a client of that provider`()
        async throws
    {
        let browser = try await BrowserClient()
        let samples = try #require(browser.provider.summary["samples"])
        let origins = browser.provider.state.with { $0.origins }
        func issuer(_ sample: JSON) throws -> HostedIssuer {
            let address = try #require(sample["authority"]?.string)
            let cloud: HostedIssuer.Cloud = address.hasPrefix(origins.sovereignBase + "/") ? .sovereign : .global
            let base = origins.base(of: cloud)
            #expect(address.hasPrefix(base + "/"))
            let document = ["oidc", "adfs"].contains(sample["kind"]?.string) ? [] : ["v2.0"]
            let path = address.dropFirst(base.count).split(separator: "/").map(String.init)
            return try #require(
                try Endpoint.find(
                    path + document + [".well-known", "openid-configuration"], policy: nil, base: base, cloud: cloud)
            ).issuer
        }
        let signIns = try #require(samples["signIns"]?.array)
        let clients = try #require(samples["clients"]?.array)
        #expect(signIns.count == 12 && clients.count == 7)
        for sample in signIns {
            let user = try #require(sample["username"]?.string.flatMap(Directory.user))
            #expect(try issuer(sample).admits(user), "\(sample.text)")
        }
        for sample in signIns + clients {
            let client = try #require(Directory.clients.first { $0.clientId == sample["clientId"]?.string })
            #expect(try issuer(sample).admits(client), "\(sample.text)")
        }
        await browser.provider.stop()
    }
}
