import Glibc

/// Finds the entries of a large text of the form `{"section": {"key": {…}, …}, …}` while reading it, so that a caller
/// that needs a few of thousands does not keep, check or index them all.
///
/// It finds only the end of an entry and a few of its fields. ``JSONEntryReader`` also finds all fields and checks that
/// they are well-formed, for many times the work. If the text has another form, the caller reads all of it for the
/// precise error.
package struct JSONEntryWalk {
    /// An entry, valid only during the visit.
    package struct Entry {
        package let section: String
        /// Counts from zero.
        package let sectionNumber: Int
        /// From the key's opening quote to the closing brace.
        package let bytes: UnsafeRawBufferPointer
        /// The entry's offset in the text.
        package let offset: Int
        fileprivate let values: [Range<Int>]

        /// The bytes of a string field, by index into the walk's names. Nil if it is missing, duplicate, empty, not a
        /// string, or not plain ASCII.
        package func text(_ name: Int) -> UnsafeRawBufferPointer? {
            guard !values[name].isEmpty else { return nil }
            let text = UnsafeRawBufferPointer(rebasing: bytes[values[name]])
            return JSONBytes.isPlain(text, isASCII: true) ? text : nil
        }

        package func has(_ name: Int) -> Bool { values[name] != Self.missing }

        fileprivate static let missing = -1..<(-1)
        fileprivate static let noText = 0..<0
    }

    private let window: Int
    /// Bytes per read: few enough to be still in the processor's cache when they are walked.
    private static let piece = 1 << 17
    private let names: [[UInt8]]
    /// A bit per name length below 64: most fields have another length.
    private let lengths: UInt64
    private var values: [Range<Int>] = []
    /// The latest layouts; the one that matched last is first.
    private var layouts: [EntryLayout] = []
    private var draft = EntryLayout()
    private static let mostLayouts = 4
    /// Offset of the buffer in the text.
    private var passed = 0
    private var place = Place.beforeRoot
    private var hasMembers = false
    private var section = ""
    private var sectionNumber = -1

    private enum Place { case beforeRoot, root, section, afterRoot }

    /// - Parameters:
    ///  - window: bytes in the longest supported entry.
    ///  - names: the fields for ``Entry/text(_:)``.
    package init(window: Int = 1 << 18, names: [String] = []) {
        self.window = window
        self.names = names.map { Array($0.utf8) }
        lengths = names.reduce(0) { $0 | 1 << UInt64(min($1.utf8.count, 63)) }
    }

    /// Reads a text to its end.
    ///
    /// - Parameters:
    ///  - fill: fills the buffer and returns the number of bytes: zero at the end, negative on failure.
    ///  - visit: receives each entry; returns false to stop.
    /// - Returns: whether the text had the right form, as far as checked, and no visit stopped the walk.
    package mutating func run(_ fill: (UnsafeMutableRawBufferPointer) -> Int, visit: (Entry) -> Bool) -> Bool {
        // Only what has been filled is read.
        let base = UnsafeMutablePointer<UInt8>.allocate(capacity: window)
        defer { base.deallocate() }
        var filled = 0
        while true {
            let room = min(Self.piece, window - filled)
            let count = fill(UnsafeMutableRawBufferPointer(start: base + filled, count: room))
            guard count >= 0, count <= room else { return false }
            filled += count
            var used = 0
            var cursor = Cursor(base: base, count: filled)
            do throws(JSONError) {
                while try step(&cursor, visit) { used = cursor.at }
                used = cursor.at
            } catch {
                guard error.problem == .unexpectedEnd else { return false }
            }
            if count == 0 { return place == .afterRoot && used == filled }
            // No cache has an entry this long.
            guard used > 0 || filled < window else { return false }
            memmove(base, base + used, filled - used)
            filled -= used
            passed += used
        }
    }

    /// Reads a brace or an entry.
    ///
    /// - Returns: false at the end of the available bytes.
    /// - Throws: `unexpectedEnd` if only its beginning is available, any other error to stop the walk.
    private mutating func step(_ cursor: inout Cursor, _ visit: (Entry) -> Bool) throws(JSONError) -> Bool {
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
            try member(&cursor, visit)
        }
        return true
    }

    private mutating func member(_ cursor: inout Cursor, _ visit: (Entry) -> Bool) throws(JSONError) {
        if hasMembers {
            try cursor.expect(UInt8(ascii: ","))
            cursor.skipSpace()
        }
        let start = cursor.at
        guard let quote = cursor.peek else { throw cursor.wrong(.unexpectedEnd) }
        guard quote == UInt8(ascii: "\"") else { throw cursor.wrong(.unexpectedByte) }
        let name = try cursor.string()
        cursor.skipSpace()
        try cursor.expect(UInt8(ascii: ":"))
        cursor.skipSpace()
        if place == .root {
            let bytes = cursor.bytes(name.start..<name.end)
            guard !bytes.contains(UInt8(ascii: "\\")) else { throw cursor.wrong(.badEscape) }
            try cursor.expect(UInt8(ascii: "{"))
            section = String(decoding: bytes, as: UTF8.self)
            sectionNumber += 1
            place = .section
            hasMembers = false
            return
        }
        if !hasKnownLayout(&cursor, from: start) { try self.entry(&cursor, from: start) }
        hasMembers = true
        let entry = Entry(
            section: section, sectionNumber: sectionNumber,
            bytes: UnsafeRawBufferPointer(start: cursor.base + start, count: cursor.at - start),
            offset: passed + start, values: values)
        guard visit(entry) else { throw cursor.wrong(.unexpectedByte) }
    }

    private mutating func hasKnownLayout(_ cursor: inout Cursor, from start: Int) -> Bool {
        for index in layouts.indices where layouts[index].read(&cursor, from: start, &values) {
            if index > 0 { layouts.swapAt(0, index) }
            return true
        }
        return false
    }

    /// Walks an object from string to string and records the wanted fields.
    ///
    /// - Parameter start: the entry's start, which positions are relative to.
    private mutating func entry(_ cursor: inout Cursor, from start: Int) throws(JSONError) {
        guard let byte = cursor.peek else { throw cursor.wrong(.unexpectedEnd) }
        guard byte == UInt8(ascii: "{") else { throw cursor.wrong(.unexpectedByte) }
        let first = cursor.at
        cursor.at += 1
        values.removeAll(keepingCapacity: true)
        for _ in names { values.append(Entry.missing) }
        draft.removeAll()
        var isValue = false
        var field: Int?
        while cursor.at < cursor.count {
            switch cursor.base[cursor.at] {
            case UInt8(ascii: "\""):
                let string = try cursor.string()
                if isValue {
                    draft.append((string.start - first)..<(string.end - first), field: field)
                    if let index = field { values[index] = (string.start - start)..<(string.end - start) }
                    field = nil
                } else {
                    field = nameIndex(cursor, string.start, string.end)
                    if let index = field {
                        // Readers may disagree about a duplicate field, so it is not used.
                        if values[index] != Entry.missing {
                            field = nil
                            draft.drop(index)
                        }
                        values[index] = Entry.noText
                    }
                }
                isValue = false
                continue
            case 0x20:
                // Indentation makes up most of the bytes between strings.
                repeat { cursor.at += 1 } while cursor.at < cursor.count && cursor.base[cursor.at] == 0x20
                continue
            case UInt8(ascii: ":"): isValue = true
            case UInt8(ascii: ","):
                isValue = false
                field = nil
            case UInt8(ascii: "}"):
                cursor.at += 1
                draft.finish(cursor.bytes(first..<cursor.at), values)
                if layouts.count < Self.mostLayouts { layouts.append(EntryLayout()) }
                swap(&layouts[layouts.count - 1], &draft)
                return
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                // Nested values are rare; treat all fields of the entry as unknown.
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
