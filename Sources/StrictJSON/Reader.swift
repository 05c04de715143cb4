/// A recursive-descent reader of RFC 8259; the depth bound keeps the recursion short.
struct Reader {
    private let bytes: [UInt8]
    private let maximumDepth: Int
    /// For who only wants to know whether a text is well-formed: half of a surrogate pair is, though it stands for no
    /// character (RFC 8259 section 8.2).
    private let takesLoneSurrogates: Bool
    private(set) var offset = 0

    init(_ bytes: [UInt8], maximumDepth: Int, takesLoneSurrogates: Bool = false) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.takesLoneSurrogates = takesLoneSurrogates
    }

    mutating func document() throws(JSONError) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw JSONError(offset: 0, problem: .byteOrderMark) }
        let value = try value(depth: 0)
        skipSpace()
        guard offset == bytes.count else { throw wrong(.trailingBytes) }
        return value
    }

    mutating func value(depth: Int = 0) throws(JSONError) -> JSONValue {
        skipSpace()
        guard let byte = peek else { throw wrong(.unexpectedEnd) }
        switch byte {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw wrong(.unexpectedByte)
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        guard depth <= maximumDepth else { throw wrong(.tooDeep) }
        offset += 1
        var members: [JSONMember] = []
        var names: Set<ExactName> = []
        skipSpace()
        if peek == UInt8(ascii: "}") {
            offset += 1
            return JSONObject()
        }
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw wrong(peek == nil ? .unexpectedEnd : .unexpectedByte) }
            let start = offset
            let name = try string()
            // Compared after decoding: an escaped name is the same name.
            guard names.insert(ExactName(text: name)).inserted else {
                throw JSONError(offset: start, problem: .duplicateName)
            }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            members.append(JSONMember(name: name, value: try value(depth: depth)))
            skipSpace()
            if peek == UInt8(ascii: "}") {
                offset += 1
                return JSONObject(members)
            }
            try expect(UInt8(ascii: ","))
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= maximumDepth else { throw wrong(.tooDeep) }
        offset += 1
        var values: [JSONValue] = []
        skipSpace()
        if peek == UInt8(ascii: "]") {
            offset += 1
            return []
        }
        while true {
            values.append(try value(depth: depth))
            skipSpace()
            if peek == UInt8(ascii: "]") {
                offset += 1
                return values
            }
            try expect(UInt8(ascii: ","))
        }
    }

    private mutating func string() throws(JSONError) -> String {
        offset += 1
        let start = offset
        while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { offset += 1 }
        guard let byte = peek else { throw wrong(.unexpectedEnd) }
        guard byte >= 0x20 else { throw wrong(.controlCharacter) }
        if byte == UInt8(ascii: "\"") {
            offset += 1
            return try text(bytes[start..<(offset - 1)], at: start)
        }
        var decoded = Array(bytes[start..<offset])
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return try text(decoded[...], at: start)
            case UInt8(ascii: "\\"): try escape(into: &decoded)
            case 0..<0x20: throw wrong(.controlCharacter)
            default:
                decoded.append(byte)
                offset += 1
            }
        }
        throw wrong(.unexpectedEnd)
    }

    private func text(_ slice: ArraySlice<UInt8>, at start: Int) throws(JSONError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw JSONError(offset: start, problem: .notUTF8)
        }
        return text
    }

    private mutating func escape(into decoded: inout [UInt8]) throws(JSONError) {
        offset += 1
        guard let byte = peek else { throw wrong(.unexpectedEnd) }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(byte)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            let unit = try fourDigits()
            var code = UInt32(unit)
            if (0xD800...0xDBFF).contains(code), let low = try lowSurrogate() {
                code = 0x10000 + ((code - 0xD800) << 10) + (UInt32(low) - 0xDC00)
            }
            if let scalar = Unicode.Scalar(code) {
                decoded.append(contentsOf: String(scalar).utf8)
            } else {
                guard takesLoneSurrogates else { throw wrong(.badEscape) }
                // Its digits keep two names apart.
                decoded.append(contentsOf: "\u{FFFD}\(unit)".utf8)
            }
        default: throw JSONError(offset: offset - 1, problem: .badEscape)
        }
    }

    /// The second half of a pair; nil when something else follows, which is then still to be read.
    private mutating func lowSurrogate() throws(JSONError) -> UInt16? {
        guard peek == UInt8(ascii: "\\"), offset + 1 < bytes.count, bytes[offset + 1] == UInt8(ascii: "u") else {
            return nil
        }
        let start = offset
        offset += 2
        let unit = try fourDigits()
        if (0xDC00...0xDFFF).contains(unit) { return unit }
        offset = start
        return nil
    }

    private mutating func fourDigits() throws(JSONError) -> UInt16 {
        guard offset + 4 <= bytes.count else { throw wrong(.unexpectedEnd) }
        var code: UInt16 = 0
        for byte in bytes[offset..<(offset + 4)] {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else { throw wrong(.badEscape) }
            code = code << 4 | UInt16(digit)
        }
        offset += 4
        return code
    }

    /// RFC 8259 section 6; numbers of more than 128 characters are nothing that a field of this program can mean.
    private mutating func number() throws(JSONError) -> JSONNumber {
        let start = offset
        if peek == UInt8(ascii: "-") { offset += 1 }
        if peek == UInt8(ascii: "0") {
            offset += 1
        } else {
            try digits()
        }
        if peek == UInt8(ascii: ".") {
            offset += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            offset += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        guard text.utf8.count <= 128, let value = Double(text), value.isFinite else {
            throw JSONError(offset: start, problem: .badNumber)
        }
        return JSONNumber(text: text)
    }

    private mutating func digits() throws(JSONError) {
        let start = offset
        while let byte = peek, byte >= 0x30, byte <= 0x39 { offset += 1 }
        guard offset > start else { throw wrong(.badNumber) }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[offset...].starts(with: word.utf8) else { throw wrong(.unexpectedByte) }
        offset += word.utf8.count
        return value
    }

    private mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard let found = peek else { throw wrong(.unexpectedEnd) }
        guard found == byte else { throw wrong(.unexpectedByte) }
        offset += 1
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private func wrong(_ problem: JSONError.Problem) -> JSONError { JSONError(offset: offset, problem: problem) }
}

/// A name compared by its bytes: two names that only look the same are two.
private struct ExactName: Hashable {
    let text: String

    static func == (left: ExactName, right: ExactName) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
