/// The positions of the members on the first three levels of a JSON object, found without decoding.
///
/// This reads a large text in a few milliseconds when only one entry is needed, and writes unchanged parts back byte
/// for byte. It checks the whole text: UTF-8, balanced and well-formed tokens, nothing after the end, bounded depth,
/// and no duplicate names on the first two levels. The contents of strings and duplicate names on deeper levels are
/// checked with `strictly`, and for each string when it is decoded.
package final class JSONOutline: Sendable {
    /// A member of an object. Offsets count bytes of the text.
    package struct Node: Sendable {
        /// The first byte of the name after its quote, and the closing quote.
        var nameStart, nameEnd: UInt32
        var valueStart, valueEnd: UInt32
        /// The members of the value, as indices into the next level.
        var firstChild, endChild: UInt32
        var nameHasEscape: Bool
        /// Whether member names of the value are equal, or must be decoded to compare them.
        var needsCare: Bool
    }

    package let bytes: [UInt8]
    let first: [Node], second: [Node], third: [Node]
    /// From the object's opening to its closing brace.
    package let root: Range<Int>

    /// - Parameters:
    ///  - bytes: the text of a JSON object.
    ///  - strictly: also checks what is otherwise deferred, so that the text can be written back. Strings with an
    ///    unpaired surrogate are allowed: they are kept, although ``isDecodable(_:)`` is false for them.
    ///  - screen: the result of checking exactly these bytes while reading them; nil checks them now.
    /// - Throws: ``JSONError`` for anything that RFC 8259 does not allow and beyond the limits; `notAnObject` for other
    ///   values.
    package init(_ bytes: [UInt8], limits: JSONLimits, strictly: Bool = false, screen: JSONByteScan? = nil)
        throws(JSONError)
    {
        // Offsets are 32 bits.
        guard bytes.count <= limits.maximumBytes, bytes.count < Int(UInt32.max) else {
            throw JSONError(offset: limits.maximumBytes, problem: .tooLarge)
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw JSONError(offset: 0, problem: .byteOrderMark) }
        try JSONBytes.check(bytes, screen)
        var skimmer = OutlineScanner(maximumDepth: limits.maximumDepth, strictly: strictly)
        root = try skimmer.skim(bytes)
        self.bytes = bytes
        first = skimmer.first
        second = skimmer.second
        third = skimmer.third
    }

    /// A part of a section, with only the entries that ``JSONEntryReader`` found.
    init(piece bytes: [UInt8], entries: [Node], fields: [Node]) {
        self.bytes = bytes
        root = 0..<0
        first = []
        second = entries
        third = fields
    }

    package var sections: ArraySlice<Node> { first[...] }

    /// The entries of a section; empty if its value is not an object.
    package func entries(of section: Node) -> ArraySlice<Node> {
        second[Int(section.firstChild)..<Int(section.endChild)]
    }

    /// The fields of an entry; empty if its value is not an object.
    package func fields(of entry: Node) -> ArraySlice<Node> { third[Int(entry.firstChild)..<Int(entry.endChild)] }

    package func section(named name: StaticString) -> Node? { first.first { isNamed($0, name) } }

    /// The field with this name; nil if it is missing or duplicate, as readers may disagree about duplicates.
    package func field(_ name: StaticString, of entry: Node) -> Node? {
        let length = UInt32(truncatingIfNeeded: name.utf8CodeUnitCount)
        var found: Node?
        return third.withUnsafeBufferPointer { nodes in
            for index in Int(entry.firstChild)..<Int(entry.endChild) {
                guard nodes[index].nameEnd &- nodes[index].nameStart == length || nodes[index].nameHasEscape,
                    isNamed(nodes[index], name)
                else { continue }
                if !entry.needsCare { return nodes[index] }
                guard found == nil else { return nil }
                found = nodes[index]
            }
            return found
        }
    }

    package func entry(at index: Int) -> Node { second[index] }

    /// Whether the values are strings with the same source bytes.
    package func isSameSource(_ left: Node, _ right: Node) -> Bool {
        JSONBytes.isEqual(bytes, Int(left.valueStart)..<Int(left.valueEnd), Int(right.valueStart)..<Int(right.valueEnd))
    }

    /// Like ``isSameSource(_:_:)``, apart from the case of ASCII letters.
    package func isSameSourceIgnoringCase(_ left: Node, _ right: Node) -> Bool {
        let text = Array(source(of: left))
        return Int(right.valueEnd - right.valueStart) == text.count
            && JSONBytes.isEqualIgnoringCase(bytes, Int(right.valueStart), text)
    }

    /// The bytes of a string as written, without its quotes.
    package func inner(of node: Node) -> ArraySlice<UInt8> { source(of: node).dropFirst().dropLast() }

    func hasEscape(_ node: Node) -> Bool {
        JSONBytes.firstBackslash(bytes, Int(node.valueStart), Int(node.valueEnd)) != nil
    }

    package func isObject(_ node: Node) -> Bool { bytes[Int(node.valueStart)] == UInt8(ascii: "{") }
    package func isNull(_ node: Node) -> Bool { bytes[Int(node.valueStart)] == UInt8(ascii: "n") }
    package func isString(_ node: Node) -> Bool { bytes[Int(node.valueStart)] == UInt8(ascii: "\"") }

    package func source(of node: Node) -> ArraySlice<UInt8> { bytes[Int(node.valueStart)..<Int(node.valueEnd)] }

    package func name(of node: Node) -> String? { decode(from: Int(node.nameStart) - 1, to: Int(node.nameEnd) + 1) }

    /// The decoded value of the member; nil if it is not a well-formed string.
    package func string(of node: Node) -> String? {
        guard isString(node) else { return nil }
        return decode(from: Int(node.valueStart), to: Int(node.valueEnd))
    }

    /// The value of a member that is an integer in a string; nil for anything else.
    package func integer(of node: Node) -> Int64? {
        guard isString(node) else { return nil }
        let digits = bytes[Int(node.valueStart) + 1..<Int(node.valueEnd) - 1]
        guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return string(of: node).flatMap { Int64($0) }
        }
        return digits.reduce(0) { $0 * 10 + Int64($1 & 0x0F) }
    }

    /// Whether the member's name and, if it is a string, its value can be decoded.
    package func isDecodable(_ node: Node) -> Bool {
        func isDecodable(_ start: Int, _ end: Int) -> Bool {
            JSONBytes.firstBackslash(bytes, start, end) == nil || decode(from: start - 1, to: end + 1) != nil
        }
        return (!node.nameHasEscape || isDecodable(Int(node.nameStart), Int(node.nameEnd)))
            && (!isString(node) || isDecodable(Int(node.valueStart) + 1, Int(node.valueEnd) - 1))
    }

    private func decode(from start: Int, to end: Int) -> String? {
        let plain = bytes[(start + 1)..<(end - 1)]
        // The text is valid UTF-8, so a string without escapes and control characters needs no decoding.
        if JSONBytes.isPlain(plain) { return String(decoding: plain, as: UTF8.self) }
        return (try? JSONValue(parsing: Array(bytes[start..<end]), limits: JSONLimits(maximumBytes: bytes.count)))?
            .string
    }

    /// Whether the member's value is this string, compared by bytes, after decoding if there are escapes.
    package func isString(_ node: Node, equalTo wanted: [UInt8]) -> Bool {
        guard isString(node) else { return false }
        let start = Int(node.valueStart) + 1
        let end = Int(node.valueEnd) - 1
        // Decoding never makes a string longer.
        guard wanted.count <= end - start else { return false }
        guard let escape = JSONBytes.firstBackslash(bytes, start, end) else {
            return end - start == wanted.count && JSONBytes.isEqual(bytes, start, wanted[...])
        }
        guard JSONBytes.isEqual(bytes, start, wanted.prefix(escape - start)) else { return false }
        return string(of: node).map { $0.utf8.elementsEqual(wanted) } ?? false
    }

    /// Like ``isString(_:equalTo:)``, apart from the case of ASCII letters.
    package func isString(_ node: Node, equalToIgnoringCase wanted: [UInt8]) -> Bool {
        guard isString(node) else { return false }
        let (start, end) = (Int(node.valueStart) + 1, Int(node.valueEnd) - 1)
        guard end - start > wanted.count else {
            return end - start == wanted.count && JSONBytes.isEqualIgnoringCase(bytes, start, wanted)
                && !hasEscape(node)
        }
        guard hasEscape(node), let text = string(of: node) else { return false }
        return text.utf8.count == wanted.count && JSONBytes.isEqualIgnoringCase(Array(text.utf8), 0, wanted)
    }

    package func isNamed(_ node: Node, _ name: StaticString) -> Bool {
        if node.nameHasEscape {
            guard let decoded = self.name(of: node) else { return false }
            return name.withUTF8Buffer { decoded.utf8.elementsEqual($0) }
        }
        return Int(node.nameEnd - node.nameStart) == name.utf8CodeUnitCount
            && JSONBytes.isEqual(bytes, Int(node.nameStart), name)
    }
}
