/// Finds entries by the value of a string field without comparing it with every entry's.
package struct JSONFieldIndex: Sendable {
    /// The first entry of each slot of a hash table, as an offset into the range of entries; negative for none.
    private var first: [Int32]
    /// The next entry of the same slot.
    private var next: [Int32]
    private let lowerBound: Int
    /// Entries whose value is written with escapes: equal values may be written differently.
    private var escaped: [Int] = []
    private let canonical: @Sendable (ArraySlice<UInt8>) -> [UInt8]?

    /// - Parameters:
    ///   - entries: indices for ``JSONOutline/entry(at:)``.
    ///   - canonical: another text by which a value is found, as all values with this text are; nil for the value.
    package init(
        _ outline: JSONOutline, _ entries: Range<Int>, field: StaticString,
        canonical: @escaping @Sendable (ArraySlice<UInt8>) -> [UInt8]? = { _ in nil }
    ) {
        self.canonical = canonical
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
            let place = slot(of: outline.inner(of: value))
            next[index - lowerBound] = first[place]
            first[place] = Int32(truncatingIfNeeded: index - lowerBound)
        }
    }

    private func slot(of value: ArraySlice<UInt8>) -> Int {
        (canonical(value)?[...] ?? value).seededHash & (first.count - 1)
    }

    /// The entries that may have this value, in order: all that have it, and a few others.
    package func candidates(for value: [UInt8]) -> [Int] {
        var found = escaped
        var place = first[slot(of: value[...])]
        while place >= 0 {
            found.append(lowerBound + Int(place))
            place = next[Int(place)]
        }
        if !escaped.isEmpty { found.sort() }
        return found
    }
}
