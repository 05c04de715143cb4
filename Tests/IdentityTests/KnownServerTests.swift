import Identity
import Testing

/// Servers whose endpoints and habits are built in.
@Suite struct KnownServerTests {
    private static func configuration(_ authority: String, kind: Authority.Kind? = nil, server: String? = nil) throws
        -> ClientConfiguration
    {
        var configuration = ClientConfiguration(
            clientID: "c1", authority: try Authority(authority, kind: kind), store: "/nowhere")
        configuration.server = server
        return configuration
    }

    @Test func `Every entry has a name, a source and addresses that are URLs`() throws {
        #expect(
            KnownServer.all.map(\.name) == KnownServer.names && Set(KnownServer.names).count == KnownServer.names.count)
        let own = try WebAddress("https://git.example.org")
        for server in KnownServer.all {
            #expect(server.source.contains("20"), "\(server.name)")
            let hosts = server.hosts.map { $0.replacing("*.", with: "one.") }
            for place in try hosts.map({ try WebAddress("https://\($0)") }) + [own] {
                let templates =
                    server.endpoints.map(\.address)
                    + [server.account?.address, server.page, server.registration]
                    .compactMap(\.self)
                for template in templates {
                    let address = server.address(template, at: place, clientID: "c1")
                    #expect(address?.isSecure == true, "\(server.name): \(template)")
                    #expect(address?.text.contains("{") == false, "\(server.name): \(template)")
                }
            }
            if server.kind == .oauth2 {
                #expect(
                    server.filling(EndpointOverrides(), at: own).isComplete(
                        for: .oauth2))
                #expect(server.account != nil)
            }
            for endpoint in server.endpoints { #expect(EndpointOverrides.member(named: endpoint.name) != nil) }
        }
    }

    @Test(arguments: [
        ("https://github.com", "https://github.com/login/oauth", Authority.Kind.oauth2),
        ("https://github.com/login/oauth", "https://github.com/login/oauth", .oauth2),
        ("https://corp.ghe.com", "https://corp.ghe.com/login/oauth", .oauth2),
        ("https://gitlab.com", "https://gitlab.com", .oidc),
        ("https://accounts.google.com", "https://accounts.google.com", .oidc),
        ("https://slack.com", "https://slack.com", .oauth2),
        ("https://acme.okta.com/oauth2/x", "https://acme.okta.com/oauth2/x", .oidc),
        ("https://github.com.evil.example", "https://github.com.evil.example", .oidc),
        ("https://evilgithub.com", "https://evilgithub.com", .oidc), ("http://github.com", "http://github.com", .oidc),
        ("https://github.com:8443", "https://github.com:8443", .oidc),
    ]) func `A host says which server it is, and only that host`(given: String, text: String, kind: Authority.Kind)
        throws
    {
        guard let authority = try? Authority(given) else {
            // Plain http is not an authority at all.
            #expect(given.hasPrefix("http:"))
            return
        }
        #expect(authority.description == text && authority.kind == kind)
    }

    @Test func `GitHub's API is elsewhere at each kind of host`() throws {
        func account(_ authority: String, server: String? = nil) throws -> String? {
            let configuration = try Self.configuration(authority, kind: .oauth2, server: server)
            return configuration.account(of: configuration.authority)?.address.text
        }
        #expect(try account("https://github.com/login/oauth") == "https://api.github.com/user")
        #expect(try account("https://corp.ghe.com/login/oauth") == "https://api.corp.ghe.com/user")
        #expect(
            try account("https://git.example.org/login/oauth", server: "github")
                == "https://git.example.org/api/v3/user")
        #expect(try account("https://git.example.org/login/oauth") == nil)
    }

    @Test func `A configured endpoint wins over a built-in one, and the account URL too`() throws {
        var configuration = try Self.configuration("https://github.com")
        configuration.endpoints.token = try WebAddress("https://proxy.example.org/token")
        configuration.account = AccountEndpoint(try WebAddress("https://proxy.example.org/me"), identifier: "id")
        let endpoints = configuration.endpoints(of: configuration.authority)
        #expect(endpoints.token?.text == "https://proxy.example.org/token")
        #expect(endpoints.authorization?.text == "https://github.com/login/oauth/authorize")
        #expect(configuration.account(of: configuration.authority)?.address.text == "https://proxy.example.org/me")
        // Another authority than the client's own has nothing of it.
        let other = try Authority("https://corp.ghe.com")
        #expect(configuration.endpoints(of: other).token?.text == "https://corp.ghe.com/login/oauth/access_token")
    }

    @Test func `Accounts belong to the issuer, and without metadata to the endpoints as a whole`() throws {
        var one = try Self.configuration("https://host.example/", kind: .oauth2)
        #expect(one.issuer(of: one.authority) == "https://host.example")
        one.endpoints.authorization = try WebAddress("https://host.example/one/authorize")
        one.endpoints.token = try WebAddress("https://host.example/one/token")
        #expect(one.issuer(of: one.authority) == "https://host.example/one/token")
        var two = one
        two.endpoints.token = try WebAddress("https://host.example/two/token")
        #expect(one.issuer(of: one.authority) != two.issuer(of: two.authority))
        two.endpoints.issuer = "https://host.example/named"
        #expect(two.issuer(of: two.authority) == "https://host.example/named")
        let github = try Self.configuration("https://github.com")
        #expect(github.issuer(of: github.authority) == "https://github.com/login/oauth")
        // OpenID Connect's endpoints by hand are checked by the ID token's issuer.
        var oidc = one
        oidc.authority = try Authority("https://host.example/", kind: .oidc)
        #expect(oidc.issuer(of: oidc.authority) == "https://host.example")
    }

    @Test func `Scopes that another one includes count as granted`() throws {
        let github = try #require(KnownServer.named("github"))
        #expect(github.completed(["repo"]).contains("public_repo"))
        #expect(github.completed(["gist"]) == ["gist"])
    }

    @Test func `A vendor's own host gets no token of another server`() throws {
        for server in KnownServer.all {
            let own = try WebAddress("https://git.example.org")
            let templates = server.endpoints.map(\.address) + [server.account?.address].compactMap(\.self)
            for template in templates {
                if let address = server.tokenAddress(template, at: own) {
                    #expect(address.host.hasSuffix("git.example.org"), "\(server.name): \(template)")
                }
            }
            guard let host = server.hosts.first?.replacing("*.", with: "one."), let form = server.account else {
                continue
            }
            #expect(server.tokenAddress(form.address, at: try WebAddress("https://\(host)")) != nil)
        }
        let bitbucket = try Self.configuration("https://git.example.org/x", kind: .oauth2, server: "bitbucket")
        #expect(bitbucket.account(of: bitbucket.authority) == nil)
    }
}
