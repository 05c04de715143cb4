/// A sign-in, sign-up or password reset without a browser (native authentication of Entra External ID).
struct NativeFlow: Sendable {
    static let lifetime = 600
    static let codeLength = 8
    /// The limit for wrong codes and passwords in all steps; then a new start is needed.
    static let attempts = 5

    enum Kind: String, Sendable {
        case signIn = "oauth2"
        case signUp = "signup"
        case reset = "resetpassword"
    }

    enum Stage: Sendable, Equatable {
        case started
        case password
        case code(String)
        case secondFactor
        case secondCode(String)
        /// The address is verified; a password or attributes are missing.
        case verified
        case submitted(polls: Int)
        case done
    }

    var kind: Kind
    var clientId: String
    var username: String
    var capabilities: Set<String>
    var stage = Stage.started
    var isVerified = false
    var password: String?
    var attributes: [String: String] = [:]
    var wrong = 0
    var expiresAt: Int
}

enum PasswordRule {
    static func broken(_ password: String, username: String) -> String? {
        let bytes = password.utf8
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "password_is_invalid" }
        if password.count < 8 { return "password_too_short" }
        if password.count > 256 { return "password_too_long" }
        let lowered = password.lowercased()
        let own = username.split(separator: "@").first.map(String.init) ?? username
        if lowered.contains("password") || own.count > 3 && lowered.contains(own) { return "password_banned" }
        let kinds = [
            bytes.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) },
            bytes.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) },
            bytes.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) },
            password.contains { !($0.isASCII && ($0.isLetter || $0.isNumber)) },
        ]
        return kinds.count { $0 } < 3 ? "password_too_weak" : nil
    }

    static func check(_ password: String, of username: String) throws(OAuthErrorResponse) {
        if let rule = broken(password, username: username) { throw .passwordRefused(rule) }
    }
}

extension OAuthErrorResponse {
    static func native(
        _ error: String, _ description: String, code: Int = 0, suberror: String? = nil, more: [JSON.Member] = []
    ) -> OAuthErrorResponse {
        var refusal = OAuthErrorResponse(error, description, code: code, suberror: suberror)
        refusal.more = more
        return refusal
    }

    static func passwordRefused(_ rule: String) -> OAuthErrorResponse {
        native(
            "invalid_grant", "New password does not comply with the rules for passwords.", code: 399_246, suberror: rule
        )
    }

    static let wrongCode = native(
        "invalid_grant", "The one-time code is not the one that was sent.", code: 50181, suberror: "invalid_oob_value")
    static let outOfTurn = native("invalid_request", "The continuation token is not at this step.", code: 90100)
}

struct NativeFlows: Sendable {
    private var flows: [String: NativeFlow] = [:]

    /// The flow of a continuation token; the next step gets a new token from ``keep(_:at:)``.
    func flow(_ form: Form, _ kind: NativeFlow.Kind?, client: HostedClient, at now: Int) throws(OAuthErrorResponse) -> (
        token: String, flow: NativeFlow
    ) {
        guard let token = form["continuation_token"] else { throw .missing("continuation_token") }
        guard let flow = flows[token], flow.clientId == client.clientId, kind == nil || flow.kind == kind else {
            throw .native("invalid_grant", "The continuation token is not valid.", code: 90100)
        }
        guard flow.expiresAt > now, flow.wrong < NativeFlow.attempts else {
            throw .native("expired_token", "The continuation token has expired.", code: 552_003)
        }
        return (token, flow)
    }

    mutating func keep(_ flow: NativeFlow, at now: Int) -> String {
        let token = "ct." + RandomValue.token()
        var flow = flow
        flow.expiresAt = now + NativeFlow.lifetime
        flows[token] = flow
        return token
    }

    mutating func advance(_ token: String, _ flow: NativeFlow, at now: Int) -> JSON.Member {
        end(token)
        return JSON.Member(name: "continuation_token", value: .string(keep(flow, at: now)))
    }

    mutating func end(_ token: String) { flows[token] = nil }

    /// A wrong attempt keeps the token. Neither a new code nor another step resets the count.
    mutating func count(wrong token: String) { flows[token]?.wrong += 1 }

    mutating func check(code: String, sent: String, _ token: String) throws(OAuthErrorResponse) {
        guard code == sent else {
            count(wrong: token)
            throw .wrongCode
        }
    }

    mutating func sweep(at now: Int) {
        guard flows.count > 1000 else { return }
        flows = flows.filter { $0.value.expiresAt > now }
        // Keep half of the flows, those that expire last.
        if flows.count > 1000 {
            let last = flows.values.map(\.expiresAt).sorted()[flows.count / 2]
            flows = flows.filter { $0.value.expiresAt > last }
        }
    }
}
