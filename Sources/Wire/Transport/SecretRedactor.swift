package import Identity
import StrictJSON

/// Secrets of a request that its response must not reveal: a provider or a proxy may echo them in error messages.
/// ``HTTPReply/object()`` removes them, so other code need not handle this.
package struct SecretRedactor: Sendable {
    static let mark = "[removed]"
    /// Parts of a secret from this length are also removed: an echo can be truncated or start in the middle.
    private static let leastPart = 16
    /// Shorter values would match any text.
    private static let leastWhole = 4

    /// Fields without secrets; any other field counts as one, so new fields are safe by default.
    private static let openFields: Set<String> = [
        "client_id", "client_info", "grant_type", "scope", "redirect_uri", "response_type", "response_mode", "claims",
        "token_type",
        "token_type_hint", "code_challenge", "code_challenge_method", "prompt", "max_age", "acr_values", "dpop_jkt",
        "req_cnf", "resource",
        "audience", "username", "login_hint", "domain_hint", "instance_aware", "challenge_type", "challenge_channel",
        "challenge_target",
        "capabilities", "attributes", "id", "client-request-id", "post_logout_redirect_uri", "logout_hint",
        "ui_locales",
    ]
    private static let secretMembers = [
        "code", "code_verifier", "refresh_token", "device_code", "client_secret", "token",
    ]
    private static let secretHeaders: Set<String> = ["authorization", "dpop", "cookie"]

    /// Members of a response that are credentials: the returned refresh token may be the sent one.
    private static let credentials: Set<String> = [
        "access_token", "refresh_token", "id_token", "device_code", "continuation_token", "client_info", "request_uri",
        "client_secret", "registration_access_token",
    ]

    private let values: [[UInt8]]

    package static let none = SecretRedactor([])

    package init(_ secrets: [Secret]) {
        // Plain, and escaped as in a form or URL.
        values = secrets.filter { $0.count >= Self.leastWhole }.flatMap { secret in
            Set([secret.reveal(), FormEncoding.escape(secret.reveal())]).map { Array($0.utf8) }
        }
    }

    init(_ request: HTTPRequest) {
        var secrets = request.headers.filter { Self.secretHeaders.contains($0.name.asciiLowercased) }.map {
            Secret($0.value)
        }
        secrets += request.clientSecrets
        if let bearer = request.bearer { secrets.append(bearer) }
        secrets += request.secrets
        if case .form(let fields) = request.body {
            secrets += fields.filter { !Self.openFields.contains($0.name) }.map { Secret($0.value) }
        }
        // Some token endpoints take their fields as JSON. Registrations do, too, and read most of them back.
        if case .json(.object(let object)) = request.body {
            secrets += Self.secretMembers.compactMap { object[$0]?.string }.map { Secret($0) }
        }
        self.init(secrets)
    }

    func removed(from object: JSONObject) -> JSONObject {
        guard !values.isEmpty else { return object }
        return JSONObject(
            object.members.map { member in
                Self.credentials.contains(member.name)
                    ? member : JSONMember(name: member.name, value: removed(from: member.value))
            })
    }

    private func removed(from value: JSONValue) -> JSONValue {
        if let text = value.string {
            let rest = removed(from: text)
            return rest == text ? value : .string(rest)
        }
        if let list = value.array { return .array(list.map { removed(from: $0) }) }
        guard let object = value.object else { return value }
        return .object(JSONObject(object.members.map { JSONMember(name: $0.name, value: removed(from: $0.value)) }))
    }

    /// Protocol words, such as `password_too_short`, must stay intact even if a short password is a part of one.
    private static func isWord(_ text: [UInt8]) -> Bool {
        text.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// Also finds secrets with control characters in between, which are dropped on display.
    func removed(from text: String) -> String {
        let bytes = Array(text.utf8)
        let visible = bytes.indices.filter { bytes[$0] >= 0x20 && bytes[$0] != 0x7F }
        let shown = visible.map { bytes[$0] }
        var isSecret = [Bool](repeating: false, count: bytes.count)
        func mark(_ found: Range<Int>) {
            for index in visible[found.lowerBound]...visible[found.upperBound - 1] { isSecret[index] = true }
        }
        let isWord = Self.isWord(bytes)
        for value in values where !isWord || value.count >= Self.leastPart || value == bytes {
            let length = min(value.count, Self.leastPart)
            guard shown.count >= length else { continue }
            let parts = Set((0...(value.count - length)).lazy.map { value[$0..<($0 + length)] })
            for start in 0...(shown.count - length) where parts.contains(shown[start..<(start + length)]) {
                mark(start..<(start + length))
            }
        }
        guard isSecret.contains(true) else { return text }
        var kept: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if !isSecret[index] {
                kept.append(byte)
            } else if index == 0 || !isSecret[index - 1] {
                kept += Array(Self.mark.utf8)
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }
}
