import StrictJSON

/// `application/x-www-form-urlencoded` (RFC 6749 appendix B) and query strings.
package enum FormEncoding {
    package static func encode(_ fields: [(name: String, value: String)]) -> String {
        fields.map { escape($0.name) + "=" + escape($0.value) }.joined(separator: "&")
    }

    /// The fields as a JSON object of strings.
    static func object(_ fields: [(name: String, value: String)]) -> JSONValue {
        .object(JSONObject(fields.map { JSONMember(name: $0.name, value: .string($0.value)) }))
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986. Forms and queries both accept `%20`.
    package static func escape(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                escaped.append(byte)
            } else {
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Nil for a broken escape, invalid UTF-8, over 64 fields, or a repeated name (RFC 6749 section 3.1).
    package static func decode(_ query: String) -> [String: String]? {
        var fields: [String: String] = [:]
        for (index, pair) in query.split(separator: "&").enumerated() {
            guard index < 64 else { return nil }
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = unescape(parts[0]), let value = unescape(parts.count == 2 ? parts[1] : ""),
                fields[name] == nil
            else {
                return nil
            }
            fields[name] = value
        }
        return fields
    }

    private static func unescape(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        byte < 0x80 ? Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) } : nil
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
