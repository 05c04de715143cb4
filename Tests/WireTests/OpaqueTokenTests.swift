import Identity
import StrictJSON
import Testing

@testable import Wire

/// Opaque tokens: how servers revoke them, and what servers say about them.
@Suite struct OpaqueTokenTests {
    private static let secret = Secret("gho_16C7e42F292c6912E7710c838347Ae178B4a")

    private static func server(_ name: String) throws -> KnownServer { try #require(KnownServer.named(name)) }

    /// Sends one request to a stub.
    private static func with<Value: Sendable>(
        _ reply: StubServer.Reply,
        _ body: @escaping @Sendable (_ origin: WebAddress, Transport) async throws -> Value
    ) async throws -> (Value, [StubServer.Asked]) {
        try await StubServer.open({ _ in reply }) { server async throws in
            try await Samples.transport { transport async throws in
                let value = try await body(try WebAddress("http://127.0.0.1:\(server.port)/x/oauth"), transport)
                return (value, server.asked)
            }
        }
    }

    private static func metadata(_ issuer: WebAddress, revocation: String? = nil) throws -> ProviderMetadata {
        let authority = try Authority(issuer.text, kind: .oauth2)
        let manual = EndpointOverrides(
            authorization: try WebAddress(issuer.text + "/a"), token: try WebAddress(issuer.text + "/token"),
            revocation: try revocation.map { try WebAddress($0) })
        return try ProviderMetadata(
            JSONObject([JSONMember(name: "issuer", value: .string(issuer.text))]), of: authority, manual: manual)
    }

    // MARK: Revocation

    private static func revoke(_ name: String, _ reply: StubServer.Reply, revocation: String? = nil) async throws -> (
        RevocationOutcome?, [StubServer.Asked]
    ) {
        try await with(reply) { origin, transport in
            let metadata = try metadata(origin, revocation: revocation.map { origin.origin + $0 })
            let authority = try Authority(origin.text, kind: .oauth2)
            guard let form = RevocationForm(try server(name), at: authority, metadata) else { return nil }
            return try await SignOutEndpoints.revoke(
                secret, hint: "access_token", clientID: "c", form: form, metadata: metadata, transport: transport)
        }
    }

    @Test func `GitHub gets a list of credentials, without a client or an Authorization header`() async throws {
        let (outcome, asked) = try await Self.revoke("github", .answer(202, "{}"))
        #expect(outcome == .revoked && asked.count == 1)
        #expect(asked.first?.method == "POST" && asked.first?.target == "/api/v3/credentials/revoke")
        #expect(asked.first?.header("authorization") == nil)
        #expect(asked.first?.header("content-type") == "application/json")
        let body = try JSONValue(parsing: Array((asked.first?.body ?? "").utf8))
        #expect(
            body
                == .object(
                    JSONObject([
                        JSONMember(name: "credentials", value: .array([.string(Self.secret.reveal())]))
                    ])))
    }

    @Test func `Google gets the token in the query of its own endpoint, and an ended token is done`() async throws {
        let (outcome, asked) = try await Self.revoke(
            "google", .answer(400, #"{"error":"invalid_token"}"#), revocation: "/g/revoke")
        #expect(outcome == .revoked)
        #expect(asked.first?.method == "POST" && asked.first?.target == "/g/revoke?token=\(Self.secret.reveal())")
        #expect(asked.first?.fields["client_id"] == nil)
        let (refused, _) = try await Self.revoke(
            "google", .answer(400, #"{"error":"invalid_request"}"#), revocation: "/g/revoke")
        #expect(refused == .refused("refused (invalid_request)"))
    }

    @Test func `Slack's errors come with 200`() async throws {
        let (outcome, asked) = try await Self.revoke("slack", .answer(200, #"{"ok":true,"revoked":true}"#))
        #expect(outcome == .revoked && asked.first?.target == "/api/auth.revoke")
        #expect(asked.first?.header("authorization") == "Bearer \(Self.secret.reveal())")
        let (refused, _) = try await Self.revoke("slack", .answer(200, #"{"ok":false,"error":"missing_scope"}"#))
        #expect(refused == .refused("refused (missing_scope)"))
        let (before, _) = try await Self.revoke("slack", .answer(200, #"{"ok":false,"error":"token_revoked"}"#))
        #expect(before == .revoked)
    }

    @Test func `An echoed token is in no text`() async throws {
        for (name, revocation) in [("github", nil), ("google", "/g/revoke"), ("slack", nil)] as [(String, String?)] {
            let (outcome, _) = try await Self.revoke(
                name, .answer(403, #"{"error":"\#(Self.secret.reveal())"}"#), revocation: revocation)
            guard case .refused(let why) = outcome else {
                Issue.record("\(name): \(String(describing: outcome))")
                continue
            }
            #expect(!why.contains("16C7e42F"), "\(name)")
        }
    }

    @Test func `A token is not sent to a vendor whose form another server has`() throws {
        let own = try WebAddress("https://id.example.org")
        let form = { (name: String, authority: String) throws in
            let authority = try Authority(authority, kind: .oauth2)
            return RevocationForm(try Self.server(name), at: authority, try Self.metadata(authority.address))
        }
        #expect(try form("google", own.text) == nil)
        #expect(
            try form("google", "https://accounts.google.com")
                == .tokenInQuery(try WebAddress("https://oauth2.googleapis.com/revoke")))
        #expect(try form("bitbucket", "https://bitbucket.org/site/oauth2") == nil)
        #expect(
            try form("github", "https://github.com/login/oauth")
                == .credentialList(try WebAddress("https://api.github.com/credentials/revoke")))
        #expect(try form("gitlab", own.text) == nil, "without an endpoint in the metadata")
    }

    // MARK: What the server says

    private static func ask(_ name: String?, _ reply: StubServer.Reply) async throws -> (
        Introspection.Answer?, [StubServer.Asked]
    ) {
        try await with(reply) { origin, transport in
            let known = try name.map { try server($0) }
            var metadata = try metadata(origin)
            if known == nil { metadata.introspection = try WebAddress(origin.text + "/introspect") }
            let account = known?.account.flatMap { form in
                known?.address(form.address, at: origin).map { AccountEndpoint($0, identifier: form.identifier) }
            }
            let form = try #require(
                Introspection.forms(known, account: account, clientID: "c", authentication: nil, metadata).first)
            return try await Introspection.ask(form, about: secret, transport: transport)
        }
    }

    private static func accepted(_ answer: Introspection.Answer?) throws -> JSONObject {
        guard case .accepted(let object) = answer else {
            Issue.record("\(String(describing: answer))")
            return JSONObject([])
        }
        return object
    }

    @Test func `Introspection names the token and the client`() async throws {
        let (answer, asked) = try await Self.ask(nil, .answer(200, #"{"active":true,"scope":"a b","exp":1800000000}"#))
        #expect(try Self.accepted(answer)["scope"]?.string == "a b")
        #expect(asked.first?.target == "/x/oauth/introspect")
        #expect(
            asked.first?.fields
                == ["token": Self.secret.reveal(), "token_type_hint": "access_token", "client_id": "c"])
        #expect(try await Self.ask(nil, .answer(200, #"{"active":false}"#)).0 == .rejected)
        // Only the boolean says so.
        #expect(try await Self.ask(nil, .answer(200, #"{"active":"true"}"#)).0 == .rejected)
        #expect(try await Self.ask(nil, .answer(401, #"{"error":"invalid_client"}"#)).0 == nil)
    }

    @Test func `GitHub says who, and which scopes in a header`() async throws {
        let (answer, asked) = try await Self.ask(
            "github",
            .answer(
                200, #"{"login":"hedy","id":1007,"repos_url":"https://x","plan":null}"#,
                headers: ["X-OAuth-Scopes: gist, read:org, repo"]))
        let object = try Self.accepted(answer)
        #expect(object["login"]?.string == "hedy" && object["scope"]?.string == "gist read:org repo")
        #expect(object["repos_url"] == nil && object["plan"] == nil)
        #expect(asked.first?.target == "/api/v3/user")
        #expect(asked.first?.header("authorization") == "Bearer \(Self.secret.reveal())")
        #expect(try await Self.ask("github", .answer(401, #"{"message":"Bad credentials"}"#)).0 == .rejected)
        // No header: a GitHub App has no scopes.
        #expect(try Self.accepted(try await Self.ask("github", .answer(200, #"{"login":"h"}"#)).0)["scope"] == nil)
    }

    @Test func `Google's numbers are strings, and the token is sent next to the token endpoint`() async throws {
        let (answer, asked) = try await Self.ask(
            "google", .answer(200, #"{"exp":"1800000000","scope":"openid","email_verified":"true"}"#))
        let object = try Self.accepted(answer)
        #expect(object["exp"]?.integer == 1_800_000_000 && object["email_verified"]?.string == "true")
        #expect(asked.first?.target == "/x/oauth/tokeninfo" && asked.first?.method == "POST")
        #expect(asked.first?.fields == ["access_token": Self.secret.reveal()])
        #expect(try await Self.ask("google", .answer(400, #"{"error":"invalid_token"}"#)).0 == .rejected)
    }

    @Test func `GitLab is asked below its token endpoint`() async throws {
        let (answer, asked) = try await Self.ask("gitlab", .answer(200, #"{"scope":["api"],"resource_owner_id":7}"#))
        #expect(try Self.accepted(answer)["resource_owner_id"]?.integer == 7)
        #expect(asked.first?.target == "/x/oauth/token/info")
    }
}
