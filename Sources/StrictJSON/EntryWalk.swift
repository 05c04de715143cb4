import Glibc

/// Finds where the entries of a large text of the form `{"section": {"key": {…}, …}, …}` stand, while the text is being
/// read: who wants a few of thousands need not keep, check or index all of them.
///
/// Of an entry nothing is known but where it ends and what a few of its fields hold; ``JSONEntryReader`` knows all of
/// them, and that they are well-formed, for five times the work. A text that is not of the form has to be read as a
/// whole, which then tells what is wrong with it.
package struct JSONEntryWalk {
    /// One entry, valid during the call that it is given to.
    package struct Entry {
        package let section: String
        /// Counts the sections, from zero.
        package let sectionNumber: Int
        /// From the quote of the key to the closing brace.
        package let bytes: UnsafeRawBufferPointer
        /// Where it begins, counted from the beginning of the text.
        package let offset: Int
        fileprivate let values: [Range<Int>]

        /// The text of a field, by its place among the names that the walk was made with; nil when there is none, or
        /// two, or it is no string, or an empty one, or not written in plain ASCII.
        package func text(_ name: Int) -> UnsafeRawBufferPointer? {
            guard !values[name].isEmpty else { return nil }
            let text = UnsafeRawBufferPointer(rebasing: bytes[values[name]])
            var others: UInt8 = 0
            for byte in text { others |= byte < 0x20 || byte >= 0x7F || byte == UInt8(ascii: "\\") ? 1 : 0 }
            return others == 0 ? text : nil
        }

        /// Whether there is a field of the name, whatever its value.
        package func has(_ name: Int) -> Bool { values[name] != Self.missing }

        fileprivate static let missing = -1..<(-1)
        fileprivate static let noText = 0..<0
    }

    /// Bytes that are read at once, and the longest entry that is understood.
    private let window: Int
    private let names: [[UInt8]]
    /// The lengths of the names below 64, each a bit: most fields have none of them.
    private let lengths: UInt64
    private let visit: (Entry) -> Bool
    private var values: [Range<Int>] = []
    /// Bytes of the text before those at hand.
    private var passed = 0
    private var place = Place.beforeRoot
    private var hasMembers = false
    private var section = ""
    private var sectionNumber = -1

    private enum Place { case beforeRoot, root, section, afterRoot }

    /// - Parameters:
    ///   - window: bytes that are read at once, and the longest entry that is understood.
    ///   - names: of the fields that ``Entry/text(_:)`` knows.
    ///   - visit: is given each entry; false ends the walk.
    package init(window: Int = 1 << 18, names: [String] = [], visit: @escaping (Entry) -> Bool) {
        self.window = window
        self.names = names.map { Array($0.utf8) }
        lengths = names.reduce(0) { $0 | 1 << UInt64(min($1.utf8.count, 63)) }
        self.visit = visit
    }

    /// Reads a text to its end.
    ///
    /// - Parameter fill: puts the next bytes where it is told to, and says how many: none at the end, a negative number
    ///   when it could not.
    /// - Returns: whether the text is of the form, as far as was looked, and no visit ended the walk.
    package mutating func run(_ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Bool {
        var buffer = [UInt8](repeating: 0, count: window)
        var filled = 0
        while true {
            var count = 0
            buffer.withUnsafeMutableBytes { count = fill(UnsafeMutableRawBufferPointer(rebasing: $0[filled...])) }
            guard count >= 0, count <= buffer.count - filled else { return false }
            filled += count
            var used: Int? = 0
            buffer.withUnsafeBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return }
                var cursor = Cursor(base: base, count: filled)
                do throws(JSONError) {
                    while try step(&cursor) { used = cursor.at }
                    used = cursor.at
                } catch {
                    if error.problem != .unexpectedEnd { used = nil }
                }
            }
            guard let used else { return false }
            if count == 0 { return place == .afterRoot && used == filled }
            // An entry that does not fit is none of a cache's.
            guard used > 0 || filled < buffer.count else { return false }
            buffer.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                _ = memmove(base, base + used, filled - used)
            }
            filled -= used
            passed += used
        }
    }

    /// The next brace or entry.
    ///
    /// - Returns: false at the end of the bytes at hand.
    /// - Throws: `unexpectedEnd` when there is only the beginning of it, anything else when the walk is over.
    private mutating func step(_ cursor: inout Cursor) throws(JSONError) -> Bool {
        cursor.skipSpace()
        guard let byte = cursor.peek else { return false }
        switch place {
        case .beforeRoot:
            try cursor.expect(UInt8(ascii: "{"))
            place = .root
            hasMembers = false
        case .afterRoot: throw cursor.wrong(.trailingBytes)
        case .root, .section:
            if byte == UInt8(ascii: "}") {
                cursor.at += 1
                place = place == .section ? .root : .afterRoot
                hasMembers = true
                return true
            }
            try member(&cursor)
        }
        return true
    }

    private mutating func member(_ cursor: inout Cursor) throws(JSONError) {
        if hasMembers {
            try cursor.expect(UInt8(ascii: ","))
            cursor.skipSpace()
        }
        let start = cursor.at
        guard let quote = cursor.peek else { throw cursor.wrong(.unexpectedEnd) }
        guard quote == UInt8(ascii: "\"") else { throw cursor.wrong(.unexpectedByte) }
        let name = try cursor.name()
        cursor.skipSpace()
        try cursor.expect(UInt8(ascii: ":"))
        cursor.skipSpace()
        if place == .root {
            guard !name.hasEscape else { throw cursor.wrong(.badEscape) }
            let bytes = UnsafeBufferPointer(start: cursor.base + name.start, count: name.end - name.start)
            try cursor.expect(UInt8(ascii: "{"))
            section = String(decoding: bytes, as: UTF8.self)
            sectionNumber += 1
            place = .section
            hasMembers = false
            return
        }
        try self.entry(&cursor, from: start)
        hasMembers = true
        let entry = Entry(
            section: section, sectionNumber: sectionNumber,
            bytes: UnsafeRawBufferPointer(start: cursor.base + start, count: cursor.at - start),
            offset: passed + start, values: values)
        guard visit(entry) else { throw cursor.wrong(.unexpectedByte) }
    }

    /// Walks an object from string to string, and notes the fields that are asked for.
    ///
    /// - Parameter start: where the entry begins, which places are counted from.
    private mutating func entry(_ cursor: inout Cursor, from start: Int) throws(JSONError) {
        guard let byte = cursor.peek else { throw cursor.wrong(.unexpectedEnd) }
        guard byte == UInt8(ascii: "{") else { throw cursor.wrong(.unexpectedByte) }
        let first = cursor.at
        cursor.at += 1
        values.removeAll(keepingCapacity: true)
        for _ in names { values.append(Entry.missing) }
        var isValue = false
        /// The field whose value comes next.
        var field: Int?
        while cursor.at < cursor.count {
            switch cursor.base[cursor.at] {
            case UInt8(ascii: "\""):
                let string = try cursor.string()
                if isValue, let index = field {
                    values[index] = (string.start - start)..<(string.end - start)
                    field = nil
                } else if !isValue {
                    field = nameIndex(cursor, string.start, string.end)
                    if let index = field {
                        // One that comes twice is none that two readers agree about.
                        if values[index] != Entry.missing { field = nil }
                        values[index] = Entry.noText
                    }
                }
                isValue = false
                continue
            case 0x20:
                // Most of what is between strings, in a text that is indented.
                repeat { cursor.at += 1 } while cursor.at < cursor.count && cursor.base[cursor.at] == 0x20
                continue
            case UInt8(ascii: ":"): isValue = true
            case UInt8(ascii: ","):
                isValue = false
                field = nil
            case UInt8(ascii: "}"):
                cursor.at += 1
                return
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                // An entry with more inside: rare. None of its fields is known.
                for index in values.indices { values[index] = Entry.noText }
                cursor.at = first
                var scanner = OutlineScanner(maximumDepth: 32, strictly: false)
                return try scanner.value(&cursor, depth: 2)
            default: break
            }
            cursor.at += 1
        }
        throw cursor.wrong(.unexpectedEnd)
    }

    private func nameIndex(_ cursor: Cursor, _ start: Int, _ end: Int) -> Int? {
        guard lengths >> UInt64(min(end - start, 63)) & 1 == 1 else { return nil }
        for index in names.indices where names[index].count == end - start {
            if memcmp(cursor.base + start, names[index], end - start) == 0 { return index }
        }
        return nil
    }
}
