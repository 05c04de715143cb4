import AppModel
import Console
import Terminal

/// The columns of a list for a width: as wide as their content, and aligned.
struct TableColumns {
    /// A visible column, by its index in the list.
    struct Place: Equatable {
        let column: Int
        let start: Int
        let width: Int
    }

    /// The edge of the selected row, and the sign.
    static let marks = 4
    private static let gap = 2
    /// The maximum columns that a cell counts for.
    private static let most = 40
    /// The minimum width of a flexible column.
    private static let least = 12
    private static let leastOfCause = 18

    private(set) var places: [Place] = []
    /// The columns of the cause; nil if it is not in the row.
    private(set) var cause: Place?
    /// Whether the cause has its own line below the row.
    private(set) var isStacked = false

    /// - Parameter hasText: whether the selected row's details, with its cause, are next to the list.
    init(_ table: ListTable, width: Int, hasText: Bool, glyphs: Glyphs) {
        // One column is left free at the right edge.
        let room = max(1, width - Self.marks - 1)
        let wanted = table.columns.indices.map { Self.columns(of: $0, table, glyphs) }
        let hasCause = table.rows.contains { !$0.cause.isEmpty }
        var shown = Array(table.columns.indices)
        func taken(_ columns: [Int]) -> Int { columns.reduce(0) { $0 + wanted[$1] + Self.gap } }
        /// The columns missing for a cause of this width; negative if there is more room than needed.
        func lack(_ cause: Int) -> Int { shown.reduce(cause - Self.gap - room) { $0 + wanted[$1] + Self.gap } }
        func leaveOut(beside cause: Int) {
            while lack(cause) > 0, let spare = shown.last(where: { table.columns[$0].kind == .spare }) {
                shown.removeAll { $0 == spare }
            }
        }
        var least = hasCause ? Self.leastOfCause + Self.gap : 0
        leaveOut(beside: least)
        // With details next to the list, the name has priority over the cause.
        let flexible = shown.first { table.columns[$0].kind == .flexible }
        let given = hasText ? 0 : flexible.map { max(0, wanted[$0] - Self.least) } ?? 0
        if lack(least) > given {
            least = 0
            isStacked = hasCause && !hasText
            shown = Array(table.columns.indices)
            leaveOut(beside: 0)
        }
        // Truncate a long name slightly earlier for a nearly complete cause.
        let better = least > 0 && !hasText ? min(Self.causeColumns(table, glyphs), room * 3 / 10) + Self.gap : 0
        let over = max(0, lack(max(least, better)))
        // A long value has the room that the others and the cause leave.
        let spare = max(0, -lack(least > 0 ? Self.causeColumns(table, glyphs) + Self.gap : 0))
        var start = Self.marks
        for column in shown {
            let isFlexible = table.columns[column].kind == .flexible
            var columns = wanted[column]
            if isFlexible, over > 0 { columns = min(columns, max(Self.least, columns - over)) }
            if isFlexible, spare > 0, columns == Self.most {
                columns = Self.columns(of: column, table, glyphs, most: Self.most + spare)
            }
            places.append(Place(column: column, start: start, width: columns))
            start += columns + Self.gap
        }
        if least > 0 { cause = Place(column: table.columns.count, start: start, width: max(1, width - start - 1)) }
    }

    /// The columns of a list that truncates no cell. Its causes are in the details next to it.
    static func columns(of table: ListTable, glyphs: Glyphs) -> Int {
        table.columns.indices.reduce(marks) { $0 + columns(of: $1, table, glyphs) + gap }
    }

    private static func causeColumns(_ table: ListTable, _ glyphs: Glyphs) -> Int {
        table.rows.reduce(0) { max($0, DisplayWidth.columns(SafeText.line($1.cause, glyphs: glyphs, limit: most))) }
    }

    private static func columns(
        of column: Int, _ table: ListTable, _ glyphs: Glyphs, most: Int = TableColumns.most
    ) -> Int {
        let widest = table.rows.reduce(0) { widest, row in
            max(widest, DisplayWidth.columns(SafeText.line(row.cells[column].text, glyphs: glyphs, limit: most)))
        }
        return max(DisplayWidth.columns(table.columns[column].name), min(widest, most))
    }
}
