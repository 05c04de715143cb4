/// The selection and scroll position of every list.
package struct ListCursor: Hashable, Sendable {
    package private(set) var selected: Int
    package private(set) var first = 0

    package init(_ selected: Int = 0) { self.selected = selected }

    /// Moves by a navigation command; ignores others.
    ///
    /// - Parameters:
    ///   - count: the number of items.
    ///   - page: the number of visible items.
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

    mutating func reset() { self = ListCursor() }

    /// The first row to draw so that the selected row is visible.
    ///
    /// - Parameters:
    ///   - row: the selected row; it differs from the item's index in lists with headings.
    ///   - above: the number of rows above to include, such as a heading.
    package func firstRow(showing row: Int, above: Int = 0, of count: Int, rows: Int) -> Int {
        let rows = max(1, rows)
        let nearest = min(max(first, row - rows + 1), row - (rows > 1 ? above : 0))
        return max(0, min(nearest, count - rows))
    }

    /// Scrolls only if necessary, so the list does not move while the selection stays in view.
    mutating func show(_ row: Int, above: Int = 0, of count: Int, rows: Int) {
        first = firstRow(showing: row, above: above, of: count, rows: rows)
    }
}
