// Text/ holds encodings that are independent of identity: base64url, ASCII, shell words.

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
    package var isGUID: Bool { areGUID(utf8) }

    /// A non-generic copy of the method below, for speed: cached names are compared in loops.
    package var asciiLowercased: String {
        guard utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return self }
        return String(decoding: utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Whether the bytes are the same. `==` also takes canonically equivalent characters for equal.
    package func isSameBytes(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }

    /// Whether the bytes are the same, apart from the case of ASCII letters.
    package func isSameIgnoringCase(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (one, other) = (self, other)
        return one.withUTF8 { one in
            other.withUTF8 { other in
                one.indices.allSatisfy {
                    one[$0] == other[$0] || one[$0] ^ other[$0] == 0x20 && (0x61...0x7A).contains(one[$0] | 0x20)
                }
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    package var isGUID: Bool { areGUID(self) }
}

extension Substring {
    package var isGUID: Bool { areGUID(utf8) }
    package var asciiLowercased: String { String(self).asciiLowercased }
}

extension StringProtocol {
    /// Lower case in ASCII only, independent of the locale, for cache keys and host names.
    package var asciiLowercased: String {
        String(decoding: utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension [String] {
    /// Like `joined(separator:)`, but avoids its generic metadata, which costs a process about 300,000 instructions.
    package func joined(by separator: String) -> String {
        var text = first ?? ""
        for part in dropFirst() {
            text += separator
            text += part
        }
        return text
    }
}
