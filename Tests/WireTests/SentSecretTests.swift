import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import Wire

/// Whatever a provider says back of a request, nobody is shown it.
@Suite struct SentSecretTests {
    private static let code = "0.AXEA-authorization-code-of-a-person"
    private static let verifier = "verifier-verifier-verifier-verifier-verifier-43"
    private static let refreshToken = "1.refresh/token+with=characters&that%are escaped-in-forms"
    private static let password = "S3cret!pass"
    private static let oneTime = "48151623"

    private static func endpoint(_ server: StubServer, _ transport: Transport, isEntra: Bool = true) throws
        -> TokenEndpoint
    {
        TokenEndpoint(
            metadata: try Samples.metadata("http://127.0.0.1:\(server.port)"), clientID: "the-client", isEntra: isEntra,
            correlationID: UUID(),
            transport: transport)
    }

    private static func refusal(_ reply: StubServer.Reply) async throws -> OAuthError {
        try await StubServer.open({ _ in reply }) { server async throws in
            try await Samples.transport { transport async throws in
                let answer = try await endpoint(server, transport, isEntra: false).refresh(
                    token: Secret(refreshToken), scopes: ["a"], claims: nil, anchor: nil)
                guard case .refused(let error) = answer else { throw WireError.cancelled }
                return error
            }
        }
    }

    private static func quoted(_ text: String) -> String { JSONValue.string(text).serialized() }

    @Test(arguments: [
        refreshToken, FormEncoding.escape(refreshToken), "the first half: " + refreshToken.prefix(24),
        String(refreshToken.dropFirst(20)),
        refreshToken.map { "\($0)\u{7}" }.joined(), String(repeating: "x", count: 990) + refreshToken,
        "token \(refreshToken) is over",
    ])
    func `A refresh token that is said back stands in no text of the refusal`(said: String) async throws {
        let text = Self.quoted(said)
        for reply in [
            StubServer.Reply.answer(
                400,
                #"{"error":"invalid_grant","error_description":\#(text),"suberror":\#(text),"correlation_id":\#(text),"claims":\#(Self.quoted("{\"a\":\(text)}"))}"#
            ),
            .answer(400, #"{"error":\#(text)}"#), .answer(401, #"{"detail":\#(text)}"#),
            .answer(400, "error=" + FormEncoding.escape(said) + "&error_description=" + FormEncoding.escape(said)),
            .answer(200, #"{"error":"invalid_grant","error_description":\#(text)}"#),
        ] {
            let error = try await Self.refusal(reply)
            let shown = [error.error, error.description, error.suberror, error.correlationID, error.claims].compactMap(
                \.self
            ).joined(
                separator: " ")
            for part in [
                Self.refreshToken.prefix(16), Self.refreshToken.suffix(16), Self.refreshToken.dropFirst(8).prefix(16),
            ] {
                #expect(!shown.contains(part), "\(shown)")
                #expect(!shown.contains(FormEncoding.escape(String(part))), "\(shown)")
            }
        }
    }

    @Test func `What is no secret stays: the client, the scope and the redirect URI`() async throws {
        let error = try await StubServer.open({ asked in
            .answer(
                400,
                #"{"error":"invalid_request","error_description":\#(Self.quoted(asked.body.replacing("%", with: "")))}"#
            )
        }) { server async throws in
            try await Samples.transport { transport async throws in
                let answer = try await Self.endpoint(server, transport).redeem(
                    code: Secret(Self.code), verifier: Secret(Self.verifier), redirectURI: "http://localhost:5000",
                    scopes: ["Mail.Read"],
                    claims: nil)
                guard case .refused(let error) = answer else { throw WireError.cancelled }
                return error
            }
        }
        let text = try #require(error.description)
        #expect(
            text.contains("the-client") && text.contains("localhost") && text.contains("Mail.Read")
                && text.contains(SecretRedactor.mark))
        #expect(!text.contains(Self.code) && !text.contains(Self.verifier))
    }

    @Test func `What a person typed is said back by nobody`() async throws {
        func refused(_ ask: @escaping @Sendable (NativeAuthentication, ContinuationToken) async throws -> OAuthError?)
            async throws
            -> String
        {
            try await StubServer.open({ asked in
                let said = Self.quoted("\(Self.password) \(Self.oneTime) cont-token-1234567890")
                return .answer(400, #"{"error":"invalid_grant","error_description":\#(said)}"#)
            }) { server async throws in
                try await Samples.transport { transport async throws in
                    let native = try NativeAuthentication(
                        authority: try Authority("http://127.0.0.1:\(server.port)/tenant", kind: .ciam), clientID: "c",
                        correlationID: UUID(),
                        transport: transport)
                    let token = try #require(
                        ContinuationToken(try Samples.object(#"{"continuation_token":"cont-token-1234567890"}"#)))
                    return try #require(try await ask(native, token)?.description)
                }
            }
        }
        let byPassword = try await refused { native, token in
            guard
                case .refused(let refusal) = try await native.tokens(
                    password: Secret(Self.password), token, scopes: ["a"])
            else {
                return nil
            }
            return refusal.error
        }
        #expect(
            !byPassword.contains(Self.password) && !byPassword.contains("cont-token")
                && byPassword.contains(Self.oneTime))
        let byCode = try await refused { native, token in
            guard case .refused(let refusal) = try await native.tokens(code: Secret(Self.oneTime), token, scopes: ["a"])
            else { return nil }
            return refusal.error
        }
        #expect(!byCode.contains(Self.oneTime))
    }

    @Test func `A password that is part of a word of the protocol leaves the word as it is`() throws {
        let sent = SecretRedactor([Secret("short"), Secret("grant")])
        let object = sent.removed(
            from: try Samples.object(
                #"{"error":"invalid_grant","suberror":"password_too_short","error_description":"short is too short"}"#))
        #expect(object["error"]?.string == "invalid_grant" && object["suberror"]?.string == "password_too_short")
        #expect(object["error_description"]?.string == "\(SecretRedactor.mark) is too \(SecretRedactor.mark)")
        #expect(sent.removed(from: "short") == SecretRedactor.mark)
    }

    @Test func `A refresh token that is given again is kept`() async throws {
        let body =
            #"{"access_token":"at","token_type":"Bearer","refresh_token":\#(Self.quoted("the-same-refresh-token-as-before"))}"#
        try await StubServer.open({ _ in .json(body) }) { server async throws in
            try await Samples.transport { transport async throws in
                let answer = try await Self.endpoint(server, transport).refresh(
                    token: Secret("the-same-refresh-token-as-before"), scopes: ["a"], claims: nil, anchor: nil)
                guard case .granted(let grant) = answer else {
                    Issue.record("\(answer)")
                    return
                }
                #expect(grant.refreshToken?.reveal() == "the-same-refresh-token-as-before")
            }
        }
    }

    @Test func `A redirect that says the state back does not show it`() throws {
        let state = "the-state-of-this-request-0123456789"
        let expectation = AuthorizationExpectation(state: state, metadata: try Samples.metadata())
        guard
            case .refused(let error) = try expectation.answer([
                "state": state, "error": "access_denied", "error_description": "no to \(state)",
            ])
        else {
            Issue.record("taken")
            return
        }
        #expect(error.description == "no to \(SecretRedactor.mark)")
    }

    @Test(arguments: ["{", "5", "not json", "[]", #"{"a":1,"a":2}"#])
    func `What is no claims request is none, and does not stand in the way`(text: String) {
        #expect(OAuthError(error: "interaction_required", claims: text).claims == nil)
        #expect(
            OAuthError(error: "interaction_required", claims: #"{"access_token":{}}"#).claims == #"{"access_token":{}}"#
        )
    }
}
