import Glibc

/// A recursive-descent reader for RFC 8259 that decodes its input; a depth limit bounds the recursion.
struct Reader {
    private var cursor: Cursor
    private let maximumDepth: Int
    /// For checks of well-formedness only, which includes unpaired surrogates (RFC 8259 section 8.2).
    private let takesLoneSurrogates: Bool

    init(_ cursor: Cursor, maximumDepth: Int, takesLoneSurrogates: Bool = false) {
        self.cursor = cursor
        self.maximumDepth = maximumDepth
        self.takesLoneSurrogates = takesLoneSurrogates
    }

    mutating func document() throws(JSONError) -> JSONValue {
        if cursor.count >= 3, memcmp(cursor.base, "\u{FEFF}", 3) == 0 { throw cursor.wrong(.byteOrderMark) }
        let value = try value()
        cursor.skipSpace()
        guard cursor.at == cursor.count else { throw cursor.wrong(.trailingBytes) }
        return value
    }

    mutating func value(depth: Int = 0) throws(JSONError) -> JSONValue {
        cursor.skipSpace()
        guard let byte = cursor.peek else { throw cursor.wrong(.unexpectedEnd) }
        switch byte {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"):
            try cursor.word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try cursor.word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try cursor.word("null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw cursor.wrong(.unexpectedByte)
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        var members: [JSONMember] = []
        var names: Set<ExactName> = []
        try items(until: UInt8(ascii: "}"), depth: depth) { reader throws(JSONError) in
            guard reader.cursor.peek == UInt8(ascii: "\"") else {
                throw reader.cursor.wrong(reader.cursor.peek == nil ? .unexpectedEnd : .unexpectedByte)
            }
            let start = reader.cursor.at
            let name = try reader.string()
            // Compared after decoding, as escapes do not change a name.
            guard names.insert(ExactName(text: name)).inserted else {
                throw JSONError(offset: start, problem: .duplicateName)
            }
            reader.cursor.skipSpace()
            try reader.cursor.expect(UInt8(ascii: ":"))
            members.append(JSONMember(name: name, value: try reader.value(depth: depth)))
        }
        return JSONObject(members)
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        var values: [JSONValue] = []
        try items(until: UInt8(ascii: "]"), depth: depth) { reader throws(JSONError) in
            values.append(try reader.value(depth: depth))
        }
        return values
    }

    private mutating func items(
        until end: UInt8, depth: Int, _ item: (inout Self) throws(JSONError) -> Void
    ) throws(JSONError) {
        guard depth <= maximumDepth else { throw cursor.wrong(.tooDeep) }
        cursor.at += 1
        cursor.skipSpace()
        if cursor.peek == end {
            cursor.at += 1
            return
        }
        while true {
            cursor.skipSpace()
            try item(&self)
            cursor.skipSpace()
            if cursor.peek == end {
                cursor.at += 1
                return
            }
            try cursor.expect(UInt8(ascii: ","))
        }
    }

    private mutating func string() throws(JSONError) -> String {
        let (start, end) = try cursor.string()
        let bytes = UnsafeBufferPointer(start: cursor.base + start, count: end - start)
        try cursor.checkString(from: start, to: end)
        let hasEscape = bytes.contains(UInt8(ascii: "\\"))
        let text = String(validating: hasEscape ? try unescaped(bytes, at: start) : Array(bytes), as: UTF8.self)
        guard let text else { throw JSONError(offset: start, problem: .notUTF8) }
        return text
    }

    /// - Parameter bytes: of a string with valid escapes.
    private func unescaped(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) throws(JSONError) -> [UInt8] {
        var decoded: [UInt8] = []
        var place = 0
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "\\") else {
                decoded.append(bytes[place])
                place += 1
                continue
            }
            place += 2
            switch bytes[place - 1] {
            case UInt8(ascii: "b"): decoded.append(0x08)
            case UInt8(ascii: "f"): decoded.append(0x0C)
            case UInt8(ascii: "n"): decoded.append(0x0A)
            case UInt8(ascii: "r"): decoded.append(0x0D)
            case UInt8(ascii: "t"): decoded.append(0x09)
            case UInt8(ascii: "u"):
                let unit = Self.unit(bytes, at: place)
                place += 4
                var code = unit
                if (0xD800...0xDBFF).contains(unit), place + 6 <= bytes.count, bytes[place] == UInt8(ascii: "\\"),
                    bytes[place + 1] == UInt8(ascii: "u"),
                    case let low = Self.unit(bytes, at: place + 2), (0xDC00...0xDFFF).contains(low)
                {
                    code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
                    place += 6
                }
                if let scalar = Unicode.Scalar(code) {
                    decoded.append(contentsOf: String(scalar).utf8)
                } else {
                    guard takesLoneSurrogates else { throw JSONError(offset: start + place, problem: .badEscape) }
                    // The digits keep different names distinct.
                    decoded.append(contentsOf: "\u{FFFD}\(unit)".utf8)
                }
            case let itself: decoded.append(itself)
            }
        }
        return decoded
    }

    private static func unit(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 << 4 | (JSONBytes.hexDigit(bytes[place + $1]) ?? 0) }
    }

    /// No field of this program needs a number of more than 128 characters.
    private mutating func number() throws(JSONError) -> JSONNumber {
        let start = cursor.at
        try cursor.number()
        let bytes = UnsafeBufferPointer(start: cursor.base + start, count: cursor.at - start)
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.count <= 128, let value = Double(text), value.isFinite else {
            throw JSONError(offset: start, problem: .badNumber)
        }
        return JSONNumber(text: text)
    }
}

extension Reader {
    /// The range of a list in the outermost object, without its brackets, and those of its values.
    fileprivate mutating func list(named name: String) throws(JSONError) -> (list: Range<Int>, values: [Range<Int>])? {
        var found: (Range<Int>, [Range<Int>])?
        cursor.skipSpace()
        try items(until: UInt8(ascii: "}"), depth: 1) { reader throws(JSONError) in
            let matches = try reader.string() == name
            reader.cursor.skipSpace()
            try reader.cursor.expect(UInt8(ascii: ":"))
            reader.cursor.skipSpace()
            guard matches, reader.cursor.peek == UInt8(ascii: "[") else { return _ = try reader.value(depth: 1) }
            let start = reader.cursor.at + 1
            var values: [Range<Int>] = []
            try reader.items(until: UInt8(ascii: "]"), depth: 2) { reader throws(JSONError) in
                let start = reader.cursor.at
                _ = try reader.value(depth: 2)
                values.append(start..<reader.cursor.at)
            }
            found = (start..<(reader.cursor.at - 1), values)
        }
        return found
    }
}

extension JSONValue {
    /// The bytes of an object's list and of its values, to change some and keep the others.
    ///
    /// - Parameters:
    ///  - bytes: a text that was already read as an object.
    ///  - start: the offset of the object or of white space before it.
    package static func list(
        named name: String, in bytes: [UInt8], from start: Int, limits: JSONLimits
    ) -> (list: Range<Int>, values: [Range<Int>])? {
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var cursor = Cursor(base: base, count: buffer.count)
            cursor.at = start
            var reader = Reader(cursor, maximumDepth: limits.maximumDepth)
            return try? reader.list(named: name)
        }
    }
}

/// A name that is compared by bytes, so look-alikes differ.
private struct ExactName: Hashable {
    let text: String

    static func == (left: ExactName, right: ExactName) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
