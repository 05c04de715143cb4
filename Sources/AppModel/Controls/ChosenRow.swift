/// The marked row of a list whose rows come and go: it stays on what it marks, or on the first row as long as none was
/// chosen.
package struct ChosenRow<ID: Hashable & Sendable>: Hashable, Sendable {
    private(set) var id: ID?
    /// Whether the text of the row is read instead of the list.
    package var isReading = false

    init() {}

    package func place(in rows: [ID]) -> Int { id.flatMap(rows.firstIndex(of:)) ?? 0 }

    mutating func move(_ command: Command, in rows: [ID], page: Int) {
        guard !rows.isEmpty else { return }
        var cursor = ListCursor(place(in: rows))
        cursor.move(command, count: rows.count, page: page)
        id = rows[cursor.selected]
    }

    /// Opens and closes the text of the marked row, scrolls it, or moves the mark.
    mutating func perform(_ command: Command, in rows: [ID], scroll: inout Int, _ context: Context) -> [Action] {
        switch command {
        case .open:
            isReading = true
            scroll = 0
        case .back where isReading: isReading = false
        case .back: return [.close]
        case _ where isReading: return [.scroll(command)]
        default:
            move(command, in: rows, page: max(1, context.list.rows - 2))
            scroll = 0
        }
        return []
    }

    mutating func choose(_ row: ID) { id = row }

    mutating func select(_ place: Int, in rows: [ID]) {
        if rows.indices.contains(place) { id = rows[place] }
    }
}
