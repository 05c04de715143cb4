import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import Wire

/// RFC 7591.
@Suite struct RegistrationTests {
    private static func register(_ reply: StubServer.Reply) async throws -> (
        Result<ClientRegistration.Registered, WireError>, [StubServer.Asked]
    ) {
        try await register { _ in reply }
    }

    private static func register(_ respond: @escaping @Sendable (StubServer.Asked) -> StubServer.Reply) async throws
        -> (
            Result<ClientRegistration.Registered, WireError>, [StubServer.Asked]
        )
    {
        try await StubServer.open(respond) { server async throws in
            try await Samples.transport { transport async throws in
                var metadata = try Samples.metadata("http://127.0.0.1:\(server.port)")
                metadata.registration = try WebAddress("http://127.0.0.1:\(server.port)/register")
                let client = ClientRegistration(
                    name: "Foyer", redirectURIs: ["http://127.0.0.1/", "http://[::1]/"], scopes: ["notes"])
                do throws(WireError) {
                    return (.success(try await client.register(metadata: metadata, transport: transport)), server.asked)
                } catch { return (.failure(error), server.asked) }
            }
        }
    }

    @Test func `A native client without a secret registers, with the grants that it uses`() async throws {
        let (result, asked) = try await Self.register(
            .answer(201, #"{"client_id":"c1","client_id_issued_at":1763700000}"#))
        let client = try result.get()
        #expect(client.clientID == "c1" && client.issuedAt == Date(timeIntervalSince1970: 1_763_700_000))
        #expect(client.redirectURIs == ["http://127.0.0.1/", "http://[::1]/"])
        let body = try Samples.object(try #require(asked.first).body)
        #expect(asked.first?.header("content-type") == "application/json")
        #expect(body["token_endpoint_auth_method"] == "none" && body["application_type"] == "native")
        #expect(body["response_types"] == ["code"] && body["scope"] == "notes")
        #expect(
            body["grant_types"] == [
                "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
            ])
    }

    @Test(arguments: [
        #"{"client_id":"https://id.example.org/clients/a/b","client_secret":"s3cret","token_endpoint_auth_method":"none","client_id_issued_at":"1763700000"}"#,
        #"{"client_id":"https://id.example.org/clients/a/b","client_secret_expires_at":0,"client_id_issued_at":"yesterday"}"#,
    ])
    func `An identifier may have slashes, times may be texts, and a secret that comes back is not kept`(body: String)
        async throws
    {
        let client = try await Self.register(.answer(200, body)).0.get()
        #expect(client.clientID == "https://id.example.org/clients/a/b")
        #expect(!"\(client)".contains("s3cret"))
        #expect(client.issuedAt == nil || client.issuedAt == Date(timeIntervalSince1970: 1_763_700_000))
    }

    @Test(arguments: [
        "{}", #"{"client_id":""}"#, #"{"client_id":5}"#, #"{"client_id":"a b"}"#, #"{"client_id":"a\u001b[2J"}"#,
    ])
    func `What could be no client is refused`(body: String) async throws {
        guard case .failure(let error) = try await Self.register(.answer(201, body)).0 else {
            Issue.record("taken")
            return
        }
        #expect(error.check == "registration")
    }

    @Test(arguments: [
        #"{"client_id":"c1","client_secret":"s3cret"}"#,
        #"{"client_id":"c1","client_secret":"s3cret","token_endpoint_auth_method":null}"#,
        #"{"client_id":"c1","token_endpoint_auth_method":"private_key_jwt"}"#,
        #"{"client_id":"c1","client_secret":"s3cret","token_endpoint_auth_method":"client_secret_post"}"#,
    ])
    func `A client that must have a secret cannot be used, and it is said which one it is`(body: String) async throws {
        guard case .failure(.unsupported(let words, let hint)) = try await Self.register(.answer(201, body)).0 else {
            Issue.record("taken")
            return
        }
        #expect(
            words.contains("c1") && words.contains("nothing was saved") && !words.contains("s3cret") && hint != nil)
    }

    @Test func `A provider that refuses a grant is asked without it, and what was left out is told`() async throws {
        let (result, asked) = try await Self.register { asked in
            asked.body.contains("device_code") || asked.body.contains("refresh_token")
                ? .answer(400, #"{"error":"invalid_client_metadata","error_description":"grant_types"}"#)
                : .answer(201, #"{"client_id":"c1","scope":"notes other"}"#)
        }
        let client = try result.get()
        #expect(client.grantsLeftOut == ["refresh_token", "urn:ietf:params:oauth:grant-type:device_code"])
        #expect(client.scopes == ["notes", "other"] && asked.count == 3)
    }

    @Test func `What is refused for another reason is not tried again, and the first reason is the one that is told`()
        async throws
    {
        for (name, count) in [("invalid_redirect_uri", 1), ("access_denied", 1), ("invalid_client_metadata", 3)] {
            let (result, asked) = try await Self.register { asked in
                .answer(
                    400,
                    #"{"error":"\#(name)","error_description":"\#(asked.body.contains("device_code") ? "first" : "later")"}"#
                )
            }
            guard case .failure(.refused(let error)) = result else {
                Issue.record("taken")
                continue
            }
            #expect(error.error == name && error.description == "first" && asked.count == count)
        }
    }

    @Test func `A refusal keeps the provider's word, and a provider that fails is asked once`() async throws {
        guard
            case .failure(.refused(let error)) = try await Self.register(
                .answer(400, #"{"error":"invalid_redirect_uri"}"#)
            ).0
        else {
            Issue.record("not refused")
            return
        }
        #expect(error.error == "invalid_redirect_uri")
        let (_, asked) = try await Self.register(.answer(503, ""))
        #expect(asked.count == 1)
    }
}
