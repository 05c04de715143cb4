import Glibc

/// An entry without nested values that was parsed, for ``JSONEntryWalk``. Entries of one writer mostly have the same
/// fields in the same order, and many of the same values: the next entry is then compared with this one instead of
/// parsed, for a tenth of the work.
struct EntryLayout {
    private struct Value {
        /// The inner bytes of a string, in ``text``.
        let range: Range<Int>
        /// By index into the walk's names; nil for others.
        var field: Int?
    }

    /// From the opening to the closing brace; empty for none.
    private var text: [UInt8] = []
    private var values: [Value] = []
    /// The values, by index, that differ between entries or are among the walk's fields.
    private var differing: [Int] = []
    /// The walk's fields, as far as the next entries have the same.
    private var found: [Range<Int>] = []

    mutating func removeAll() {
        text.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        differing.removeAll(keepingCapacity: true)
    }

    /// Adds a string value, by its position in the entry.
    mutating func append(_ range: Range<Int>, field: Int?) { values.append(Value(range: range, field: field)) }

    /// The field is a duplicate: none of its values is used.
    mutating func drop(_ field: Int) {
        for index in values.indices where values[index].field == field { values[index].field = nil }
    }

    mutating func finish(_ entry: UnsafeBufferPointer<UInt8>, _ found: [Range<Int>]) {
        text += entry
        self.found = found
        for index in values.indices where values[index].field != nil { differing.append(index) }
    }

    /// Reads an entry of this layout.
    ///
    /// - Parameters:
    ///   - cursor: at the opening brace; afterwards behind the closing one.
    ///   - start: the position that `fields` is relative to.
    ///   - fields: the walk's fields.
    /// - Returns: false if the entry has another layout, or does not end within the available bytes.
    mutating func read(_ cursor: inout Cursor, from start: Int, _ fields: inout [Range<Int>]) -> Bool {
        guard !text.isEmpty else { return false }
        for index in fields.indices { fields[index] = found[index] }
        var (at, same, next) = (cursor.at, 0, 0)
        while true {
            let value = next < differing.count ? values[differing[next]] : nil
            let end = value?.range.lowerBound ?? text.count
            guard cursor.count &- at >= end &- same else { return false }
            guard isEqual(cursor.base + at, same..<end) else {
                guard learn(cursor.base + at, same..<end, at: next) else { return false }
                continue
            }
            at &+= end &- same
            guard let value else { break }
            guard let quote = cursor.closingQuote(from: at) else { return false }
            if let field = value.field { fields[field] = (at &- start)..<(quote &- start) }
            (at, same, next) = (quote, value.range.upperBound, next &+ 1)
        }
        cursor.at = at
        return true
    }

    private func isEqual(_ base: UnsafePointer<UInt8>, _ range: Range<Int>) -> Bool {
        text.withUnsafeBufferPointer { text in
            guard let other = text.baseAddress else { return false }
            return memcmp(base, other + range.lowerBound, range.count) == 0
        }
    }

    /// Adds the value with the first difference to the differing ones.
    ///
    /// - Returns: false if the difference is not in a value.
    private mutating func learn(_ base: UnsafePointer<UInt8>, _ range: Range<Int>, at next: Int) -> Bool {
        var place = range.lowerBound
        while place &+ 32 <= range.upperBound, isEqual(base + (place &- range.lowerBound), place..<(place &+ 32)) {
            place &+= 32
        }
        while place < range.upperBound, text[place] == base[place &- range.lowerBound] { place &+= 1 }
        // A closing quote differs from a longer value.
        guard let index = values.firstIndex(where: { $0.range.lowerBound <= place && place <= $0.range.upperBound })
        else { return false }
        differing.insert(index, at: next)
        return true
    }
}
