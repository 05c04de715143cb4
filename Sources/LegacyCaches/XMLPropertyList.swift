// XML property lists, as written by `plutil -convert xml1` and keychain exporters. Without custom document types,
// namespaces, or entities other than XML's five and numeric ones. A dictionary with only `CF$UID` is a reference.

extension PropertyList {
    private static let maximumDepth = 64

    /// - Parameter bytes: UTF-8, starting at the first character.
    /// - Throws: at the first unexpected content, with its byte offset.
    init(xml bytes: [UInt8]) throws(LegacyProblem.Situation) {
        var reader = XMLReader(bytes)
        var values: [Value] = []
        var open: [Container] = []
        var root: Int?
        while true {
            guard let tag = try reader.nextTag() else {
                if open.isEmpty, root != nil { break }
                throw .truncated
            }
            if tag.name == "plist" {
                if tag.isEnd, open.isEmpty, root != nil { break }
                guard !tag.isEnd, open.isEmpty, root == nil else { throw reader.problem("misplaced <plist>") }
                continue
            }
            guard root == nil else { throw reader.problem("second root value") }
            guard values.count < Self.maximumValues else { throw .tooMany }
            let value: Value
            switch (tag.name, tag.isEnd) {
            case ("dict", false) where !tag.isEmpty, ("array", false) where !tag.isEmpty:
                guard open.count < Self.maximumDepth else { throw reader.problem("values nested too deeply") }
                open.append(Container(isDictionary: tag.name == "dict"))
                continue
            case ("dict", false): value = .dictionary([])
            case ("array", false): value = .array([])
            case ("dict", true), ("array", true):
                guard let last = open.popLast(), last.isDictionary == (tag.name == "dict"), last.key == nil else {
                    throw reader.problem("unmatched </\(tag.name)>")
                }
                value = last.value(values)
            case ("key", false):
                guard let place = open.indices.last, open[place].isDictionary, open[place].key == nil else {
                    throw reader.problem("misplaced <key>")
                }
                open[place].key = values.count
                values.append(.string(tag.isEmpty ? "" : try reader.text(closing: "key")))
                continue
            case (_, true): throw reader.problem("unmatched closing tag")
            case (let name, false):
                value = try Self.scalar(name, tag.isEmpty ? "" : try reader.text(closing: name), reader)
            }
            let place = values.count
            values.append(value)
            guard let container = open.indices.last else {
                root = place
                continue
            }
            if open[container].isDictionary {
                guard let key = open[container].key else { throw reader.problem("value without a <key>") }
                open[container].pairs.append(Member(key: key, value: place))
                open[container].key = nil
            } else {
                open[container].places.append(place)
            }
        }
        guard let root else { throw .truncated }
        self.init(values: values, root: root, budget: Budget(forFileOf: bytes.count))
    }

    /// A dictionary or array that is still open.
    private struct Container {
        let isDictionary: Bool
        var key: Int?
        var pairs: [Member] = []
        var places: [Int] = []

        init(isDictionary: Bool) { self.isDictionary = isDictionary }

        func value(_ values: [Value]) -> Value {
            guard isDictionary else { return .array(places) }
            if pairs.count == 1, values[pairs[0].key] == .string("CF$UID"),
                case .integer(let number) = values[pairs[0].value],
                let place = Int(exactly: number), place >= 0
            {
                return .uid(place)
            }
            return .dictionary(pairs)
        }
    }

    private static func scalar(_ name: String, _ text: String, _ reader: XMLReader) throws(LegacyProblem.Situation)
        -> Value
    {
        let trimmed = String(
            decoding: text.utf8.drop(while: LegacyText.isWhitespace).reversed().drop(while: LegacyText.isWhitespace)
                .reversed(),
            as: UTF8.self)
        switch name {
        case "string": return .string(text)
        case "true" where trimmed.isEmpty: return .bool(true)
        case "false" where trimmed.isEmpty: return .bool(false)
        case "integer":
            guard let number = Int64(trimmed) else { throw reader.problem("invalid integer") }
            return .integer(number)
        case "real":
            guard let number = Double(trimmed), number.isFinite else { throw reader.problem("invalid number") }
            return .real(number)
        case "date":
            guard let time = LegacyTime(trimmed), time.isUTC else { throw reader.problem("invalid date") }
            return .date(time.secondsInUTC - KeyedArchive.secondsTo2001)
        case "data":
            guard let bytes = LegacyText.base64(text) else { throw reader.problem("data is not base64") }
            return .data(bytes)
        default: throw reader.problem("invalid property list element")
        }
    }
}

private struct XMLReader {
    struct Tag {
        let name: String
        let isEnd: Bool
        let isEmpty: Bool
    }

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func problem(_ what: String) -> LegacyProblem.Situation { .structure(offset: place, what: what) }

    /// The next tag; nil at the end. Skips declarations and comments; throws for text other than whitespace.
    mutating func nextTag() throws(LegacyProblem.Situation) -> Tag? {
        while true {
            while place < bytes.count, LegacyText.isWhitespace(bytes[place]) { place += 1 }
            guard place < bytes.count else { return nil }
            guard bytes[place] == UInt8(ascii: "<") else { throw problem("text between the elements") }
            if starts("<!--") {
                guard try skip(past: "-->") else { throw .truncated }
            } else if starts("<?") {
                guard try skip(past: "?>") else { throw .truncated }
            } else if starts("<!") {
                let start = place
                guard try skip(past: ">") else { throw .truncated }
                // An internal subset could define entities.
                guard !bytes[start..<place].contains(UInt8(ascii: "[")) else {
                    throw problem("document type with an internal subset")
                }
            } else {
                let start = place + 1
                guard try skip(past: ">") else { throw .truncated }
                return try tag(bytes[start..<place - 1])
            }
        }
    }

    private func tag(_ content: ArraySlice<UInt8>) throws(LegacyProblem.Situation) -> Tag {
        let isEnd = content.first == UInt8(ascii: "/")
        let isEmpty = content.last == UInt8(ascii: "/") && !isEnd
        let name = (isEnd ? content.dropFirst() : content).prefix { (0x61...0x7A).contains($0) }
        let rest = content[name.endIndex...].dropLast(isEmpty ? 1 : 0)
        // Only <plist version="1.0"> has an attribute.
        guard !name.isEmpty, rest.allSatisfy(LegacyText.isWhitespace) || name.elementsEqual("plist".utf8) else {
            throw problem("invalid property list tag")
        }
        return Tag(name: String(decoding: name, as: UTF8.self), isEnd: isEnd, isEmpty: isEmpty)
    }

    /// The text up to the closing tag, with references replaced.
    mutating func text(closing name: String) throws(LegacyProblem.Situation) -> String {
        var found: [UInt8] = []
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "<"):
                if starts("<![CDATA[") {
                    let start = place + 9
                    guard try skip(past: "]]>") else { throw .truncated }
                    found += bytes[start..<Swift.max(start, place - 3)]
                    continue
                }
                guard let tag = try nextTag(), tag.isEnd, tag.name == name else {
                    throw problem("unterminated text")
                }
                guard let text = String(validating: found, as: UTF8.self) else {
                    throw problem("text is not UTF-8")
                }
                return text
            case UInt8(ascii: "&"): found += try reference()
            default:
                found.append(byte)
                place += 1
            }
        }
        throw .truncated
    }

    private mutating func reference() throws(LegacyProblem.Situation) -> [UInt8] {
        let start = place + 1
        guard let end = bytes[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
            throw problem("unterminated reference")
        }
        let name = String(decoding: bytes[start..<end], as: UTF8.self)
        place = end + 1
        switch name {
        case "amp": return Array("&".utf8)
        case "lt": return Array("<".utf8)
        case "gt": return Array(">".utf8)
        case "quot": return Array("\"".utf8)
        case "apos": return Array("'".utf8)
        default:
            let digits = name.dropFirst(name.hasPrefix("#x") ? 2 : 1)
            guard name.hasPrefix("#"), digits.first != "+",
                let number = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10), number > 0,
                let scalar = UnicodeScalar(number)
            else { throw problem("unknown entity") }
            return Array(String(Character(scalar)).utf8)
        }
    }

    private func starts(_ text: StaticString) -> Bool { bytes[place...].starts(with: text.description.utf8) }

    /// Moves past the text; false if it is not found.
    private mutating func skip(past text: String) throws(LegacyProblem.Situation) -> Bool {
        let wanted = Array(text.utf8)
        while place + wanted.count <= bytes.count {
            if bytes[place] == wanted[0], bytes[place..<place + wanted.count].elementsEqual(wanted) {
                place += wanted.count
                return true
            }
            place += 1
        }
        return false
    }
}
