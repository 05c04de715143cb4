import AppModel
import Console
import Terminal

/// The columns of a list in some width: as wide as what stands in them, all on one axis.
struct TableColumns {
    /// A column that is drawn, by its number in the list.
    struct Place: Equatable {
        let column: Int
        /// From the left edge of the list.
        let start: Int
        let width: Int
    }

    /// The edge of the marked row, and the sign.
    static let marks = 4
    private static let gap = 2
    /// A cell counts with so many columns at most.
    private static let most = 40
    /// A flexible column is never narrower.
    private static let least = 12
    /// With less room the cause does not stand in the row.
    private static let leastOfCause = 18

    private(set) var places: [Place] = []
    /// The columns of the cause; nil where it does not stand in the row.
    private(set) var cause: Place?
    /// Whether the cause has a line of its own below the row.
    private(set) var isStacked = false

    /// - Parameter hasText: whether the text of the marked row stands beside the list, with its cause.
    init(_ table: ListTable, width: Int, hasText: Bool, glyphs: Glyphs) {
        // One column is left at the right edge.
        let room = max(1, width - Self.marks - 1)
        let wanted = table.columns.indices.map { Self.columns(of: $0, table, glyphs) }
        let hasCause = table.rows.contains { !$0.cause.isEmpty }
        var shown = Array(table.columns.indices)
        func taken(_ columns: [Int]) -> Int { columns.reduce(0) { $0 + wanted[$1] + Self.gap } }
        /// What a cause of so many columns lacks; below zero there is more room than it needs.
        func lack(_ cause: Int) -> Int { shown.reduce(cause - Self.gap - room) { $0 + wanted[$1] + Self.gap } }
        func leaveOut(beside cause: Int) {
            while lack(cause) > 0, let spare = shown.last(where: { table.columns[$0].kind == .spare }) {
                shown.removeAll { $0 == spare }
            }
        }
        var least = hasCause ? Self.leastOfCause + Self.gap : 0
        leaveOut(beside: least)
        // With the text beside the list, what it is comes before the cause.
        let flexible = shown.first { table.columns[$0].kind == .flexible }
        let given = hasText ? 0 : flexible.map { max(0, wanted[$0] - Self.least) } ?? 0
        if lack(least) > given {
            least = 0
            isStacked = hasCause && !hasText
            shown = Array(table.columns.indices)
            leaveOut(beside: 0)
        }
        // A long name is cut a little earlier for a cause that is nearly whole.
        let better = least > 0 && !hasText ? min(Self.causeColumns(table, glyphs), room * 3 / 10) + Self.gap : 0
        let over = max(0, lack(max(least, better)))
        var start = Self.marks
        for column in shown {
            let isFlexible = table.columns[column].kind == .flexible
            let columns = isFlexible ? min(wanted[column], max(Self.least, wanted[column] - over)) : wanted[column]
            places.append(Place(column: column, start: start, width: columns))
            start += columns + Self.gap
        }
        if least > 0 { cause = Place(column: table.columns.count, start: start, width: max(1, width - start - 1)) }
    }

    private static func causeColumns(_ table: ListTable, _ glyphs: Glyphs) -> Int {
        table.rows.reduce(0) { max($0, DisplayWidth.columns(SafeText.line($1.cause, glyphs: glyphs, limit: most))) }
    }

    private static func columns(of column: Int, _ table: ListTable, _ glyphs: Glyphs) -> Int {
        let widest = table.rows.reduce(0) { widest, row in
            max(widest, DisplayWidth.columns(SafeText.line(row.cells[column].text, glyphs: glyphs, limit: most)))
        }
        return max(DisplayWidth.columns(table.columns[column].name), min(widest, most))
    }
}
