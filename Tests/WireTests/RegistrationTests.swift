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
        (#"{"client_id":"c1","client_secret":"s3cret"}"#, ClientSecret.Method.basic),
        (#"{"client_id":"c1","client_secret":"s3cret","token_endpoint_auth_method":null}"#, .basic),
        (#"{"client_id":"c1","client_secret":"s3cret","token_endpoint_auth_method":"client_secret_post"}"#, .post),
    ])
    func `A client that must have a secret comes with it and its method, and shows it to nobody`(
        body: String, method: ClientSecret.Method
    ) async throws {
        let client = try await Self.register(.answer(201, body)).0.get()
        #expect(client.method == .secret(method) && client.secret == Secret("s3cret"))
        #expect(client.secretExpiresAt == nil && !"\(client)".contains("s3cret"))
    }

    @Test(arguments: [
        #"{"client_id":"c1","token_endpoint_auth_method":"private_key_jwt"}"#,
        #"{"client_id":"c1","client_secret":"s3cret","token_endpoint_auth_method":"client_secret_jwt"}"#,
        #"{"client_id":"c1","token_endpoint_auth_method":"client_secret_basic"}"#,
        #"{"client_id":"c1","client_secret":"a\nb","token_endpoint_auth_method":"client_secret_basic"}"#,
    ])
    func `A client that cannot authenticate is known as one`(body: String) async throws {
        let client = try await Self.register(.answer(201, body)).0.get()
        guard case .other = client.method else {
            Issue.record("\(client)")
            return
        }
        #expect(client.secret == nil)
    }

    @Test func `The end of a secret is kept, and zero means that there is none`() async throws {
        let dates: [(String, Date?)] = [("1763700000", Date(timeIntervalSince1970: 1_763_700_000)), ("0", nil)]
        for (written, date) in dates {
            let body = #"{"client_id":"c1","client_secret":"s3cret","client_secret_expires_at":\#(written)}"#
            #expect(try await Self.register(.answer(201, body)).0.get().secretExpiresAt == date)
        }
    }

    // MARK: RFC 7592

    @Test(arguments: [(204, true), (200, true), (401, false), (405, false)])
    func `A client is deleted with its own token, and only the provider's word counts`(status: Int, isDeleted: Bool)
        async throws
    {
        try await StubServer.open { asked in
            guard asked.method == "POST" else { return .answer(status, "") }
            let place = "http://\(asked.header("host") ?? "")/register/c1"
            let members = #""registration_access_token":"this.is.it","registration_client_uri":"\#(place)""#
            return .answer(201, #"{"client_id":"c1",\#(members)}"#)
        } _: { server async throws in
            try await Samples.transport { transport async throws in
                var metadata = try Samples.metadata("http://127.0.0.1:\(server.port)")
                metadata.registration = try WebAddress("http://127.0.0.1:\(server.port)/register")
                let wish = ClientRegistration(name: "Foyer", redirectURIs: ["http://127.0.0.1/"])
                let client = try await wish.register(metadata: metadata, transport: transport)
                #expect(!"\(client)".contains("this.is.it"))
                #expect(await ClientRegistration.delete(client.management, transport: transport) == isDeleted)
                let last = try #require(server.asked.last)
                #expect(last.method == "DELETE" && last.target == "/register/c1" && last.body.isEmpty)
                #expect(last.header("authorization") == "Bearer this.is.it")
            }
        }
    }

    @Test(arguments: [
        #""registration_client_uri":"https://elsewhere.example/c1","registration_access_token":"t""#,
        #""registration_client_uri":"http://127.0.0.1:1/c1","registration_access_token":"t""#,
        #""registration_access_token":"t""#, #""registration_client_uri":"not a URL","registration_access_token":"t""#,
    ])
    func `A registration token is sent to no other origin`(members: String) async throws {
        let client = try await Self.register(.answer(201, #"{"client_id":"c1",\#(members)}"#)).0.get()
        #expect(client.management == nil)
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
