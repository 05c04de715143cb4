/// The forms of `--query` (JMESPath) with which scripts take members of a token out of az's answer.
package enum AzureCLIQuery: Hashable, Sendable {
    /// `accessToken`
    case member(String)
    /// `[accessToken, expiresOn]`
    case list([String])
    /// `{token: accessToken, until: expiresOn}`, in its order.
    case object([Pair])

    package struct Pair: Hashable, Sendable {
        package let key: String
        package let member: String
    }

    /// - Returns: nil for another expression, and for members that the answer does not have.
    package init?(_ text: String) {
        guard text.utf8.count <= 1000 else { return nil }
        let text = Self.trimmed(text[...])
        switch (text.first, text.last) {
        case ("[", "]"):
            let names = Self.parts(text).map { Self.name($0).flatMap(Self.known) }
            guard !names.isEmpty, !names.contains(nil) else { return nil }
            self = .list(names.compactMap(\.self))
        case ("{", "}"):
            let pairs = Self.parts(text).map { part -> Pair? in
                let sides = part.split(separator: ":", omittingEmptySubsequences: false)
                guard sides.count == 2, let key = Self.name(sides[0]), let member = Self.name(sides[1]) else {
                    return nil
                }
                return Self.known(member).map { Pair(key: key, member: $0) }
            }
            guard !pairs.isEmpty, !pairs.contains(nil) else { return nil }
            self = .object(pairs.compactMap(\.self))
        default:
            guard let name = Self.name(text).flatMap(Self.known) else { return nil }
            self = .member(name)
        }
    }

    private static func parts(_ text: Substring) -> [Substring] {
        text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
    }

    /// An identifier of JMESPath, quoted or not.
    private static func name(_ text: Substring) -> String? {
        var name = trimmed(text)
        if name.utf8.count > 2, name.first == "\"", name.last == "\"" { name = name.dropFirst().dropLast() }
        let isName = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
        }
        guard isName, let first = name.utf8.first, !(0x30...0x39).contains(first) else { return nil }
        return String(name)
    }

    private static func known(_ name: String) -> String? { AzureCLIRequest.members.contains(name) ? name : nil }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}
