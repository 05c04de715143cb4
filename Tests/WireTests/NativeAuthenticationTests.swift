import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import Wire

/// External ID's sign-in without a browser.
@Suite struct NativeAuthenticationTests {
    private static func respond<T>(
        _ respond: @escaping @Sendable (StubServer.Asked) -> StubServer.Reply,
        _ body: (NativeAuthentication, StubServer) async throws -> T
    ) async throws -> T {
        try await StubServer.open(respond) { server async throws in
            try await Samples.transport { transport async throws in
                let authority = try Authority("http://127.0.0.1:\(server.port)/contoso.onmicrosoft.com", kind: .ciam)
                return try await body(
                    try NativeAuthentication(
                        authority: authority, clientID: "c", correlationID: UUID(), transport: transport), server)
            }
        }
    }

    private static func answers(_ lines: [String: StubServer.Reply]) -> @Sendable (StubServer.Asked) -> StubServer.Reply
    {
        { asked in lines[asked.target.replacing("/contoso.onmicrosoft.com", with: "")] ?? .answer(404, "{}") }
    }

    private static func next<Next>(_ answer: NativeAnswer<Next>) throws -> Next {
        guard case .next(let next) = answer else { throw WireError.unsupported("\(answer)") }
        return next
    }

    private static func refusal<Next>(_ answer: NativeAnswer<Next>) -> NativeRefusal? {
        if case .refused(let refusal) = answer { return refusal }
        return nil
    }

    private static let grant = #"{"access_token":"at","token_type":"Bearer","expires_in":3600,"refresh_token":"rt"}"#

    @Test func `A person signs in by a password, each answer saying what comes next`() async throws {
        try await Self.respond(
            Self.answers([
                "/oauth2/v2.0/initiate": .json(#"{"continuation_token":"t1"}"#),
                "/oauth2/v2.0/challenge": .json(#"{"continuation_token":"t2","challenge_type":"password"}"#),
                "/oauth2/v2.0/token": .json(Self.grant),
            ])
        ) { native, server async throws in
            let first = try Self.next(try await native.signIn(username: "ada@example.org"))
            guard case .password(let second) = try Self.next(try await native.challenge(first)) else {
                Issue.record("no password asked for")
                return
            }
            let tokens = try Self.next(
                try await native.tokens(password: Secret("p&w"), second, scopes: ["a"], claims: "{}"))
            guard case .granted(let grant) = tokens else {
                Issue.record("\(tokens)")
                return
            }
            #expect(grant.refreshToken?.reveal() == "rt")
            let asked = server.asked
            #expect(asked.map(\.method) == ["POST", "POST", "POST"])
            #expect(
                asked[0].fields["username"] == "ada%40example.org"
                    && asked[0].fields["challenge_type"] == "oob%20password%20redirect")
            #expect(asked[0].fields["capabilities"] == "mfa_required%20registration_required")
            #expect(asked[1].fields["continuation_token"] == "t1")
            #expect(asked[2].fields["grant_type"] == "password" && asked[2].fields["password"] == "p%26w")
            #expect(asked[2].fields["continuation_token"] == "t2" && asked[2].fields["client_info"] == "true")
            #expect(asked[2].fields["claims"] == "%7B%7D")
        }
    }

    @Test func `A one-time code is asked for with its length and where it went, cleaned`() async throws {
        let challenge =
            #"{"continuation_token":"t2","challenge_type":"oob","binding_method":"prompt","challenge_channel":"email","challenge_target_label":"a***\u001b[2J@example.org","code_length":8}"#
        try await Self.respond(
            Self.answers([
                "/oauth2/v2.0/initiate": .json(#"{"continuation_token":"t1"}"#),
                "/oauth2/v2.0/challenge": .json(challenge),
                "/oauth2/v2.0/token": .answer(
                    400,
                    #"{"error":"invalid_grant","suberror":"mfa_required","continuation_token":"t3","error_codes":[50076]}"#
                ),
                "/oauth2/v2.0/introspect": .json(
                    #"{"continuation_token":"t4","methods":[{"id":"m1","challenge_type":"oob","challenge_channel":"sms","login_hint":"+49***11"},5,{}]}"#
                ),
            ])
        ) { native, server async throws in
            let first = try Self.next(try await native.signIn(username: "ada"))
            guard case .code(let code) = try Self.next(try await native.challenge(first)) else {
                Issue.record("no code asked for")
                return
            }
            #expect(code.length == 8 && code.channel == "email" && code.sentTo == "a***[2J@example.org")
            guard
                case .secondFactor(let third) = try Self.next(
                    try await native.tokens(code: Secret("1"), code.continuation, scopes: []))
            else {
                Issue.record("no second factor asked for")
                return
            }
            let methods = try Self.next(try await native.methods(third))
            #expect(methods.methods.map(\.id) == ["m1"] && methods.methods.first?.target == "+49***11")
            _ = try await native.challenge(methods.continuation, method: methods.methods.first)
            #expect(server.asked.last?.fields["id"] == "m1" && server.asked[2].fields["grant_type"] == "oob")
        }
    }

    @Test func `A challenge that offers several ways, and one that wants a browser, are told apart`() async throws {
        try await Self.respond(
            Self.answers([
                "/oauth2/v2.0/initiate": .json(#"{"continuation_token":"t1"}"#),
                "/oauth2/v2.0/challenge": .answer(
                    400, #"{"error":"invalid_request","suberror":"introspect_required","continuation_token":"t2"}"#),
                "/signup/v1.0/start": .json(
                    #"{"challenge_type":"redirect","redirect_reason":"unsupported\u0007 attribute"}"#),
            ])
        ) { native, _ async throws in
            let first = try Self.next(try await native.signIn(username: "ada"))
            guard case .choose = try Self.next(try await native.challenge(first)) else {
                Issue.record("no choice")
                return
            }
            guard case .browser(let reason) = try await native.signUp(username: "ada") else {
                Issue.record("no browser")
                return
            }
            #expect(reason == "unsupported attribute")
        }
    }

    @Test(arguments: [
        (#"{"error":"user_not_found","error_codes":[1003037]}"#, NativeRefusal.Reason.userNotFound),
        (#"{"error":"invalid_grant","error_codes":[50034]}"#, .userNotFound),
        (#"{"error":"invalid_grant","error_codes":[50126]}"#, .wrongPassword),
        (#"{"error":"invalid_request","error_codes":[500222]}"#, .noPassword),
        (#"{"error":"invalid_grant","error_codes":[50142]}"#, .resetRequired),
        (#"{"error":"invalid_grant","suberror":"invalid_oob_value"}"#, .wrongCode),
        (#"{"error":"expired_token"}"#, .expired),
        (#"{"error":"user_already_exists"}"#, .userExists), (#"{"error":"unsupported_challenge_type"}"#, .unsupported),
        (#"{"error":"invalid_grant","suberror":"password_banned"}"#, .unfitPassword(.banned)),
        (#"{"error":"invalid_grant","suberror":"password_too_short"}"#, .unfitPassword(.tooShort)),
        (#"{"error":"invalid_grant","suberror":"attribute_validation_failed"}"#, .unfitAttributes),
        (#"{"error":"access_denied","suberror":"provider_blocked_by_rep"}"#, .blocked),
        (#"{"error":"something_else"}"#, .other),
    ])
    func `Each refusal says what the person can do`(body: String, reason: NativeRefusal.Reason) async throws {
        try await Self.respond({ _ in .answer(400, body) }) { native, server async throws in
            #expect(Self.refusal(try await native.signIn(username: "ada"))?.reason == reason)
            #expect(server.asked.count == 1)
        }
    }

    @Test func `A sign-up asks for code, password and attributes, in the provider's order`() async throws {
        try await Self.respond({ asked in
            switch (asked.target.replacing("/contoso.onmicrosoft.com", with: ""), asked.fields["grant_type"]) {
            case ("/signup/v1.0/start", _): return .json(#"{"continuation_token":"t1"}"#)
            case ("/signup/v1.0/challenge", _):
                return .json(#"{"continuation_token":"t2","challenge_type":"oob","code_length":"8"}"#)
            case ("/signup/v1.0/continue", "oob"):
                return .answer(400, #"{"error":"credential_required","continuation_token":"t3"}"#)
            case ("/signup/v1.0/continue", "password"):
                return .answer(
                    400,
                    #"{"error":"attributes_required","continuation_token":"t4","required_attributes":[{"name":"city","type":"string","required":true,"options":{"regex":".*"}},{"name":5}]}"#
                )
            case ("/signup/v1.0/continue", "attributes"): return .json(#"{"continuation_token":"t5"}"#)
            case ("/oauth2/v2.0/token", "continuation_token"): return .json(Self.grant)
            default: return .answer(404, "{}")
            }
        }) { native, server async throws in
            let first = try Self.next(try await native.signUp(username: "ada"))
            guard case .code(let code) = try Self.next(try await native.challengeSignUp(first)),
                case .password(let third) = try Self.next(
                    try await native.continueSignUp(code: Secret("12345678"), code.continuation)),
                case .attributes(let fourth, let attributes) = try Self.next(
                    try await native.continueSignUp(password: Secret("pw"), third)),
                case .done(let fifth) = try Self.next(
                    try await native.continueSignUp(attributes: ["city": "Köln"], fourth)),
                case .granted = try Self.next(try await native.tokens(for: fifth, username: "ada", scopes: ["a"]))
            else {
                Issue.record("\(server.asked.map(\.target))")
                return
            }
            #expect(code.length == nil)
            #expect(attributes == [NativeAttribute(name: "city", isRequired: true, pattern: ".*")])
            #expect(server.asked[4].fields["attributes"] == FormEncoding.escape(#"{"city":"Köln"}"#))
        }
    }

    @Test func `A password reset is submitted once and then asked about`() async throws {
        try await Self.respond(
            Self.answers([
                "/resetpassword/v1.0/start": .json(#"{"continuation_token":"t1"}"#),
                "/resetpassword/v1.0/challenge": .json(
                    #"{"continuation_token":"t2","challenge_type":"oob","code_length":6}"#),
                "/resetpassword/v1.0/continue": .json(#"{"continuation_token":"t3","expires_in":600}"#),
                "/resetpassword/v1.0/submit": .json(#"{"continuation_token":"t4","poll_interval":1000000}"#),
                "/resetpassword/v1.0/poll_completion": .json(#"{"status":"succeeded","continuation_token":"t5"}"#),
            ])
        ) { native, server async throws in
            let first = try Self.next(try await native.resetPassword(username: "ada"))
            guard case .code(let code) = try Self.next(try await native.challengeReset(first)) else {
                Issue.record("no code")
                return
            }
            let third = try Self.next(try await native.continueReset(code: Secret("1"), code.continuation))
            guard
                case .wait(let fourth, let seconds) = try Self.next(
                    try await native.submitReset(newPassword: Secret("n"), third)),
                case .done(let fifth) = try Self.next(try await native.pollReset(fourth))
            else {
                Issue.record("not submitted")
                return
            }
            #expect(seconds == 60 && fifth != nil && server.asked[3].fields["new_password"] == "n")
        }
    }

    @Test(arguments: [("failed", true), ("in_progress", false), ("not_started", false)])
    func `A reset that failed is told from one that goes on`(status: String, isFailure: Bool) async throws {
        try await Self.respond({ _ in .json(#"{"status":"\#(status)","continuation_token":"t"}"#) }) {
            native, _ async throws in
            let token = try #require(ContinuationToken(try Samples.object(#"{"continuation_token":"t"}"#)))
            switch try Self.next(try await native.pollReset(token)) {
            case .failed: #expect(isFailure)
            case .wait(_, let seconds): #expect(!isFailure && seconds == 2)
            case .done: Issue.record("done")
            }
        }
    }

    @Test(arguments: ["{}", #"{"continuation_token":5}"#, #"{"continuation_token":"a b"}"#, "[]", "<html>"])
    func `An answer that does not say how to go on is none`(body: String) async throws {
        try await Self.respond({ _ in .json(body) }) { native, _ async throws in
            let error = await Samples.error { () async throws(WireError) in _ = try await native.signIn(username: "ada")
            }
            #expect(error != nil && error?.mayPass == false)
        }
    }

    @Test func `A try is sent once, and a provider without these endpoints is said to have none`() async throws {
        try await Self.respond({ $0.target.hasSuffix("token") ? .answer(503, "") : .answer(404, "") }) {
            native, server async throws in
            let token = try #require(ContinuationToken(try Samples.object(#"{"continuation_token":"t"}"#)))
            _ = await Samples.error { () async throws(WireError) in
                _ = try await native.tokens(password: Secret("p"), token, scopes: [])
            }
            #expect(server.asked.count == 1)
            let error = await Samples.error { () async throws(WireError) in _ = try await native.signIn(username: "ada")
            }
            guard case .unsupported = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(throws: WireError.self) {
                _ = try NativeAuthentication(
                    authority: try Authority("https://login.microsoftonline.com/common"), clientID: "c",
                    correlationID: UUID(),
                    transport: native.transport)
            }
        }
    }

    @Test func `No continuation token, code or password is printed`() throws {
        let token = try #require(ContinuationToken(try Samples.object(#"{"continuation_token":"very-secret"}"#)))
        #expect(!"\(token)\(NativeChallenge.password(token))".contains("very-secret"))
    }
}
