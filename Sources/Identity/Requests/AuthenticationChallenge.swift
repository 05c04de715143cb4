/// One challenge of a `WWW-Authenticate` field (RFC 9110 section 11.6.1): a scheme with either one token or parameters.
package struct AuthenticationChallenge: Hashable, Sendable {
    /// As received; schemes are case-insensitive.
    package let scheme: String
    /// The credentials directly after the scheme, as for Negotiate; nil if parameters or nothing follow.
    package let token: String?
    /// In order, with lower-case unique names and unquoted values.
    package let parameters: [Parameter]

    package struct Parameter: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Maximum length of a field in bytes; claims can be large, but headers are limited everywhere.
    package static let maximumLength = 32_768
    private static let mostChallenges = 16
    private static let mostParameters = 64

    /// Parses the `WWW-Authenticate` fields of a response, in order. A field that is malformed, repeats a name, or is
    /// too long yields no challenges.
    package static func read(_ fields: [String]) -> [AuthenticationChallenge] {
        fields.prefix(mostChallenges).flatMap { read(field: $0) ?? [] }
    }

    private static func read(field: String) -> [AuthenticationChallenge]? {
        guard field.utf8.count <= maximumLength else { return nil }
        var reader = FieldReader(field)
        var challenges: [AuthenticationChallenge] = []
        while true {
            reader.skipCommas()
            if reader.isAtEnd { return challenges }
            guard challenges.count < mostChallenges, let challenge = challenge(&reader) else { return nil }
            challenges.append(challenge)
        }
    }

    private static func challenge(_ reader: inout FieldReader) -> AuthenticationChallenge? {
        guard let scheme = reader.token() else { return nil }
        guard reader.skipSpaces() || reader.isAtEndOrComma else { return nil }
        if let token = reader.token68() { return AuthenticationChallenge(scheme: scheme, token: token, parameters: []) }
        var parameters: [Parameter] = []
        while true {
            let place = reader
            // Commas separate both parameters and challenges: a name without an equals sign starts the next challenge.
            if !parameters.isEmpty || reader.isAtEndOrComma { reader.skipCommas() }
            guard let name = reader.token(), reader.equals() else {
                reader = place
                break
            }
            guard let value = reader.quoted() ?? reader.token(), parameters.count < mostParameters else { return nil }
            let folded = name.asciiLowercased
            guard !parameters.contains(where: { $0.name == folded }) else { return nil }
            parameters.append(Parameter(name: folded, value: value))
            reader.skipSpaces()
            guard reader.isAtEndOrComma else { return nil }
        }
        guard reader.isAtEndOrComma else { return nil }
        return AuthenticationChallenge(scheme: scheme, token: nil, parameters: parameters)
    }
}

private struct FieldReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    var isAtEnd: Bool { rest.isEmpty }
    var isAtEndOrComma: Bool { rest.first.map { $0 == UInt8(ascii: ",") } ?? true }

    @discardableResult mutating func skipSpaces() -> Bool {
        let before = rest.count
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
        return rest.count < before
    }

    mutating func skipCommas() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") } }

    /// `token`, section 5.6.2.
    mutating func token() -> String? {
        let found = rest.prefix(while: Self.isTokenCharacter)
        guard !found.isEmpty else { return nil }
        rest = rest.dropFirst(found.count)
        return String(decoding: found, as: UTF8.self)
    }

    /// `token68`, section 11.2; followed by a comma or the end, otherwise it is a parameter.
    mutating func token68() -> String? {
        let letters = rest.prefix { Self.isLetterOrDigit($0) || "-._~+/".utf8.contains($0) }
        let after = rest.dropFirst(letters.count)
        let padding = after.prefix { $0 == UInt8(ascii: "=") }
        let end = after.dropFirst(padding.count).drop { $0 == 0x20 || $0 == 0x09 }
        guard !letters.isEmpty, end.first.map({ $0 == UInt8(ascii: ",") }) ?? true else { return nil }
        rest = end
        return String(decoding: letters + padding, as: UTF8.self)
    }

    /// An equals sign with optional bad whitespace around it (section 5.6.3).
    mutating func equals() -> Bool {
        skipSpaces()
        guard rest.first == UInt8(ascii: "=") else { return false }
        rest.removeFirst()
        skipSpaces()
        return true
    }

    /// `quoted-string`, section 5.6.4, unquoted and unescaped.
    mutating func quoted() -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var look = rest.dropFirst()
        var bytes: [UInt8] = []
        while let byte = look.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
                rest = look
                return text
            case UInt8(ascii: "\\"):
                guard let next = look.popFirst(), Self.isText(next) else { return nil }
                bytes.append(next)
            default:
                guard Self.isText(byte) else { return nil }
                bytes.append(byte)
            }
        }
        return nil
    }

    private static func isText(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
