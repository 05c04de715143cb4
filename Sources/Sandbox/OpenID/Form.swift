import FoundationEssentials

/// The pairs of a query or form body, in their original order (`application/x-www-form-urlencoded`).
struct Form: Sendable, Equatable {
    var pairs: [(name: String, value: String)] = []

    init() {}

    init(_ pairs: [(String, String?)]) {
        self.pairs = pairs.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Reads at most 256 pairs. Like browsers, keeps a percent sign that is not followed by two hex digits.
    init(parsing text: some StringProtocol) {
        for piece in text.split(separator: "&").prefix(256) {
            let halves = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            pairs.append((Form.decode(halves[0]), halves.count > 1 ? Form.decode(halves[1]) : ""))
        }
    }

    /// The first value; an empty one counts as missing (RFC 6749 section 3.1).
    subscript(name: String) -> String? {
        guard let value = pairs.first(where: { $0.name == name })?.value, !value.isEmpty else { return nil }
        return value
    }

    func has(_ name: String) -> Bool { pairs.contains { $0.name == name } }
    func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    mutating func set(_ name: String, _ value: String?) {
        pairs.removeAll { $0.name == name }
        if let value { pairs.append((name, value)) }
    }

    var encoded: String { pairs.map { Form.encode($0.name) + "=" + Form.encode($0.value) }.joined(separator: "&") }

    /// The URL with these pairs added to its existing query (RFC 6749 section 3.1.2).
    func appended(to url: String) -> String { pairs.isEmpty ? url : url + (url.contains("?") ? "&" : "?") + encoded }

    static func == (left: Form, right: Form) -> Bool { left.encoded == right.encoded }

    static func encode(_ text: String) -> String {
        var out = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                out.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                out += hex.count == 1 ? "%0" + hex : "%" + hex
            }
        }
        return out
    }

    private static func decode(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        let source = Array(text.utf8)
        var index = 0
        while index < source.count {
            let byte = source[index]
            if byte == UInt8(ascii: "+") {
                bytes.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), index + 2 < source.count, let high = nibble(source[index + 1]),
                let low = nibble(source[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 2
            } else {
                bytes.append(byte)
            }
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
