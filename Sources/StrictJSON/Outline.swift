/// Where the members of the first three levels of a JSON object are in its text, found without decoding any of it.
///
/// A large text of which one entry is wanted is read in a few milliseconds, and what is not touched is written back
/// byte for byte. The text as a whole is checked at once: UTF-8, balanced and well-formed tokens, nothing after the
/// end, bounded depth, no name twice on the first two levels. What is inside strings, and names that come twice further
/// down, is checked with `strictly`, and for each string when it is decoded.
package final class JSONOutline: Sendable {
    /// One member of an object. Offsets count bytes of the text.
    package struct Node: Sendable {
        /// The name's first byte after the quote, and its closing quote.
        var nameStart, nameEnd: UInt32
        var valueStart, valueEnd: UInt32
        /// The members of the value, as indices of the next level.
        var firstChild, endChild: UInt32
        var nameHasEscape: Bool
        /// Whether names among the value's members are equal, or can only be compared after decoding.
        var needsCare: Bool
    }

    package let bytes: [UInt8]
    /// Nodes of the first, second and third level, each in the order of the text.
    let first: [Node], second: [Node], third: [Node]
    /// The whole object, from its opening brace to its closing one.
    package let root: Range<Int>

    /// - Parameters:
    ///   - bytes: a JSON text whose value is an object.
    ///   - strictly: also checks what the skim leaves for later, so that the text may be written back. A string with
    ///     half of a surrogate pair in it may: it is kept as it is, and ``isDecodable(_:)`` tells that nobody can read
    ///     it.
    ///   - screen: what was seen of exactly these bytes while they were read; nil looks at them now.
    /// - Throws: ``JSONError`` for anything that RFC 8259 does not allow, and past the limits; `notAnObject` for other
    ///   values.
    package init(_ bytes: [UInt8], limits: JSONLimits, strictly: Bool = false, screen: JSONPrecheck? = nil)
        throws(JSONError)
    {
        // Offsets are kept in 32 bits.
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

    /// Some entries of a section, as ``JSONEntryReader`` found them; their nodes are all that is known.
    init(piece bytes: [UInt8], entries: [Node], fields: [Node]) {
        self.bytes = bytes
        root = 0..<0
        first = []
        second = entries
        third = fields
    }

    package var sections: ArraySlice<Node> { first[...] }

    /// The entries of a section; empty when its value is no object.
    package func entries(of section: Node) -> ArraySlice<Node> {
        second[Int(section.firstChild)..<Int(section.endChild)]
    }

    /// The fields of an entry; empty when its value is no object.
    package func fields(of entry: Node) -> ArraySlice<Node> { third[Int(entry.firstChild)..<Int(entry.endChild)] }

    package func section(named name: StaticString) -> Node? { first.first { isNamed($0, name) } }

    /// The field of this name; nil when it is missing, or comes twice, so that no two readers can differ about it.
    package func field(_ name: StaticString, of entry: Node) -> Node? {
        let length = UInt32(truncatingIfNeeded: name.utf8CodeUnitCount)
        var found: Node?
        for index in Int(entry.firstChild)..<Int(entry.endChild) {
            let node = third[index]
            guard
                node.nameHasEscape
                    || (node.nameEnd - node.nameStart == length && bytes[Int(node.nameStart)] == name.utf8Start.pointee)
            else {
                continue
            }
            guard isNamed(node, name) else { continue }
            if !entry.needsCare { return node }
            guard found == nil else { return nil }
            found = node
        }
        return found
    }

    /// An entry, by its place in ``entries(of:)``.
    package func entry(at index: Int) -> Node { second[index] }

    /// Whether the values are strings of the same bytes as they were written.
    package func isSameSource(_ left: Node, _ right: Node) -> Bool {
        JSONBytes.isEqual(bytes, Int(left.valueStart)..<Int(left.valueEnd), Int(right.valueStart)..<Int(right.valueEnd))
    }

    /// A hash of the value's bytes as they were written.
    package func sourceHash(of node: Node) -> Int { JSONBytes.hash(bytes, Int(node.valueStart)..<Int(node.valueEnd)) }

    package func isObject(_ node: Node) -> Bool { bytes[Int(node.valueStart)] == UInt8(ascii: "{") }
    package func isNull(_ node: Node) -> Bool { bytes[Int(node.valueStart)] == UInt8(ascii: "n") }
    package func isString(_ node: Node) -> Bool { bytes[Int(node.valueStart)] == UInt8(ascii: "\"") }

    /// The member's value as it was written.
    package func source(of node: Node) -> ArraySlice<UInt8> { bytes[Int(node.valueStart)..<Int(node.valueEnd)] }

    /// The member's name, decoded.
    package func name(of node: Node) -> String? { decode(from: Int(node.nameStart) - 1, to: Int(node.nameEnd) + 1) }

    /// The member's value, decoded with full strictness; nil when it is no string or not a well-formed one.
    package func string(of node: Node) -> String? {
        guard isString(node) else { return nil }
        return decode(from: Int(node.valueStart), to: Int(node.valueEnd))
    }

    /// Whether the member's name, and its value where that is a string, stand for a text.
    package func isDecodable(_ node: Node) -> Bool {
        func isDecodable(_ start: Int, _ end: Int) -> Bool {
            !JSONBytes.hasBackslash(bytes, start, end) || decode(from: start - 1, to: end + 1) != nil
        }
        return (!node.nameHasEscape || isDecodable(Int(node.nameStart), Int(node.nameEnd)))
            && (!isString(node) || isDecodable(Int(node.valueStart) + 1, Int(node.valueEnd) - 1))
    }

    private func decode(from start: Int, to end: Int) -> String? {
        let plain = bytes[(start + 1)..<(end - 1)]
        // The text is known to be UTF-8, so that what holds neither an escape nor a control character stands for
        // itself.
        if JSONBytes.isPlain(plain) { return String(decoding: plain, as: UTF8.self) }
        return (try? JSONValue(parsing: Array(bytes[start..<end]), limits: JSONLimits(maximumBytes: bytes.count)))?
            .string
    }

    /// Whether the member's value is this string, compared byte for byte and, where there are escapes, after decoding.
    package func isString(_ node: Node, equalTo wanted: [UInt8]) -> Bool {
        guard isString(node) else { return false }
        let start = Int(node.valueStart) + 1
        let end = Int(node.valueEnd) - 1
        if JSONBytes.hasBackslash(bytes, start, end) {
            return string(of: node).map { $0.utf8.elementsEqual(wanted) } ?? false
        }
        return end - start == wanted.count && JSONBytes.isEqual(bytes, start, wanted)
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
