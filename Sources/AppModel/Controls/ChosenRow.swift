/// The selected row of a list whose rows come and go. It stays on its row; the first row is the default.
struct ChosenRow<ID: Hashable & Sendable>: Hashable, Sendable {
    private(set) var id: ID?
    /// Whether the row's details are shown instead of the list.
    var isReading = false

    init() {}

    func place(in rows: [ID]) -> Int { id.flatMap(rows.firstIndex(of:)) ?? 0 }

    func row(in rows: [ID]) -> ID? { rows.isEmpty ? nil : rows[place(in: rows)] }

    mutating func move(_ command: Command, in rows: [ID], page: Int) {
        guard !rows.isEmpty else { return }
        var cursor = ListCursor(place(in: rows))
        cursor.move(command, count: rows.count, page: page)
        id = rows[cursor.selected]
    }

    mutating func choose(_ row: ID) { id = row }

    mutating func select(_ place: Int, in rows: [ID]) {
        if rows.indices.contains(place) { id = rows[place] }
    }

    /// Stays on the row that is shown as the selected one. The details of a row that is gone are closed, not replaced
    /// by another row's.
    mutating func hold(_ place: Int, in rows: [ID]) {
        guard rows.indices.contains(place) else { return }
        if let id, !rows.contains(id) { isReading = false }
        id = rows[place]
    }
}
