// Text holds what names and tokens are written in, and nothing of the field: base64url, ASCII, words of a shell.

extension String {
    /// The same as for any text, without the cost of being generic: names of the cache are compared in loops.
    package var asciiLowercased: String {
        guard utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return self }
        return String(decoding: utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension StringProtocol {
    /// Whether the text has the form 8-4-4-4-12 of hexadecimal digits.
    package var isGUID: Bool {
        let groups = utf8.split(separator: UInt8(ascii: "-"), maxSplits: 5, omittingEmptySubsequences: false)
        guard groups.count == 5, groups.map(\.count) == [8, 4, 4, 4, 12] else { return false }
        return groups.allSatisfy { $0.allSatisfy { Character(UnicodeScalar($0)).isHexDigit && $0 < 0x80 } }
    }

    /// Lower-cased in ASCII only: what cache keys and host names need, whatever the locale.
    package var asciiLowercased: String {
        String(decoding: utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
