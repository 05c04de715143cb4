/// A list in columns: sign, name, state, and last the cause, which the details show in full.
package struct ListTable: Equatable, Sendable {
    package struct Column: Equatable, Sendable {
        /// Behavior on narrow screens.
        package enum Kind: Equatable, Sendable {
            case fixed
            /// Truncated; one column must be flexible.
            case flexible
            /// Left out, the last one first.
            case spare
        }

        package let name: String
        package let kind: Kind

        init(_ name: String, _ kind: Kind = .fixed) { (self.name, self.kind) = (name, kind) }
    }

    package struct Row: Equatable, Sendable {
        package let sign: Sign
        package let tone: Tone
        package let cells: [TextSpan]
        package let cause: String

        init(_ sign: Sign, _ tone: Tone, _ cells: [TextSpan], cause: String) {
            (self.sign, self.tone, self.cells, self.cause) = (sign, tone, cells, cause)
        }

        /// All text of the row, for searching.
        var words: String { (cells.map(\.text) + [cause]).filter { !$0.isEmpty }.joined(separator: ", ") }
    }

    package let columns: [Column]
    package let causeName: String
    package let rows: [Row]

    init(_ columns: [Column], cause: String, _ rows: [Row]) {
        self.columns = columns
        causeName = cause
        self.rows = rows
    }

    package init(rows: [String]) {
        self.init([Column("", .flexible)], cause: "", rows.map { Row(.none, .text, [TextSpan($0)], cause: "") })
    }
}
