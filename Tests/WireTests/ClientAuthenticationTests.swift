import FoundationEssentials
import Identity
import Proofs
import Testing

@testable import Wire

/// RFC 6749 section 2.3.1, at every endpoint that a client asks itself.
@Suite struct ClientAuthenticationTests {
    private static let secret = Secret("s3cret:+/% ü-and-long-enough")
    /// Both halves form-encoded, then base64.
    private static let basic =
        "Basic " + Data("client%2F1:s3cret%3A%2B%2F%25%20%C3%BC-and-long-enough".utf8).base64EncodedString()
    private static let granted = #"{"access_token":"at","token_type":"Bearer","expires_in":3600}"#

    private enum Request: CaseIterable { case redeem, refresh, poll, device, push, revoke }

    private static func ask(
        _ request: Request, _ method: ClientSecret.Method?, offered: [String] = [], isPublic: Bool = false,
        _ reply: StubServer.Reply
    ) async throws -> (refusal: OAuthError?, asked: StubServer.Asked?) {
        try await StubServer.open({ _ in reply }) { server async throws in
            try await Samples.transport { transport async throws in
                let origin = "http://127.0.0.1:\(server.port)"
                var metadata = try Samples.metadata(origin)
                metadata.tokenAuthenticationMethods = offered
                metadata.pushedAuthorization = try WebAddress(origin + "/par")
                let client = isPublic ? nil : ClientAuthentication(secret, method: method, metadata)
                let endpoint = TokenEndpoint(
                    metadata: metadata, clientID: "client/1", authentication: client, isEntra: false,
                    correlationID: UUID(), transport: transport)
                var refusal: OAuthError?
                do throws(WireError) {
                    var answer: TokenAnswer?
                    switch request {
                    case .redeem:
                        answer = try await endpoint.redeem(
                            code: Secret("c"), verifier: Secret("v"), redirectURI: "http://localhost", scopes: [],
                            claims: nil)
                    case .refresh:
                        answer = try await endpoint.refresh(
                            token: Secret("rt"), scopes: [], claims: nil, anchor: nil)
                    case .poll: answer = try await endpoint.poll(device: Secret("dc"))
                    case .device:
                        _ = try await DeviceCode.request(
                            metadata: metadata, clientID: "client/1", authentication: client, scopes: [], claims: nil,
                            isEntra: false, correlationID: UUID(), now: Date(), transport: transport)
                    case .push:
                        let authorization = AuthorizeRequest(
                            metadata: metadata, clientID: "client/1", redirectURI: "http://localhost", scopes: [],
                            state: "s", nonce: "n", pkce: PKCE(), prompt: nil, loginHint: nil, domainHint: nil,
                            claims: nil, isEntra: false, correlationID: UUID())
                        _ = try await PushedAuthorization.push(
                            authorization, authentication: client, correlationID: UUID(), transport: transport)
                    case .revoke:
                        _ = try await SignOutEndpoints.revoke(
                            Secret("rt"), hint: "refresh_token", clientID: "client/1", authentication: client,
                            metadata: metadata, transport: transport)
                    }
                    if case .refused(let error) = answer { refusal = error }
                } catch { if case .refused(let error) = error { refusal = error } }
                return (refusal, server.asked.first)
            }
        }
    }

    @Test(arguments: Request.allCases, [nil, ClientSecret.Method.basic, .post])
    private func `Every request has the secret once, in the header or in the body, and the client ID in the body`(
        request: Request, method: ClientSecret.Method?
    ) async throws {
        let asked = try #require(try await Self.ask(request, method, .json(Self.granted)).asked)
        #expect(asked.fields["client_id"] == "client%2F1")
        if method == .post {
            #expect(asked.fields["client_secret"] == FormEncoding.escape(Self.secret.reveal()))
            #expect(asked.header("authorization") == nil)
        } else {
            #expect(asked.header("authorization") == Self.basic && asked.count(of: "authorization") == 1)
            #expect(asked.fields["client_secret"] == nil)
        }
    }

    @Test(arguments: Request.allCases)
    private func `A public client sends no secret`(request: Request) async throws {
        let asked = try #require(try await Self.ask(request, nil, isPublic: true, .json(Self.granted)).asked)
        #expect(asked.header("authorization") == nil && asked.fields["client_secret"] == nil)
    }

    @Test(
        arguments: [
            ([], ClientSecret.Method.basic), (["client_secret_post"], .post), (["none", "client_secret_post"], .post),
            (["client_secret_post", "client_secret_basic"], .basic), (["private_key_jwt"], .basic),
        ] as [([String], ClientSecret.Method)])
    func `Without a chosen method the metadata's is used, and basic by default`(
        offered: [String], method: ClientSecret.Method
    ) throws {
        var metadata = try Samples.metadata()
        metadata.tokenAuthenticationMethods = offered
        #expect(ClientAuthentication(Self.secret, metadata).method == method)
        #expect(ClientAuthentication(Self.secret, method: .post, metadata).method == .post)
    }

    @Test(arguments: Request.allCases.filter { $0 != .revoke }, [ClientSecret.Method.basic, .post])
    private func `A secret that is echoed, plain, escaped or in base64, is in no text of the refusal`(
        request: Request, method: ClientSecret.Method
    ) async throws {
        let secret = Self.secret.reveal()
        for echo in [secret, FormEncoding.escape(secret), Self.basic, String(Self.basic.dropFirst(6))]
        where method == .basic || !echo.hasPrefix("Basic") && echo != String(Self.basic.dropFirst(6)) {
            let (refusal, _) = try await Self.ask(
                request, method,
                .answer(401, #"{"error":"invalid_client","error_description":"client \#(echo) is unknown"}"#))
            let error = try #require(refusal)
            #expect(error.hadClientSecret && error.isOfClientSecret)
            // A part of the header's value begins with the space before it.
            let shown = error.description?.replacing(" [removed]", with: "[removed]")
            #expect(shown == "client[removed] is unknown", "\(error.description ?? "")")
        }
    }

    @Test(arguments: [
        (400, #"{"error":"invalid_request","error_description":"client_secret is missing."}"#),
        (401, #"{"error":"invalid_client"}"#),
        (200, #"{"error":"incorrect_client_credentials","error_description":"The client_id is incorrect"}"#),
    ])
    func `A refresh without the secret that a provider demands does not end the refresh token`(
        status: Int, body: String
    ) async throws {
        for isPublic in [true, false] {
            let (refusal, _) = try await Self.ask(.refresh, nil, isPublic: isPublic, .answer(status, body))
            let error = try #require(refusal)
            #expect(error.isOfClientSecret && error.effect == .refused && error.hadClientSecret == !isPublic)
        }
    }

    @Test func `The methods of the metadata are read, and kept for the next process`() throws {
        var document = try Samples.object(
            """
            {"issuer":"https://id.example.org","authorization_endpoint":"https://id.example.org/a",
            "token_endpoint":"https://id.example.org/t","jwks_uri":"https://id.example.org/k",
            "token_endpoint_auth_methods_supported":["client_secret_post"]}
            """)
        for _ in 0..<2 {
            let metadata = try ProviderMetadata(document, of: try Authority("https://id.example.org", kind: .oidc))
            #expect(metadata.tokenAuthenticationMethods == ["client_secret_post"])
            document = metadata.document
        }
    }
}
