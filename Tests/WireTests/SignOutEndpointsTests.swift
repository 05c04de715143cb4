import Identity
import Testing

@testable import Wire

@Suite struct SignOutEndpointsTests {
    private static func revoke(_ reply: StubServer.Reply) async throws -> (
        Result<RevocationOutcome, WireError>, [StubServer.Asked]
    ) {
        try await StubServer.open({ _ in reply }) { server async throws in
            try await Samples.transport { transport async throws in
                let metadata = try Samples.metadata("http://127.0.0.1:\(server.port)")
                let result: Result<RevocationOutcome, WireError>
                do throws(WireError) {
                    result = .success(
                        try await SignOutEndpoints.revoke(
                            Secret("rt"), hint: "refresh_token", clientID: "c", metadata: metadata, transport: transport
                        ))
                } catch { result = .failure(error) }
                return (result, server.asked)
            }
        }
    }

    @Test func `A token is revoked by POST, and any 200 will do, whatever its body`() async throws {
        let (result, asked) = try await Self.revoke(.answer(200, "<p>", type: "text/html"))
        #expect(try result.get() == .revoked)
        #expect(asked.first?.method == "POST")
        #expect(asked.first?.target == "/revoke")
        #expect(asked.first?.fields == ["token": "rt", "token_type_hint": "refresh_token", "client_id": "c"])
    }

    @Test(arguments: [
        (400, #"{"error":"unsupported_token_type"}"#, "the provider does not revoke this kind of token"),
        (401, "", "refused (HTTP 401)"),
    ])
    func `A provider that does not revoke is said not to have`(status: Int, body: String, words: String) async throws {
        #expect(try await Self.revoke(.answer(status, body)).0.get() == .refused(words))
    }

    @Test func `After a 503 the token lives, and it can be tried again`() async throws {
        guard case .failure(let error) = try await Self.revoke(.answer(503, "", headers: ["Retry-After: 9"])).0 else {
            Issue.record("taken for done")
            return
        }
        #expect(error.mayPass)
    }

    @Test func `The end-session address has the client, and the ID token while it fits`() throws {
        let metadata = try Samples.metadata()
        let address = try #require(
            SignOutEndpoints.endSessionAddress(
                metadata: metadata, idTokenHint: Secret("e.y.J"), logoutHint: "ada@example.org", clientID: "c"))
        #expect(
            FormEncoding.decode(address.query ?? "") == [
                "client_id": "c", "logout_hint": "ada@example.org", "id_token_hint": "e.y.J",
            ])
        let long = Secret(String(repeating: "e", count: 4000))
        let plain = try #require(
            SignOutEndpoints.endSessionAddress(metadata: metadata, idTokenHint: long, logoutHint: nil, clientID: "c"))
        #expect(plain.query == "client_id=c")
    }

    @Test func `Where the browser is to come back, the address says so with a state; L4: the ID token can be left out`()
        throws
    {
        let address = try #require(
            SignOutEndpoints.endSessionAddress(
                metadata: try Samples.metadata(), idTokenHint: nil, logoutHint: nil, clientID: "c",
                postLogoutRedirectURI: "http://127.0.0.1:5/bye", state: "s"))
        #expect(
            FormEncoding.decode(address.query ?? "") == [
                "client_id": "c", "post_logout_redirect_uri": "http://127.0.0.1:5/bye", "state": "s",
            ])
        let without = SignOutEndpoints.endSessionAddress(
            metadata: try Samples.metadata(), idTokenHint: nil, logoutHint: nil, clientID: "c", state: "s")
        #expect(without?.query == "client_id=c")
    }

    @Test func `Without an end-session endpoint there is no address`() throws {
        var metadata = try Samples.metadata()
        metadata.endSession = nil
        #expect(
            SignOutEndpoints.endSessionAddress(metadata: metadata, idTokenHint: nil, logoutHint: nil, clientID: "c")
                == nil)
    }
}
