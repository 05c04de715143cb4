/// Finds entries by the value of a string field without comparing it with every entry's.
package struct JSONFieldIndex: Sendable {
    /// The first entry of each slot of a hash table, as an offset into the range of entries; negative for none.
    private var first: [Int32]
    /// The next entry of the same slot.
    private var next: [Int32]
    private let lowerBound: Int
    /// Entries whose value is written with escapes: equal values may be written differently.
    private var escaped: [Int] = []

    /// - Parameter entries: indices for ``JSONOutline/entry(at:)``.
    package init(_ outline: JSONOutline, _ entries: Range<Int>, field: StaticString) {
        var size = 16
        while size < entries.count { size *= 2 }
        first = Array(repeating: -1, count: size)
        next = Array(repeating: -1, count: entries.count)
        lowerBound = entries.lowerBound
        for index in entries.reversed() {
            guard let value = outline.field(field, of: outline.entry(at: index)), outline.isString(value) else {
                continue
            }
            guard !outline.hasEscape(value) else {
                escaped.append(index)
                continue
            }
            let slot = outline.sourceHash(of: value) & (size - 1)
            next[index - lowerBound] = first[slot]
            first[slot] = Int32(truncatingIfNeeded: index - lowerBound)
        }
    }

    /// The entries that may have this value, in order: all that have it, and a few others.
    package func candidates(for value: [UInt8]) -> [Int] {
        var found = escaped
        var place = first[JSONOutline.sourceHash(ofPlain: value) & (first.count - 1)]
        while place >= 0 {
            found.append(lowerBound + Int(place))
            place = next[Int(place)]
        }
        if !escaped.isEmpty { found.sort() }
        return found
    }
}
