package import FoundationEssentials
package import Identity
import StrictJSON

/// Native authentication of Entra External ID: sign-in, sign-up and password reset without a browser.
///
/// Each method sends one request; its result is the next step. User input is never stored here.
package struct NativeAuthentication: Sendable {
    let authority: Authority
    let clientID: String
    let correlationID: UUID
    let transport: Transport

    /// - Parameter correlationID: one for the whole sign-in.
    /// - Throws: `unsupported` unless the authority is External ID's.
    package init(authority: Authority, clientID: String, correlationID: UUID, transport: Transport) throws(WireError) {
        guard authority.kind == .ciam else { throw .unsupported("only External ID supports native sign-in") }
        self.authority = authority
        self.clientID = clientID
        self.correlationID = correlationID
        self.transport = transport
    }

    private static let challengeTypes = "oob password redirect"
    private static let capabilities = "mfa_required registration_required"

    // MARK: Sign-in

    package func signIn(username: String) async throws(WireError) -> NativeAnswer<ContinuationToken> {
        try await ask(
            "/oauth2/v2.0/initiate",
            [("username", username), ("challenge_type", Self.challengeTypes), ("capabilities", Self.capabilities)],
            Self.continuation)
    }

    /// - Parameter method: from ``methods(_:)``; nil for the provider's choice.
    package func challenge(_ continuation: ContinuationToken, method: NativeMethod? = nil) async throws(WireError)
        -> NativeAnswer<NativeChallenge>
    {
        try await ask(
            "/oauth2/v2.0/challenge",
            [
                ("continuation_token", continuation.secret.reveal()), ("challenge_type", Self.challengeTypes),
                ("id", method?.id),
            ],
            Self.challenge)
    }

    package func methods(_ continuation: ContinuationToken) async throws(WireError) -> NativeAnswer<NativeMethods> {
        try await ask("/oauth2/v2.0/introspect", [("continuation_token", continuation.secret.reveal())], Self.methods)
    }

    package func tokens(password: Secret, _ continuation: ContinuationToken, scopes: ScopeSet, claims: String? = nil)
        async throws(WireError)
        -> NativeAnswer<NativeTokens>
    {
        try await tokens("password", [("password", password.reveal())], continuation, scopes, claims)
    }

    package func tokens(
        code: Secret, _ continuation: ContinuationToken, scopes: ScopeSet, isSecondFactor: Bool = false,
        claims: String? = nil
    ) async throws(WireError) -> NativeAnswer<NativeTokens> {
        try await tokens(isSecondFactor ? "mfa_oob" : "oob", [("oob", code.reveal())], continuation, scopes, claims)
    }

    /// After a sign-up, a reset or the registration of a second factor: needs no further proof.
    package func tokens(for continuation: ContinuationToken, username: String, scopes: ScopeSet, claims: String? = nil)
        async throws(WireError)
        -> NativeAnswer<NativeTokens>
    {
        try await tokens("continuation_token", [("username", username)], continuation, scopes, claims)
    }

    // MARK: Sign-up

    /// - Parameters:
    ///   - password: nil if the account should use one-time codes.
    ///   - attributes: names and values, as required by the tenant's user flow.
    package func signUp(username: String, password: Secret? = nil, attributes: [String: String] = [:])
        async throws(WireError)
        -> NativeAnswer<ContinuationToken>
    {
        try await ask(
            "/signup/v1.0/start",
            [
                ("username", username), ("challenge_type", Self.challengeTypes), ("password", password?.reveal()),
                ("attributes", Self.text(attributes)),
            ], isSubmission: true, Self.continuation)
    }

    package func challengeSignUp(_ continuation: ContinuationToken) async throws(WireError) -> NativeAnswer<
        NativeChallenge
    > {
        try await ask(
            "/signup/v1.0/challenge",
            [("continuation_token", continuation.secret.reveal()), ("challenge_type", Self.challengeTypes)],
            Self.challenge)
    }

    package func continueSignUp(code: Secret, _ continuation: ContinuationToken) async throws(WireError)
        -> NativeAnswer<NativeSignUp>
    {
        try await continueSignUp("oob", [("oob", code.reveal())], continuation)
    }

    package func continueSignUp(password: Secret, _ continuation: ContinuationToken) async throws(WireError)
        -> NativeAnswer<NativeSignUp>
    {
        try await continueSignUp("password", [("password", password.reveal())], continuation)
    }

    package func continueSignUp(attributes: [String: String], _ continuation: ContinuationToken) async throws(WireError)
        -> NativeAnswer<NativeSignUp>
    {
        try await continueSignUp("attributes", [("attributes", Self.text(attributes))], continuation)
    }

    // MARK: Password reset

    package func resetPassword(username: String) async throws(WireError) -> NativeAnswer<ContinuationToken> {
        try await ask(
            "/resetpassword/v1.0/start", [("username", username), ("challenge_type", Self.challengeTypes)],
            Self.continuation)
    }

    package func challengeReset(_ continuation: ContinuationToken) async throws(WireError) -> NativeAnswer<
        NativeChallenge
    > {
        try await ask(
            "/resetpassword/v1.0/challenge",
            [("continuation_token", continuation.secret.reveal()), ("challenge_type", Self.challengeTypes)],
            Self.challenge)
    }

    package func continueReset(code: Secret, _ continuation: ContinuationToken) async throws(WireError) -> NativeAnswer<
        ContinuationToken
    > {
        try await ask(
            "/resetpassword/v1.0/continue",
            [("continuation_token", continuation.secret.reveal()), ("grant_type", "oob"), ("oob", code.reveal())],
            isSubmission: true,
            Self.continuation)
    }

    package func submitReset(newPassword: Secret, _ continuation: ContinuationToken) async throws(WireError)
        -> NativeAnswer<NativeReset>
    {
        try await ask(
            "/resetpassword/v1.0/submit",
            [("continuation_token", continuation.secret.reveal()), ("new_password", newPassword.reveal())],
            isSubmission: true
        ) { object in
            ContinuationToken(object).map { .wait($0, seconds: Self.seconds(object["poll_interval"], usual: 2)) }
        }
    }

    /// Checks if the new password is in effect. Wait the seconds of the last response first, and stop eventually.
    package func pollReset(_ continuation: ContinuationToken) async throws(WireError) -> NativeAnswer<NativeReset> {
        try await ask("/resetpassword/v1.0/poll_completion", [("continuation_token", continuation.secret.reveal())]) {
            object in
            switch object["status"]?.string {
            case "succeeded": .done(ContinuationToken(object))
            case "in_progress", "not_started":
                .wait(
                    ContinuationToken(object) ?? continuation, seconds: Self.seconds(object["poll_interval"], usual: 2))
            case "failed": .failed
            default: nil
            }
        }
    }

    // MARK: Registration of a second factor

    package func registrationMethods(_ continuation: ContinuationToken) async throws(WireError) -> NativeAnswer<
        NativeMethods
    > {
        try await ask("/register/v1.0/introspect", [("continuation_token", continuation.secret.reveal())], Self.methods)
    }

    /// - Parameter target: the email address or phone number for codes.
    package func challengeRegistration(_ continuation: ContinuationToken, method: NativeMethod, target: String)
        async throws(WireError)
        -> NativeAnswer<NativeChallenge>
    {
        try await ask(
            "/register/v1.0/challenge",
            [
                ("continuation_token", continuation.secret.reveal()), ("challenge_type", "oob"),
                ("challenge_target", target),
                ("challenge_channel", method.channel.isEmpty ? nil : method.channel),
            ], Self.challenge)
    }

    package func continueRegistration(code: Secret, _ continuation: ContinuationToken) async throws(WireError)
        -> NativeAnswer<ContinuationToken>
    {
        try await ask(
            "/register/v1.0/continue",
            [("continuation_token", continuation.secret.reveal()), ("grant_type", "oob"), ("oob", code.reveal())],
            isSubmission: true,
            Self.continuation)
    }

    // MARK: Requests

    private func tokens(
        _ grantType: String, _ fields: [(String, String?)], _ continuation: ContinuationToken, _ scopes: ScopeSet,
        _ claims: String?
    ) async throws(WireError) -> NativeAnswer<NativeTokens> {
        let all =
            fields + [
                ("grant_type", grantType), ("continuation_token", continuation.secret.reveal()),
                ("scope", scopes.withReserved.description),
                ("client_info", "true"), ("claims", claims),
            ]
        return try await ask("/oauth2/v2.0/token", all, isSubmission: true) { object, error throws(WireError) in
            guard let error else { return .granted(TokenGrant(object)) }
            guard let next = ContinuationToken(object) else { return nil }
            switch error.suberror {
            case "mfa_required": return .secondFactor(next)
            case "registration_required": return .registration(next)
            default: return nil
            }
        }
    }

    private func continueSignUp(_ grantType: String, _ fields: [(String, String?)], _ continuation: ContinuationToken)
        async throws(WireError) -> NativeAnswer<NativeSignUp>
    {
        let all = fields + [("grant_type", grantType), ("continuation_token", continuation.secret.reveal())]
        return try await ask("/signup/v1.0/continue", all, isSubmission: true) { object, error in
            guard let next = ContinuationToken(object) else { return nil }
            switch error?.error {
            case nil: return .done(next)
            case "credential_required": return .password(next)
            case "verification_required": return .verification(next)
            case "attributes_required":
                return .attributes(
                    next, (object["required_attributes"]?.array ?? []).prefix(64).compactMap { NativeAttribute($0) })
            default: return nil
            }
        }
    }

    private func ask<Next: Sendable>(
        _ path: String, _ fields: [(String, String?)], isSubmission: Bool = false, _ read: (JSONObject) -> Next?
    ) async throws(WireError) -> NativeAnswer<Next> {
        try await ask(path, fields, isSubmission: isSubmission) { object, error in error == nil ? read(object) : nil }
    }

    /// - Parameters:
    ///   - isSubmission: whether the request proves something; it is then sent only once, since each counts as an
    ///     attempt.
    ///   - read: returns the next step, from a response or an error that contains one; else nil.
    private func ask<Next: Sendable>(
        _ path: String, _ fields: [(String, String?)], isSubmission: Bool = false,
        _ read: (JSONObject, OAuthError?) throws(WireError) -> Next?
    ) async throws(WireError) -> NativeAnswer<Next> {
        let address: WebAddress
        do { address = try WebAddress(authority.address.text + path) } catch {
            throw .badEndpoint(name: "native authentication", error)
        }
        var body: [(name: String, value: String)] = [("client_id", clientID)]
        for (name, value) in fields { if let value { body.append((name, value)) } }
        let reply = try await transport.send(
            HTTPRequest(
                address, body: .form(body),
                headers: TokenEndpoint.entraHeaders(correlationID, product: transport.product, anchor: nil),
                resend: isSubmission ? .never : .ifUnspent))
        try reply.requireService()
        if reply.status == 404 { throw .unsupported("\(reply.host) does not support native sign-in") }
        let object = try reply.object()
        let error = reply.status == 200 ? nil : OAuthError(Claims(object), status: reply.status)
        if error == nil, reply.status != 200 {
            throw .notJSON(host: reply.host, status: reply.status, why: "an unnamed error")
        }
        if error == nil, object["challenge_type"]?.string == "redirect" {
            return .browser(reason: object["redirect_reason"]?.string.map { OAuthError.clean($0, limit: 200) })
        }
        if let next = try read(object, error) { return .next(next) }
        guard let error else { throw .untrusted(check: .nativeSignIn, detail: "unexpected response") }
        return .refused(NativeRefusal(error, attributes: Self.names(object)))
    }

    private static func continuation(_ object: JSONObject) -> ContinuationToken? { ContinuationToken(object) }

    private static func challenge(_ object: JSONObject, _ error: OAuthError?) -> NativeChallenge? {
        guard let next = ContinuationToken(object) else { return nil }
        if let error { return error.suberror == "introspect_required" ? .choose(next) : nil }
        switch object["challenge_type"]?.string {
        case "password": return .password(next)
        case "oob":
            let length = object["code_length"]?.integer.flatMap { Int(exactly: $0) }
            return .code(
                NativeCode(
                    continuation: next,
                    sentTo: OAuthError.clean(object["challenge_target_label"]?.string ?? "", limit: 200),
                    channel: OAuthError.clean(object["challenge_channel"]?.string ?? "", limit: 40),
                    length: length.flatMap { (1...64).contains($0) ? $0 : nil }))
        default: return nil
        }
    }

    private static func methods(_ object: JSONObject) -> NativeMethods? {
        guard let next = ContinuationToken(object) else { return nil }
        let methods = (object["methods"]?.array ?? []).prefix(32).compactMap { NativeMethod($0) }
        return methods.isEmpty ? nil : NativeMethods(continuation: next, methods: methods)
    }

    private static func text(_ attributes: [String: String]) -> String? {
        guard !attributes.isEmpty else { return nil }
        let members = attributes.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: .string($0.value)) }
        return JSONValue.object(JSONObject(members)).serialized()
    }

    private static func names(_ object: JSONObject) -> [String] {
        let list = object["invalid_attributes"]?.array ?? object["unverified_attributes"]?.array ?? []
        return list.prefix(64).compactMap { $0["name"]?.string.map { OAuthError.clean($0, limit: 128) } }
    }

    private static func seconds(_ value: JSONValue?, usual: Int) -> Int {
        guard let number = value?.double, number.isFinite else { return usual }
        return Int(min(max(number, 1), 60))
    }
}
