import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import Wire

/// RFC 7591.
@Suite struct RegistrationTests {
    private static func register(_ line: Stage.Line) async throws -> (Result<ClientRegistration.Registered, WireError>, [Stage.Asked]) {
        try await Stage.open({ _ in line }) { stage async throws in
            try await Props.transport { transport async throws in
                var metadata = try Props.metadata("http://127.0.0.1:\(stage.port)")
                metadata.registration = try WebAddress("http://127.0.0.1:\(stage.port)/register")
                let client = ClientRegistration(name: "Foyer", redirectURIs: ["http://127.0.0.1/", "http://[::1]/"], scopes: ["notes"])
                do throws(WireError) {
                    return (.success(try await client.register(metadata: metadata, transport: transport)), stage.asked)
                } catch { return (.failure(error), stage.asked) }
            }
        }
    }

    @Test func `N9: a native client without a secret registers, with the grants that it uses`() async throws {
        let (result, asked) = try await Self.register(.answer(201, #"{"client_id":"c1","client_id_issued_at":1763700000}"#))
        let client = try result.get()
        #expect(client.clientID == "c1" && client.issuedAt == Date(timeIntervalSince1970: 1_763_700_000))
        #expect(client.redirectURIs == ["http://127.0.0.1/", "http://[::1]/"])
        let body = try Props.object(try #require(asked.first).body)
        #expect(asked.first?.header("content-type") == "application/json")
        #expect(body["token_endpoint_auth_method"] == "none" && body["application_type"] == "native")
        #expect(body["response_types"] == ["code"] && body["scope"] == "notes openid profile offline_access")
        #expect(
            body["grant_types"] == ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"])
    }

    @Test(arguments: [
        #"{"client_id":"https://id.example.org/clients/a/b","client_secret":"s3cret","client_id_issued_at":"1763700000"}"#,
        #"{"client_id":"https://id.example.org/clients/a/b","client_secret_expires_at":0,"client_id_issued_at":"yesterday"}"#,
    ])
    func `An identifier may have slashes, times may be texts, and a secret that comes back is not kept`(body: String) async throws {
        let client = try await Self.register(.answer(200, body)).0.get()
        #expect(client.clientID == "https://id.example.org/clients/a/b")
        #expect(!"\(client)".contains("s3cret"))
        #expect(client.issuedAt == nil || client.issuedAt == Date(timeIntervalSince1970: 1_763_700_000))
    }

    @Test(arguments: ["{}", #"{"client_id":""}"#, #"{"client_id":5}"#, #"{"client_id":"a b"}"#, #"{"client_id":"a\u001b[2J"}"#])
    func `What could be no client is refused`(body: String) async throws {
        guard case .failure(let error) = try await Self.register(.answer(201, body)).0 else {
            Issue.record("taken")
            return
        }
        #expect(error.check == "registration")
    }

    @Test func `A refusal keeps the provider's word, and a provider that fails is asked once`() async throws {
        guard case .failure(.refused(let error)) = try await Self.register(.answer(400, #"{"error":"invalid_redirect_uri"}"#)).0 else {
            Issue.record("not refused")
            return
        }
        #expect(error.error == "invalid_redirect_uri")
        let (_, asked) = try await Self.register(.answer(503, ""))
        #expect(asked.count == 1)
    }
}
