// Apple's binary property list, version 00: eight bytes of magic, the objects, a table of their offsets, and a 32-byte
// trailer with the widths of offsets and references, the object count, the root object and the table's position.

extension PropertyList {
    static let binaryMagic: [UInt8] = Array("bplist0".utf8)

    /// - Throws: if the trailer, an offset, a length or a reference points outside, or if objects overlap. This limits
    ///   memory use to a small multiple of the file's size.
    /// - Parameter budget: the budget of the enclosing file; a new one by default.
    init(binary bytes: [UInt8], budget: Budget? = nil) throws(LegacyProblem.Situation) {
        let budget = budget ?? Budget(forFileOf: bytes.count)
        guard budget.spend(bytes.count) else { throw .overused }
        var reader = try BinaryReader(bytes)
        var values: [Value] = []
        values.reserveCapacity(reader.count)
        for index in 0..<reader.count { values.append(try reader.value(at: index)) }
        self.init(values: values, root: reader.root, budget: budget)
    }
}

private struct BinaryReader {
    private let bytes: [UInt8]
    let count: Int
    let root: Int
    private let offsetWidth: Int
    private let referenceWidth: Int
    private let table: Int
    /// Object bytes left to read; without overlaps they never exceed the size of the file.
    private var budget: Int

    init(_ bytes: [UInt8]) throws(LegacyProblem.Situation) {
        guard bytes.starts(with: PropertyList.binaryMagic) else { throw .unknownFormat }
        guard bytes.count >= 8 + 32 else { throw .truncated }
        guard bytes[7] == UInt8(ascii: "0") else {
            throw .version("unknown binary property list version")
        }
        let trailer = bytes.count - 32
        offsetWidth = Int(bytes[trailer + 6])
        referenceWidth = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth) else {
            throw .structure(offset: trailer + 6, what: "invalid width")
        }
        func number(_ place: Int) throws(LegacyProblem.Situation) -> Int {
            let value = bytes[place..<place + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard let number = Int(exactly: value) else { throw .structure(offset: place, what: "number too large") }
            return number
        }
        count = try number(trailer + 8)
        root = try number(trailer + 16)
        table = try number(trailer + 24)
        guard count > 0, count <= PropertyList.maximumValues else {
            throw .structure(offset: trailer + 8, what: "invalid object count")
        }
        guard root < count else {
            throw .structure(offset: trailer + 16, what: "invalid root object")
        }
        // Count and width are bounded above, so the product cannot overflow.
        guard table >= 8, table <= trailer, count * offsetWidth <= trailer - table else {
            throw .structure(offset: trailer + 24, what: "offset table beyond the end")
        }
        self.bytes = bytes
        budget = table - 8
    }

    mutating func value(at index: Int) throws(LegacyProblem.Situation) -> PropertyList.Value {
        let entry = table + index * offsetWidth
        let start = try unsigned(at: entry, width: offsetWidth)
        guard start >= 8, start < table else { throw .structure(offset: entry, what: "offset beyond the objects") }
        let low = Int(bytes[start] & 0x0F)
        try spend(1, at: start)
        switch bytes[start] >> 4 {
        case 0x0:
            switch low {
            case 0x0: return .null
            case 0x8: return .bool(false)
            case 0x9: return .bool(true)
            default: throw .structure(offset: start, what: "unknown object type")
            }
        case 0x1:
            guard low <= 4 else { throw .structure(offset: start, what: "integer too wide") }
            return .integer(try signed(at: start + 1, width: 1 << low))
        case 0x2:
            guard low == 2 || low == 3 else {
                throw .structure(offset: start, what: "invalid number width")
            }
            return .real(try real(at: start + 1, width: 1 << low))
        case 0x3:
            guard low == 3 else { throw .structure(offset: start, what: "invalid date width") }
            return .date(try real(at: start + 1, width: 8))
        case 0x4:
            let (from, length) = try extent(start, low)
            return .data(Array(try part(from, length, width: 1)))
        case 0x5:
            let (from, length) = try extent(start, low)
            let text = try part(from, length, width: 1)
            guard text.allSatisfy({ $0 < 0x80 }) else {
                throw .structure(offset: from, what: "invalid ASCII string")
            }
            return .string(String(decoding: text, as: UTF8.self))
        case 0x6:
            let (from, length) = try extent(start, low)
            let text = try part(from, length, width: 2)
            var units: [UInt16] = []
            units.reserveCapacity(length)
            for place in stride(from: text.startIndex, to: text.endIndex, by: 2) {
                units.append(UInt16(text[place]) << 8 | UInt16(text[place + 1]))
            }
            return .string(String(decoding: units, as: UTF16.self))
        case 0x7:
            let (from, length) = try extent(start, low)
            guard let text = String(validating: try part(from, length, width: 1), as: UTF8.self) else {
                throw .structure(offset: from, what: "invalid UTF-8 string")
            }
            return .string(text)
        case 0x8:
            guard low < 8 else { throw .structure(offset: start, what: "reference too wide") }
            _ = try part(start + 1, low + 1, width: 1)
            return .uid(try unsigned(at: start + 1, width: low + 1))
        case 0xA, 0xC:
            let (from, length) = try extent(start, low)
            return .array(try references(from, length))
        case 0xD:
            let (from, length) = try extent(start, low)
            let places = try references(from, length.multipliedReportingOverflow(by: 2).partialValue)
            return .dictionary((0..<length).map { PropertyList.Member(key: places[$0], value: places[$0 + length]) })
        default: throw .structure(offset: start, what: "unknown object type")
        }
    }

    /// Start and unit count of an object's content; a count of fifteen means that an integer follows.
    private mutating func extent(_ start: Int, _ low: Int) throws(LegacyProblem.Situation) -> (Int, Int) {
        guard low == 0xF else { return (start + 1, low) }
        guard start + 1 < table, bytes[start + 1] >> 4 == 1, bytes[start + 1] & 0x0F <= 3 else {
            throw .structure(offset: start + 1, what: "length is not a number")
        }
        let width = 1 << Int(bytes[start + 1] & 0x0F)
        let length = try signed(at: start + 2, width: width)
        // No content is longer than the file, so two or eight times a length cannot overflow.
        guard length >= 0, length <= Int64(table) else {
            throw .structure(offset: start + 1, what: "length beyond the objects")
        }
        return (start + 2 + width, Int(length))
    }

    private mutating func references(_ from: Int, _ count: Int) throws(LegacyProblem.Situation) -> [Int] {
        _ = try part(from, count, width: referenceWidth)
        var found: [Int] = []
        found.reserveCapacity(count)
        for index in 0..<count {
            let place = try unsigned(at: from + index * referenceWidth, width: referenceWidth)
            guard place < self.count else {
                throw .structure(offset: from + index * referenceWidth, what: "reference to a missing object")
            }
            found.append(place)
        }
        return found
    }

    private mutating func part(_ from: Int, _ count: Int, width: Int) throws(LegacyProblem.Situation) -> ArraySlice<
        UInt8
    > {
        guard from <= table, count <= (table - from) / width else {
            throw .structure(offset: from, what: "content beyond the objects")
        }
        try spend(count * width, at: from)
        return bytes[from..<from + count * width]
    }

    private mutating func spend(_ count: Int, at place: Int) throws(LegacyProblem.Situation) {
        budget -= count
        guard budget >= 0 else { throw .structure(offset: place, what: "overlapping objects") }
    }

    private func unsigned(at place: Int, width: Int) throws(LegacyProblem.Situation) -> Int {
        guard place >= 0, place + width <= bytes.count else { throw .truncated }
        let value = bytes[place..<place + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: value) else { throw .structure(offset: place, what: "number too large") }
        return number
    }

    /// One, two and four bytes are unsigned, eight are signed; the upper half of sixteen must be zero.
    private mutating func signed(at place: Int, width: Int) throws(LegacyProblem.Situation) -> Int64 {
        var field = try part(place, width, width: 1)
        if width == 16 {
            guard field.prefix(8).allSatisfy({ $0 == 0 }) else {
                throw .structure(offset: place, what: "number too large")
            }
            field = field.dropFirst(8)
        }
        return Int64(bitPattern: field.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private mutating func real(at place: Int, width: Int) throws(LegacyProblem.Situation) -> Double {
        let bits = try part(place, width, width: 1).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return width == 4 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
    }
}
