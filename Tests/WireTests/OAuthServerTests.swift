import FoundationEssentials
import Identity
import Proofs
import Testing

@testable import Wire

/// Servers with OAuth 2.0 alone, which the kind `oauth2` of an authority names.
@Suite struct OAuthServerTests {
    private static func authority(_ text: String = "https://id.example.org") throws -> Authority {
        try Authority(text, kind: .oauth2)
    }

    private static let document =
        #"{"issuer":"ORIGIN/as","authorization_endpoint":"ORIGIN/as/a","token_endpoint":"ORIGIN/as/t"}"#

    private static func metadata(_ habits: KnownServer.Habits = KnownServer.Habits()) throws -> ProviderMetadata {
        var metadata = try ProviderMetadata(
            Samples.object(document.replacing("ORIGIN/as", with: "https://id.example.org")), of: authority())
        metadata.habits = habits
        return metadata
    }

    private static func discover(
        _ kind: Authority.Kind, manual: EndpointOverrides = EndpointOverrides(), at place: String
    )
        async throws -> (Result<ProviderMetadata, WireError>, [String])
    {
        try await StubServer.open({ asked in
            let origin = "http://" + (asked.header("host") ?? "")
            return asked.target == place
                ? .json(document.replacing("ORIGIN", with: origin)) : .answer(404, "<html>", type: "text/html")
        }) { server async throws in
            try await Samples.transport { transport async throws in
                let authority = try Authority("http://127.0.0.1:\(server.port)/as", kind: kind)
                let result: Result<ProviderMetadata, WireError>
                do throws(WireError) {
                    result = .success(
                        try await Discovery(transport: transport).metadata(for: authority, manual: manual))
                } catch { result = .failure(error) }
                return (result, server.asked.map(\.target))
            }
        }
    }

    // MARK: Metadata

    @Test func `RFC 8414's document comes first and needs no keys; OpenID Connect's is the second choice`() async throws
    {
        let ownPlace = "/.well-known/oauth-authorization-server/as"
        let (found, asked) = try await Self.discover(.oauth2, at: ownPlace)
        let metadata = try found.get()
        #expect(metadata.isOAuthOnly && metadata.keys == nil && asked == [ownPlace])

        let other = "/as/.well-known/openid-configuration"
        let (second, both) = try await Self.discover(.oauth2, at: other)
        #expect(try second.get().isOAuthOnly && both == [ownPlace, other])
    }

    @Test func `Without the kind, a server without keys is refused, and the kind is the hint`() async throws {
        let (found, _) = try await Self.discover(.oidc, at: "/.well-known/oauth-authorization-server/as")
        guard case .failure(.unsupported(let what, let hint)) = found else {
            Issue.record("\(found)")
            return
        }
        #expect(what.contains("jwks_uri") && hint?.description.contains("oauth2") == true)
    }

    @Test func `Endpoints by hand need no metadata and no keys`() async throws {
        let manual = EndpointOverrides(
            authorization: try WebAddress("https://id.example.org/a"), token: try WebAddress("https://id.example.org/t")
        )
        let (found, asked) = try await Self.discover(.oauth2, manual: manual, at: "/nowhere")
        #expect(try found.get().token.text == "https://id.example.org/t" && asked.isEmpty)
    }

    @Test func `A document of another issuer is refused, byte for byte`() async throws {
        #expect(throws: WireError.self) {
            _ = try ProviderMetadata(
                try Samples.object(Self.document.replacing("ORIGIN/as", with: "https://id.example.org/other")),
                of: try Self.authority())
        }
    }

    @Test func `What is kept in the cache reads back the same`() throws {
        let document =
            #"{"issuer":"https://id.example.org","authorization_endpoint":"https://id.example.org/a","#
            + #""token_endpoint":"https://id.example.org/t","introspection_endpoint":"https://id.example.org/i"}"#
        let metadata = try ProviderMetadata(try Samples.object(document), of: try Self.authority())
        #expect(try ProviderMetadata(metadata.document, of: try Self.authority()) == metadata)
        #expect(metadata.introspection?.text == "https://id.example.org/i")
    }

    // MARK: Requests

    private static func fields(
        _ scopes: ScopeSet, _ habits: KnownServer.Habits = KnownServer.Habits(), resource: String? = nil,
        extra: [String: String] = [:]
    ) throws -> [String: String] {
        let request = AuthorizeRequest(
            metadata: try metadata(habits), clientID: "c", redirectURI: "http://127.0.0.1:1", scopes: scopes,
            state: "s",
            nonce: "n", pkce: PKCE(), prompt: nil, loginHint: nil, domainHint: nil, claims: nil, isEntra: false,
            resource: resource, extra: try ExtraParameters(extra))
        return Dictionary(request.fields.map { ($0.name, $0.value) }) { first, _ in first }
    }

    @Test func `Scopes are sent as they are: no openid, no nonce, and no parameter without scopes`() throws {
        let fields = try Self.fields(["repo", "read:user"], resource: "https://api.example.org")
        #expect(
            fields["scope"] == "repo read:user" && fields["nonce"] == nil
                && fields["resource"] == "https://api.example.org")
        #expect(fields["code_challenge_method"] == "S256" && fields["state"] == "s")
        #expect(try Self.fields([])["scope"] == nil)
    }

    @Test func `A known server's parameters are added, unless the user named them`() throws {
        var habits = KnownServer.Habits()
        habits.parameters = [
            KnownServer.Habits.Parameter("audience", "api"), KnownServer.Habits.Parameter("access_type", "offline"),
        ]
        habits.scopeParameter = "user_scope"
        habits.scopeSeparator = ","
        let fields = try Self.fields(["a", "b"], habits, extra: ["access_type": "online"])
        #expect(fields["user_scope"] == "a,b" && fields["scope"] == nil)
        #expect(fields["audience"] == "api" && fields["access_type"] == "online")
    }

    // MARK: Responses

    private static func ask(
        _ reply: StubServer.Reply, refresh: Bool = false, habits: KnownServer.Habits = KnownServer.Habits()
    ) async throws -> (Result<TokenAnswer, WireError>, StubServer.Asked?) {
        try await StubServer.open({ _ in reply }) { server async throws in
            try await Samples.transport { transport async throws in
                var metadata = try metadata(habits)
                metadata.token = try WebAddress("http://127.0.0.1:\(server.port)/t")
                let endpoint = TokenEndpoint(
                    metadata: metadata, clientID: "c", isEntra: false, correlationID: UUID(), transport: transport)
                let result: Result<TokenAnswer, WireError>
                do throws(WireError) {
                    result = .success(
                        refresh
                            ? try await endpoint.refresh(
                                token: Secret("rt"), scopes: ["a"], claims: nil, anchor: nil,
                                resource: "https://r.example")
                            : try await endpoint.poll(device: Secret("dc"), resource: "https://r.example"))
                } catch { result = .failure(error) }
                return (result, server.asked.first)
            }
        }
    }

    private static func grant(_ reply: StubServer.Reply, habits: KnownServer.Habits = KnownServer.Habits())
        async throws -> TokenGrant?
    {
        guard case .success(.granted(let grant)) = try await ask(reply, habits: habits).0 else { return nil }
        if grant.flaw != nil { #expect(grant.accessToken == nil) }
        return grant
    }

    private static func refusal(_ reply: StubServer.Reply, refresh: Bool = false) async throws -> OAuthError? {
        guard case .success(.refused(let error)) = try await ask(reply, refresh: refresh).0 else { return nil }
        return error
    }

    private static let form = "application/x-www-form-urlencoded"

    @Test func `A form is as good as JSON, whatever the content type says, and its scopes may have commas`()
        async throws
    {
        for type in [Self.form, "text/html", "application/json"] {
            let reply = StubServer.Reply.answer(
                200, "access_token=gho_1&scope=gist%2Cread%3Aorg&token_type=bearer", type: type)
            let grant = try #require(try await Self.grant(reply))
            #expect(grant.accessToken?.reveal() == "gho_1" && grant.scopes == ["gist", "read:org"])
            #expect(grant.expiresIn == nil && grant.refreshToken == nil)
        }
        let json = StubServer.Reply.answer(
            200, #"{"access_token":"a","token_type":"bearer","scope":"x,y","expires_in":28800}"#, type: Self.form)
        let grant = try #require(try await Self.grant(json))
        #expect(grant.scopes == ["x", "y"] && grant.expiresIn == 28_800)
    }

    @Test(arguments: ["access_token=a&access_token=b&token_type=bearer", "access_token=a", "", "<html>", "%zz=a"])
    func `A malformed form is refused`(body: String) async throws {
        let reply = StubServer.Reply.answer(200, body, type: Self.form)
        guard let grant = try await Self.grant(reply) else { return }
        #expect(grant.flaw?.check == "token type", "taken: \(body)")
    }

    @Test func `An ID token is ignored, since nothing here checks it`() async throws {
        let grant = try #require(
            try await Self.grant(.json(#"{"access_token":"a","token_type":"bearer","id_token":"e30.e30.x"}"#)))
        #expect(grant.idToken == nil)
        #expect(try await Self.grant(.json(#"{"id_token":"e30.e30.x"}"#))?.flaw?.check == "token response")
    }

    @Test func `An error with status 200 is an error, in its standard name`() async throws {
        let pending = try await Self.refusal(.answer(200, "error=authorization_pending&error_uri=x", type: Self.form))
        #expect(pending?.error == "authorization_pending")
        let dead = try await Self.refusal(.json(#"{"error":"bad_refresh_token"}"#), refresh: true)
        #expect(dead?.error == "invalid_grant" && dead?.isOfTheToken == true)
        let secret = try await Self.refusal(.json(#"{"error":"incorrect_client_credentials"}"#))
        #expect(secret?.error == "invalid_client")
        let slow = try await Self.refusal(.json(#"{"error":"slow_down","interval":"11"}"#))
        #expect(slow?.interval == 11)
        let slack = try await Self.refusal(.json(#"{"ok":false,"error":"invalid_refresh_token"}"#), refresh: true)
        #expect(slack?.error == "invalid_grant")
    }

    @Test func `The user's own token is taken from inside, and its type is a bearer's there`() async throws {
        var habits = KnownServer.Habits()
        habits.tokenMember = "authed_user"
        habits.bearerType = "user"
        let reply = StubServer.Reply.json(
            #"{"ok":true,"access_token":"xoxb-bot","token_type":"bot","#
                + #""authed_user":{"id":"U1","access_token":"xoxp-1","token_type":"user","scope":"chat:write"}}"#)
        let grant = try #require(try await Self.grant(reply, habits: habits))
        #expect(grant.accessToken?.reveal() == "xoxp-1" && grant.tokenType == "Bearer")
        #expect(try await Self.grant(reply)?.flaw?.check == "token type")
    }

    @Test func `The resource goes along with a poll and with a refresh`() async throws {
        for isRefresh in [false, true] {
            let (_, asked) = try await Self.ask(
                .json(#"{"access_token":"a","token_type":"bearer"}"#), refresh: isRefresh)
            #expect(asked?.fields["resource"] == "https%3A%2F%2Fr.example" && asked?.fields["scope"] == nil)
        }
    }

    @Test func `A server that wants JSON gets JSON`() async throws {
        var habits = KnownServer.Habits()
        habits.sendsJSON = true
        let (_, asked) = try await Self.ask(
            .json(#"{"access_token":"a","token_type":"bearer"}"#), refresh: true, habits: habits)
        #expect(asked?.header("content-type") == "application/json")
        #expect(asked?.body.contains(#""refresh_token":"rt""#) == true)
    }

    // MARK: The account

    private static func owner(_ identifier: String, _ username: String? = nil, _ body: String, status: Int = 200)
        async throws -> Result<TokenOwner, WireError>
    {
        try await StubServer.open({ _ in .answer(status, body) }) { server async throws in
            try await Samples.transport { transport async throws in
                let endpoint = AccountEndpoint(
                    try WebAddress("http://127.0.0.1:\(server.port)/user"), identifier: identifier, username: username)
                do throws(WireError) {
                    return .success(
                        try await TokenOwner.fetch(endpoint, accessToken: Secret("at"), transport: transport))
                } catch { return .failure(error) }
            }
        }
    }

    @Test func `The account is a field of the response: a number, a string, or inside an object`() async throws {
        let body = #"{"id":9007199254740993,"login":"hedy","user":{"id":"u1","name":null}}"#
        let plain = try await Self.owner("id", "login", body).get()
        #expect(plain.identifier == "9007199254740993" && plain.claims.username == "hedy")
        let nested = try await Self.owner("user.id", "user.name", body).get()
        #expect(nested.identifier == "u1" && nested.claims.username == nil)
    }

    @Test(arguments: [
        ("id", #"{"login":"hedy"}"#, 200), ("id", #"{"id":1.5}"#, 200), ("id", #"{"id":""}"#, 200),
        ("id", #"{"id":["1"]}"#, 200), ("user.id", #"{"user":"u1"}"#, 200), ("id", #"{"id":1}"#, 401),
        ("id", "<html>", 200), ("id", #"{"id":"h\u00e9dy"}"#, 200),
    ]) func `A response without the field names nobody`(field: String, body: String, status: Int) async throws {
        guard case .failure = try await Self.owner(field, nil, body, status: status) else {
            Issue.record("taken: \(body)")
            return
        }
    }

    @Test func `Introspection names the account of an active token of this client`() async throws {
        func introspect(_ body: String) async throws -> Result<TokenOwner, WireError> {
            try await StubServer.open({ _ in .json(body) }) { server async throws in
                try await Samples.transport { transport async throws in
                    var metadata = try Self.metadata()
                    metadata.introspection = try WebAddress("http://127.0.0.1:\(server.port)/i")
                    do throws(WireError) {
                        return .success(
                            try await TokenOwner.introspect(
                                accessToken: Secret("at"), clientID: "c", metadata: metadata, transport: transport))
                    } catch { return .failure(error) }
                }
            }
        }
        let owner = try await introspect(#"{"active":true,"sub":"u1","username":"hedy","client_id":"c"}"#).get()
        #expect(owner.identifier == "u1" && owner.claims.username == "hedy")
        #expect(try await introspect(#"{"active":true,"username":"hedy"}"#).get().identifier == "hedy")
        for body in [
            #"{"active":false,"sub":"u1"}"#, #"{"sub":"u1"}"#, #"{"active":"true","sub":"u1"}"#, #"{"active":true}"#,
            #"{"active":true,"sub":"u1","client_id":"other"}"#,
        ] {
            guard case .failure = try await introspect(body) else {
                Issue.record("taken: \(body)")
                continue
            }
        }
    }
}
