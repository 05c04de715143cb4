/// The user information of a URL (RFC 3986 section 3.2.1).
package enum PercentEncoding {
    /// - Returns: nil for an incomplete escape, and for what is not one line of text.
    package static func line(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        byte < 0x80 ? Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) } : nil
    }
}
