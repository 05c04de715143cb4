// Text holds what names and tokens are written in, and nothing of the field: base64url, ASCII, words of a shell.

/// Groups of 8, 4, 4, 4 and 12 hexadecimal digits with hyphens between them.
@inline(__always)
private func areGUID(_ bytes: some Sequence<UInt8>) -> Bool {
    var count = 0
    for byte in bytes {
        switch count {
        case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
        case 0..<36:
            switch byte {
            case 0x30...0x39, 0x41...0x46, 0x61...0x66: break
            default: return false
            }
        default: return false
        }
        count += 1
    }
    return count == 36
}

extension String {
    /// Whether the text has the form 8-4-4-4-12 of hexadecimal digits.
    package var isGUID: Bool { areGUID(utf8) }

    /// The same as for any text, without the cost of being generic: names of the cache are compared in loops.
    package var asciiLowercased: String {
        guard utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return self }
        return String(decoding: utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension Substring {
    /// Whether the text has the form 8-4-4-4-12 of hexadecimal digits.
    package var isGUID: Bool { areGUID(utf8) }
}

extension StringProtocol {
    /// Lower-cased in ASCII only: what cache keys and host names need, whatever the locale.
    package var asciiLowercased: String {
        String(decoding: utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension [String] {
    /// As `joined(separator:)`, whose generic metadata costs a process a third of a million instructions.
    package func joined(by separator: String) -> String {
        var text = first ?? ""
        for part in dropFirst() {
            text += separator
            text += part
        }
        return text
    }
}
