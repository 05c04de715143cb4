/// The marked place of a list and the part of it that is seen: how every list moves.
package struct ListCursor: Hashable, Sendable {
    package private(set) var selected: Int
    /// The first row that is seen.
    package private(set) var first = 0

    package init(_ selected: Int = 0) { self.selected = selected }

    /// Where a key for moving leads to; any other command stays.
    ///
    /// - Parameters:
    ///   - count: how many places the list has.
    ///   - page: how many are seen at once.
    mutating func move(_ command: Command, count: Int, page: Int) {
        let next =
            switch command {
            case .up: selected - 1
            case .down: selected + 1
            case .pageUp: selected - max(1, page)
            case .pageDown: selected + max(1, page)
            case .halfUp: selected - max(1, page / 2)
            case .halfDown: selected + max(1, page / 2)
            case .first: 0
            case .last: count - 1
            default: selected
            }
        select(next, count: count)
    }

    mutating func select(_ place: Int, count: Int) { selected = min(max(place, 0), max(0, count - 1)) }

    /// Back to the beginning.
    mutating func reset() { self = ListCursor() }

    /// The first row to draw when so many fit and the marked one must be among them.
    ///
    /// - Parameters:
    ///   - row: the row of the marked place; some lists have rows that are no places.
    ///   - above: how many rows above belong to it, such as its heading.
    package func firstRow(showing row: Int, above: Int = 0, of count: Int, rows: Int) -> Int {
        let rows = max(1, rows)
        let nearest = min(max(first, row - rows + 1), row - (rows > 1 ? above : 0))
        return max(0, min(nearest, count - rows))
    }

    /// Keeps the first row, so that the list stands still while the mark moves within what is seen.
    mutating func show(_ row: Int, above: Int = 0, of count: Int, rows: Int) {
        first = firstRow(showing: row, above: above, of: count, rows: rows)
    }
}
