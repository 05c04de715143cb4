/// Rejects text that is not TOML 1.0, and features that are not needed here: numbers other than integers of up to 18
/// digits, dates, lists of tables other than `[[name]]` with a bare name, keys of more than eight parts, and values
/// nested deeper than sixteen.
struct TOMLSyntax {
    private static let deepestKey = 8
    private static let deepestValue = 16
    private static let mostDigits = 18

    private let bytes: [UInt8]
    private var place: Int

    init(_ text: String) {
        bytes = Array(text.utf8)
        // Editors of other systems write a byte order mark; skip it.
        place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    mutating func check() throws(TOMLProblem) {
        try checkCharacters()
        while let byte = current {
            switch byte {
            case _ where Self.isBlank(byte), UInt8(ascii: "\n"), UInt8(ascii: "\r"): place += 1
            case UInt8(ascii: "#"): skipComment()
            case UInt8(ascii: "["):
                try header()
                try endOfLine()
            default:
                try pair(depth: 0)
                try endOfLine()
            }
        }
    }

    /// The comment after the value of a line `key = value`, with the preceding blanks; empty if there is none, nil if
    /// the line has another form.
    static func comment(ofLine line: String) -> String? {
        var syntax = TOMLSyntax(line)
        do {
            try syntax.checkCharacters()
            syntax.skipBlanks()
            try syntax.pair(depth: 0)
            let end = syntax.place
            try syntax.endOfLine()
            return String(decoding: syntax.bytes[end...], as: UTF8.self)
        } catch { return nil }
    }

    static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    // MARK: Characters

    /// Line breaks are `\n` or `\r\n`; no other control character except tab is allowed.
    private func checkCharacters() throws(TOMLProblem) {
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\t"), UInt8(ascii: "\n"): continue
            case UInt8(ascii: "\r") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n"): continue
            case 0..<0x20, 0x7F: throw problem("control character", at: index)
            default: continue
            }
        }
    }

    private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private func problem(_ what: String, at index: Int? = nil) -> TOMLProblem {
        TOMLProblem(line: bytes[..<min(index ?? place, bytes.count)].count { $0 == UInt8(ascii: "\n") } + 1, what: what)
    }

    private func starts(_ text: StaticString) -> Bool {
        bytes[place...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks() { while let byte = current, Self.isBlank(byte) { place += 1 } }

    private mutating func skipComment() { while let byte = current, byte != UInt8(ascii: "\n") { place += 1 } }

    private mutating func skipLines() {
        while let byte = current {
            if byte == UInt8(ascii: "#") {
                skipComment()
            } else if Self.isBlank(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                place += 1
            } else {
                return
            }
        }
    }

    private mutating func endOfLine() throws(TOMLProblem) {
        skipBlanks()
        if current == UInt8(ascii: "#") { skipComment() }
        _ = take(UInt8(ascii: "\r"))
        guard current == nil || take(UInt8(ascii: "\n")) else {
            throw problem("unexpected text after the value or header")
        }
    }

    // MARK: Keys

    private mutating func header() throws(TOMLProblem) {
        place += 1
        if take(UInt8(ascii: "[")) {
            let start = place
            while let byte = current, Self.isBare(byte) { place += 1 }
            guard place > start, starts("]]") else { throw problem("[[…]] must contain a bare name") }
            place += 2
            return
        }
        skipBlanks()
        try key()
        guard take(UInt8(ascii: "]")) else { throw problem("missing ] after a header") }
    }

    private mutating func pair(depth: Int) throws(TOMLProblem) {
        try key()
        guard take(UInt8(ascii: "=")) else { throw problem("missing = after a key") }
        skipBlanks()
        try value(depth: depth)
    }

    /// A key, possibly dotted, and the following blanks.
    private mutating func key() throws(TOMLProblem) {
        for _ in 0..<Self.deepestKey {
            switch current {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard !starts("\"\"\""), !starts("'''") else { throw problem("a key cannot be a multi-line string") }
                try string()
            case let byte? where Self.isBare(byte): while let byte = current, Self.isBare(byte) { place += 1 }
            default: throw problem("missing key, or a key that needs quotation marks")
            }
            skipBlanks()
            guard take(UInt8(ascii: ".")) else { return }
            skipBlanks()
        }
        throw problem("a key has more than \(Self.deepestKey) parts")
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(TOMLProblem) {
        guard depth < Self.deepestValue else { throw problem("values are nested deeper than \(Self.deepestValue)") }
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): try string()
        case UInt8(ascii: "["): try list(depth: depth)
        case UInt8(ascii: "{"): try table(depth: depth)
        case UInt8(ascii: "t") where starts("true"):
            place += 4
            try endOfValue()
        case UInt8(ascii: "f") where starts("false"):
            place += 5
            try endOfValue()
        case let byte? where Self.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"):
            try number()
            try endOfValue()
        default:
            throw problem(
                "missing or invalid value: use a \"string\", whole number, true, false, [list] or {table}")
        }
    }

    private func endOfValue() throws(TOMLProblem) {
        guard let byte = current else { return }
        let ends: [UInt8] = [
            0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "#"),
        ]
        guard ends.contains(byte) else {
            throw problem("invalid value: use a \"string\", whole number, true, false, [list] or {table}")
        }
    }

    private mutating func number() throws(TOMLProblem) {
        if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { place += 1 }
        let start = place
        var digits = 0
        while let byte = current, Self.isDigit(byte) || byte == UInt8(ascii: "_") {
            if byte == UInt8(ascii: "_") {
                guard place > start, Self.isDigit(bytes[place - 1]), place + 1 < bytes.count,
                    Self.isDigit(bytes[place + 1])
                else {
                    throw problem("a _ in a number must be between two digits")
                }
            } else {
                digits += 1
            }
            place += 1
        }
        guard digits > 0 else { throw problem("a number has no digits") }
        guard digits == 1 || bytes[start] != UInt8(ascii: "0") else { throw problem("a number cannot start with 0") }
        guard digits <= Self.mostDigits else { throw problem("a number has more than \(Self.mostDigits) digits") }
    }

    private mutating func list(depth: Int) throws(TOMLProblem) {
        place += 1
        skipLines()
        while !take(UInt8(ascii: "]")) {
            try value(depth: depth + 1)
            skipLines()
            guard take(UInt8(ascii: ",")) || current == UInt8(ascii: "]") else {
                throw problem("missing comma or ] after a list value")
            }
            skipLines()
        }
    }

    private mutating func table(depth: Int) throws(TOMLProblem) {
        place += 1
        skipBlanks()
        if take(UInt8(ascii: "}")) { return }
        while true {
            try pair(depth: depth + 1)
            skipBlanks()
            if take(UInt8(ascii: "}")) { return }
            guard take(UInt8(ascii: ",")) else {
                throw problem("missing comma or } after a table value, or a line break in the table")
            }
            skipBlanks()
        }
    }

    // MARK: Strings

    private mutating func string() throws(TOMLProblem) {
        let start = place
        guard let quote = current else { return }
        let isLong = bytes[place...].starts(with: [quote, quote, quote])
        place += isLong ? 3 : 1
        while let byte = current {
            switch byte {
            case quote where !isLong:
                place += 1
                return
            case quote:
                // A string can end in up to two quotation marks before the closing three.
                let run = bytes[place...].prefix { $0 == quote }.count
                guard run <= 5 else { throw problem("extra quotation marks after a string") }
                place += run
                if run >= 3 { return }
            case UInt8(ascii: "\n") where !isLong: throw problem("unterminated string", at: start)
            case UInt8(ascii: "\\") where quote == UInt8(ascii: "\""): try escape(isLong: isLong)
            default: place += 1
            }
        }
        throw problem("unterminated string", at: start)
    }

    private mutating func escape(isLong: Bool) throws(TOMLProblem) {
        place += 1
        switch current {
        case UInt8(ascii: "b"), UInt8(ascii: "t"), UInt8(ascii: "n"), UInt8(ascii: "f"), UInt8(ascii: "r"),
            UInt8(ascii: "\""),
            UInt8(ascii: "\\"):
            place += 1
        case UInt8(ascii: "u"): try scalar(digits: 4)
        case UInt8(ascii: "U"): try scalar(digits: 8)
        case let byte? where isLong && (Self.isBlank(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")):
            skipBlanks()
            _ = take(UInt8(ascii: "\r"))
            guard take(UInt8(ascii: "\n")) else {
                throw problem("a \\ followed by spaces must end the line")
            }
        default: throw problem("unknown escape; for a literal \\ use a '…' string")
        }
    }

    private mutating func scalar(digits: Int) throws(TOMLProblem) {
        place += 1
        let text = String(decoding: bytes[place...].prefix(digits), as: UTF8.self)
        guard text.utf8.count == digits, text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let value = UInt32(text, radix: 16), UnicodeScalar(value) != nil, value != 0
        else { throw problem("invalid \\u escape") }
        place += digits
    }
}

extension StrictTOML {
    /// The comment of a line `key = value`, with the preceding blanks; empty if there is none, nil if the line has
    /// another form or its value continues on the next line.
    package static func comment(ofLine line: String) -> String? { TOMLSyntax.comment(ofLine: line) }
}
