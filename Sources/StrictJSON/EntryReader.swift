import Glibc

/// Reads a large JSON object of objects of objects in pieces, with only one piece in memory at a time.
///
/// It accepts nothing that ``JSONOutline`` rejects. It gives up on any error, and on input that it cannot judge within
/// a piece. The caller then reads the whole text for the precise error.
package struct JSONEntryReader {
    /// Only reading the whole text can find out whether it has an error, and which.
    package struct NeedsFullRead: Error {
        package init() {}
    }

    package struct Piece {
        package let section: Int
        /// Contains the entries and their fields, but no section. Its offsets are relative to ``start``.
        package let outline: JSONOutline
        /// The offset of the outline's bytes in the text.
        package let start: Int
    }

    private enum State {
        case start
        /// Before a section name, or the closing brace of an empty object.
        case section(isFirst: Bool)
        case entry(isFirst: Bool)
        case afterSection
        case end
    }

    private let names: [StaticString]
    private static let maximumSections = 64
    /// Longer entries require reading the whole text.
    private static let maximumPiece = 16 << 20

    private let limits: JSONLimits
    private let strictly: Bool
    private let pieceSize: Int
    private var state = State.start
    private var scanner: OutlineScanner
    private var sectionNames: [[UInt8]] = []
    private var section: Int?
    private var entryNames = SeenNames()

    /// - Parameters:
    ///  - sections: the names of the requested sections, in plain ASCII.
    ///  - strictly: see ``JSONOutline``.
    ///  - pieceSize: bytes per read.
    package init(
        sections: [StaticString], limits: JSONLimits, strictly: Bool = false, pieceSize: Int = 256 << 10
    ) {
        names = sections
        self.limits = limits
        self.strictly = strictly
        self.pieceSize = pieceSize
        scanner = OutlineScanner(maximumDepth: limits.maximumDepth, strictly: strictly)
    }

    package private(set) var hasKnownSection = false
    package var isEmpty: Bool { sectionNames.isEmpty }

    /// - Parameters:
    ///  - size: bytes in the text.
    ///  - fill: reads from an offset of the text and returns the number of bytes, possibly fewer than requested.
    ///  - body: receives the pieces in order.
    package mutating func read(
        size: Int, _ fill: (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) throws(NeedsFullRead) -> Int,
        _ body: (Piece) throws(NeedsFullRead) -> Void
    ) throws(NeedsFullRead) {
        guard size <= limits.maximumBytes else { throw NeedsFullRead() }
        var offset = 0
        var kept: ArraySlice<UInt8> = []
        repeat {
            // Double the size after a few pieces, to avoid scanning a long entry too often.
            let more = kept.count >= pieceSize && kept.count >= 65_536 ? kept.count : pieceSize
            guard kept.count + more <= max(Self.maximumPiece, pieceSize) else { throw NeedsFullRead() }
            let end = min(size, offset + kept.count + more)
            let bytes = try Self.bytes(kept, offset, end, fill)
            let consumed = try scan(bytes, at: offset, isLast: end == size, body)
            offset += consumed
            kept = bytes[consumed...]
            if end == size {
                guard case .end = state, kept.isEmpty else { throw NeedsFullRead() }
                return
            }
        } while true
    }

    private static func bytes(
        _ kept: ArraySlice<UInt8>, _ offset: Int, _ end: Int,
        _ fill: (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) throws(NeedsFullRead) -> Int
    ) throws(NeedsFullRead) -> [UInt8] {
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: end - offset) { buffer, used in
            used = kept.count
            guard let base = buffer.baseAddress else { return }
            kept.withUnsafeBytes { raw in
                if let from = raw.baseAddress { memcpy(base, from, raw.count) }
            }
            while used < end - offset {
                let room = UnsafeMutableRawBufferPointer(start: base + used, count: end - offset - used)
                guard let count = try? fill(room, offset + used), count > 0, count <= room.count else {
                    isWhole = false
                    return
                }
                used += count
            }
        }
        guard isWhole else { throw NeedsFullRead() }
        return bytes
    }

    private mutating func scan(
        _ bytes: [UInt8], at offset: Int, isLast: Bool, _ body: (Piece) throws(NeedsFullRead) -> Void
    ) throws(NeedsFullRead) -> Int {
        if offset == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw NeedsFullRead() }
        scanner.second.reserveCapacity(bytes.count / 256)
        scanner.third.reserveCapacity(bytes.count / 32)
        var outcome = Result<Int, NeedsFullRead>.success(0)
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            var cursor = Cursor(base: base, count: buffer.count)
            do throws(NeedsFullRead) {
                while true {
                    let (place, fields) = (cursor.at, scanner.third.count)
                    do throws(JSONError) {
                        guard try step(&cursor) else { break }
                    } catch {
                        // The piece may just end here: the next one starts at this step. More bytes cannot fix a bad
                        // name.
                        if isLast || error.problem == .duplicateName || error.problem == .badEscape {
                            throw NeedsFullRead()
                        }
                        cursor.at = place
                        scanner.third.removeLast(scanner.third.count - fields)
                        break
                    }
                    if case .afterSection = state { try give(bytes, offset, body) }
                }
                try give(bytes, offset, body)
                outcome = .success(cursor.at)
            } catch { outcome = .failure(error) }
        }
        let consumed = try outcome.get()
        try check(bytes, consumed)
        return consumed
    }

    /// Rejects bytes that no JSON text may contain, like ``JSONOutline``.
    private func check(_ bytes: [UInt8], _ consumed: Int) throws(NeedsFullRead) {
        var seen = JSONByteScan()
        bytes.withUnsafeBytes { seen.look(at: UnsafeRawBufferPointer(rebasing: $0[..<consumed])) }
        guard !seen.hasForbidden else { throw NeedsFullRead() }
        guard seen.hasHigh else { return }
        do { _ = try UTF8Span(validating: bytes.span.extracting(0..<consumed)) } catch { throw NeedsFullRead() }
    }

    private mutating func give(_ bytes: [UInt8], _ offset: Int, _ body: (Piece) throws(NeedsFullRead) -> Void)
        throws(NeedsFullRead)
    {
        guard !scanner.second.isEmpty else { return }
        let outline = JSONOutline(piece: bytes, entries: scanner.second, fields: scanner.third)
        scanner.second = []
        scanner.third = []
        guard let section else { return }
        try body(Piece(section: section, outline: outline, start: offset))
    }

    /// Reads one entry, the start of a section or one bracket.
    ///
    /// - Returns: false at the end.
    private mutating func step(_ cursor: inout Cursor) throws(JSONError) -> Bool {
        cursor.skipSpace()
        switch state {
        case .start:
            try cursor.expect(UInt8(ascii: "{"))
            state = .section(isFirst: true)
        case .section(let isFirst):
            if isFirst, cursor.peek == UInt8(ascii: "}") {
                cursor.at += 1
                state = .end
                return true
            }
            try sectionHead(&cursor)
        case .entry(let isFirst):
            if isFirst, cursor.peek == UInt8(ascii: "}") {
                cursor.at += 1
                state = .afterSection
                return true
            }
            try entry(&cursor)
        case .afterSection:
            try delimiter(&cursor, next: .section(isFirst: false), end: .end)
        case .end:
            guard cursor.at == cursor.count else { throw cursor.wrong(.trailingBytes) }
            return false
        }
        return true
    }

    private mutating func delimiter(_ cursor: inout Cursor, next: State, end: State) throws(JSONError) {
        cursor.skipSpace()
        guard let byte = cursor.peek else { throw cursor.wrong(.unexpectedEnd) }
        guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") else { throw cursor.wrong(.unexpectedByte) }
        cursor.at += 1
        state = byte == UInt8(ascii: ",") ? next : end
    }

    /// A name that can be compared as written, and the following colon.
    private func name(_ cursor: inout Cursor) throws(JSONError) -> Range<Int> {
        guard cursor.peek == UInt8(ascii: "\"") else {
            throw cursor.wrong(cursor.peek == nil ? .unexpectedEnd : .unexpectedByte)
        }
        let name = try cursor.name()
        guard !name.hasEscape else { throw cursor.wrong(.badEscape) }
        if strictly { try cursor.checkString(from: name.start, to: name.end) }
        cursor.skipSpace()
        try cursor.expect(UInt8(ascii: ":"))
        cursor.skipSpace()
        return name.start..<name.end
    }

    private mutating func sectionHead(_ cursor: inout Cursor) throws(JSONError) {
        let range = try name(&cursor)
        let written = Array(UnsafeBufferPointer(start: cursor.base + range.lowerBound, count: range.count))
        guard sectionNames.count < Self.maximumSections, !sectionNames.contains(written) else {
            throw cursor.wrong(.duplicateName)
        }
        let known = names.firstIndex { name in name.withUTF8Buffer { written.elementsEqual($0) } }
        if cursor.peek == UInt8(ascii: "{") {
            cursor.at += 1
            state = .entry(isFirst: true)
        } else {
            // The full reader has a specific error for a requested section that is not an object.
            guard known == nil, cursor.peek != nil else { throw cursor.wrong(.unexpectedByte) }
            try scanner.value(&cursor, depth: 1)
            try delimiter(&cursor, next: .section(isFirst: false), end: .end)
        }
        sectionNames.append(written)
        section = known
        hasKnownSection = hasKnownSection || known != nil
        entryNames = SeenNames()
    }

    private mutating func entry(_ cursor: inout Cursor) throws(JSONError) {
        let range = try name(&cursor)
        let (start, firstField) = (cursor.at, scanner.third.count)
        var needsCare = false
        if cursor.peek == UInt8(ascii: "{") {
            needsCare = try scanner.object(&cursor, level: 2, depth: 3).needsCare
        } else {
            try scanner.value(&cursor, depth: 2)
        }
        let end = cursor.at
        try delimiter(&cursor, next: .entry(isFirst: false), end: .afterSection)
        guard entryNames.insert(UnsafeRawBufferPointer(start: cursor.base + range.lowerBound, count: range.count))
        else { throw cursor.wrong(.duplicateName) }
        scanner.second.append(
            JSONOutline.Node(
                nameStart: UInt32(truncatingIfNeeded: range.lowerBound),
                nameEnd: UInt32(truncatingIfNeeded: range.upperBound),
                valueStart: UInt32(truncatingIfNeeded: start), valueEnd: UInt32(truncatingIfNeeded: end),
                firstChild: UInt32(truncatingIfNeeded: firstField),
                endChild: UInt32(truncatingIfNeeded: scanner.third.count),
                nameHasEscape: false, needsCare: needsCare))
    }
}

/// Detects duplicate names by hash alone. Different names may, very rarely, be taken for duplicates; duplicates are
/// never missed.
private struct SeenNames {
    private var table: [UInt64] = []
    private var count = 0

    /// - Returns: false if the name, or one with the same hash, was seen before.
    mutating func insert(_ name: UnsafeRawBufferPointer) -> Bool {
        if count * 2 >= table.count { grow() }
        var hasher = Hasher()
        hasher.combine(bytes: name)
        // Zero marks a free slot.
        let hash = UInt64(truncatingIfNeeded: hasher.finalize()) | 1
        guard put(hash) else { return false }
        count += 1
        return true
    }

    private mutating func put(_ hash: UInt64) -> Bool {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: hash >> 1) & mask
        while table[place] != 0 {
            if table[place] == hash { return false }
            place = (place + 1) & mask
        }
        table[place] = hash
        return true
    }

    private mutating func grow() {
        let old = table
        table = [UInt64](repeating: 0, count: max(64, old.count * 4))
        for hash in old where hash != 0 { _ = put(hash) }
    }
}
