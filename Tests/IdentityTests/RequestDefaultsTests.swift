import Testing

@testable import Identity

/// What is asked of a server is one function of the client and the server.
@Suite struct RequestDefaultsTests {
    /// A client of the settings at GitHub, with scopes and a redirect URI of its own.
    private static let configured = RequestDefaults(
        authority: "https://github.com", scopes: ["gist"], redirectURI: "http://127.0.0.1:8400/")

    @Test(arguments: KnownServer.all)
    func `A client without settings asks for the server's scopes, at the server's redirect URI`(server: KnownServer)
        throws
    {
        let host = try #require(server.hosts.first).replacing("*.", with: "one.")
        let authority = try RequestDefaults().authority("https://\(host)")
        #expect(authority.kind == server.kind && authority.address.path == server.path)
        let usual: ScopeSet = server.kind == .oidc ? ["openid", "profile", "email"] : []
        let scopes = RequestDefaults().scopes(at: authority, clientID: "c1")
        #expect(scopes == (server.scopes.isEmpty ? usual : ScopeSet(server.scopes)))
        #expect(RequestDefaults().redirectURI(at: authority) == server.redirectURI)
        // Nothing is added to a list that the server's registrations are made for.
        let reserved = RequestDefaults().reservedScopes(asking: scopes, at: authority)
        #expect(reserved == (server.scopes.isEmpty ? nil : scopes.reservedOnly))
    }

    @Test(arguments: [
        ("https://github.com", "gist", "http://127.0.0.1:8400/"),
        // The same product: a company's own tenant of it.
        ("https://corp.ghe.com", "gist", "http://127.0.0.1:8400/"),
        ("https://gitlab.com", "openid profile email read_repository write_repository", "http://127.0.0.1/"),
        // An unknown server can be the client's own by another name.
        ("https://id.example.org", "gist", "http://127.0.0.1:8400/"),
    ])
    func `Configured scopes and a redirect URI are not asked of another known server`(
        place: String, scopes: String, redirectURI: String
    ) throws {
        let authority = try Self.configured.authority(place)
        #expect(Self.configured.scopes(at: authority, clientID: "c1") == ScopeSet(parsing: scopes))
        #expect(Self.configured.redirectURI(at: authority) == redirectURI)
        // What a person names goes anywhere.
        var named = Self.configured
        named.namedRedirectURI = "http://localhost:1/"
        #expect(named.scopes(named: ["x"], at: authority, clientID: "c1") == ["x"])
        #expect(named.redirectURI(at: authority) == "http://localhost:1/")
    }

    @Test func `A client that leaves its provider to the request asks for its scopes at any`() throws {
        let anywhere = RequestDefaults(scopes: ["read_api"], redirectURI: "http://localhost:7/")
        for place in ["https://gitlab.com", "https://github.com", "https://login.microsoftonline.com/organizations"] {
            let authority = try anywhere.authority(place)
            #expect(anywhere.scopes(at: authority, clientID: "c1") == ["read_api"])
            #expect(anywhere.redirectURI(at: authority) == "http://localhost:7/")
        }
    }

    @Test(arguments: [
        "https://git.corp.example", "https://git.corp.example/", "https://git.corp.example:443/login/oauth",
        "https://GIT.corp.example/login/oauth",
    ])
    func `A company's own server is meant by its host alone, and is the product that the settings name`(text: String)
        throws
    {
        let own = RequestDefaults(
            authority: "https://git.corp.example/login/oauth", kind: .oauth2, server: "github")
        let authority = try own.authority(text)
        #expect(authority.address.text == "https://git.corp.example/login/oauth" && authority.kind == .oauth2)
        #expect(own.scopes(at: authority, clientID: "c1") == ["repo", "read:user"])
        #expect(own.redirectURI(at: authority) == "http://127.0.0.1/")
        // The product of the settings is that of no other host.
        let other = try own.authority("https://git.other.example/login/oauth")
        #expect(other.kind == .oidc && own.server(at: other) == nil)
        #expect(own.scopes(at: other, clientID: "c1") == ["openid", "profile", "email"])
        #expect(own.redirectURI(at: other) == "http://localhost")
    }

    @Test(arguments: [
        ("https://github.com", "repo", true), ("https://github.com", "read:user", true),
        ("https://github.com", "read:userhttp://127.0.0.1:44061", false), ("https://github.com", "github.com", false),
        ("https://github.com", "https://github.com", false), ("https://gitlab.com", "https://gitlab.com/api", false),
        ("https://accounts.google.com", "https://www.googleapis.com/auth/drive", true),
        ("https://accounts.google.com", "openidhttps://www.googleapis.com/auth/drive", true),
        ("https://id.example.org", "notes.read", true), ("https://id.example.org", "urn:zitadel:iam:org", true),
        ("https://id.example.org", "read:userhttps://id.example.org", false),
        ("http://127.0.0.1:44061/oidc", "read:userhttp://127.0.0.1:44061", false),
        ("http://127.0.0.1:44061/oidc", "127.0.0.1:44061", false),
        ("https://login.microsoftonline.com/organizations", "https://graph.microsoft.com/.default", true),
        ("https://login.microsoftonline.com/organizations", "api://11111111/x", true),
        ("https://login.microsoftonline.com/organizations", "https://a.example/.defaulthttps://b.example/x", false),
    ])
    func `A URL that was typed into the scopes is no scope where that can be told`(
        place: String, scope: String, isOne: Bool
    ) throws {
        let authority = try Authority(place)
        let server = RequestDefaults().server(at: authority)
        #expect(authority.mayHave(scope: scope, server) == isOne)
        for known in server?.scopes ?? [] { #expect(authority.mayHave(scope: known, server)) }
    }
}
