package import Identity
import StrictJSON

/// What a request carried that its answer must not show again: a provider, or a proxy in between, may say it back in
/// its error texts.
///
/// ``HTTPReply/object()`` leaves them out of every text of the answer, so that no reader of answers has to think of it.
package struct SentSecrets: Sendable {
    /// What stands where a secret was.
    static let mark = "[removed]"
    /// Parts of a secret that are at least as long are cut out too: an echo may be cut off, or begin in the middle.
    private static let leastPart = 16
    /// Shorter values say nothing, and would be found in any text.
    private static let leastWhole = 4

    /// Fields that are no secrets; whatever has another name is one, so that a new field is safe before anybody thinks
    /// of it.
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
    /// Header fields with a secret in them.
    private static let secretHeaders: Set<String> = ["authorization", "dpop", "cookie"]

    /// Members of an answer that are credentials themselves: a refresh token may well be the one that was sent.
    private static let credentials: Set<String> = [
        "access_token", "refresh_token", "id_token", "device_code", "continuation_token", "client_info", "request_uri",
    ]

    private let values: [[UInt8]]

    package static let none = SentSecrets([])

    package init(_ secrets: [Secret]) {
        // As it is, and as it stands in a form or an address.
        values = secrets.filter { $0.count >= Self.leastWhole }.flatMap { secret in
            Set([secret.reveal(), FormEncoding.escape(secret.reveal())]).map { Array($0.utf8) }
        }
    }

    init(_ request: HTTPRequest) {
        var secrets = request.headers.filter { Self.secretHeaders.contains($0.name.asciiLowercased) }.map {
            Secret($0.value)
        }
        if let bearer = request.bearer { secrets.append(bearer) }
        if case .form(let fields) = request.body {
            secrets += fields.filter { !Self.openFields.contains($0.name) }.map { Secret($0.value) }
        }
        self.init(secrets)
    }

    /// The object without them, at every depth.
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

    /// Whether a text is a word of the protocol, such as `password_too_short`: a password may be part of one by chance,
    /// and who reads the answer must still understand it.
    private static func isWord(_ text: [UInt8]) -> Bool {
        text.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// The text without them. Control characters do not hide one: whoever shows the text leaves them out.
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
