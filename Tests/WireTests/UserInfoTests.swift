import Identity
import Testing

@testable import Wire

@Suite struct UserInfoTests {
    private static func fetch(_ reply: StubServer.Reply, of idToken: IDToken?) async throws -> (
        Result<UserInfo, WireError>, [StubServer.Asked]
    ) {
        try await StubServer.open({ _ in reply }) { server async throws in
            try await Samples.transport { transport async throws in
                let metadata = try Samples.metadata("http://127.0.0.1:\(server.port)")
                let result: Result<UserInfo, WireError>
                do throws(WireError) {
                    result = .success(
                        try await UserInfo.fetch(
                            metadata: metadata, accessToken: Secret("at"), of: idToken, transport: transport))
                } catch { result = .failure(error) }
                return (result, server.asked)
            }
        }
    }

    /// The ID token of the same response, checked: there is no other way to one.
    private static func ada() async throws -> IDToken {
        try await IDTokenTests.check(try Signer.es256.token(payload: IDTokenTests.payload())).get()
    }

    @Test func `The access token goes into the header, and the claims come back`() async throws {
        let (result, asked) = try await Self.fetch(.json(#"{"sub":"ada","email":"ada@example.org"}"#), of: Self.ada())
        #expect(try result.get().claims.string("email") == "ada@example.org")
        #expect(try result.get().subject == "ada")
        #expect(asked.first?.header("authorization") == "Bearer at")
    }

    @Test(arguments: [#"{"sub":"eve"}"#, #"{"sub":"Ada"}"#, #"{"sub":"ada "}"#, #"{"sub":""}"#, #"{"sub":1}"#, "{}"])
    func `User info of another subject than the ID token's, or of none, is not used`(body: String) async throws {
        guard case .failure(let error) = try await Self.fetch(.json(body), of: Self.ada()).0 else {
            Issue.record("taken: \(body)")
            return
        }
        #expect(error.check == "user info")
    }

    @Test func `Refused user info is an error`() async throws {
        guard case .failure = try await Self.fetch(.answer(401, #"{"error":"invalid_token"}"#), of: nil).0 else {
            Issue.record("taken")
            return
        }
    }
}
