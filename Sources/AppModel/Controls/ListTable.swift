/// A list in columns: a sign, what it is, its state, and last the cause, whole in the text of the row.
package struct ListTable: Equatable, Sendable {
    package struct Column: Equatable, Sendable {
        /// What becomes of it where there is little room.
        package enum Kind: Equatable, Sendable {
            case fixed
            /// Cut; one of the columns is so.
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
        /// One for each column.
        package let cells: [TextSpan]
        package let cause: String

        init(_ sign: Sign, _ tone: Tone, _ cells: [TextSpan], cause: String) {
            (self.sign, self.tone, self.cells, self.cause) = (sign, tone, cells, cause)
        }

        /// All of it, to look for a text in.
        var words: String { (cells.map(\.text) + [cause]).filter { !$0.isEmpty }.joined(separator: ", ") }
    }

    package let columns: [Column]
    /// The name of the last column.
    package let causeName: String
    package let rows: [Row]

    init(_ columns: [Column], cause: String, _ rows: [Row]) {
        self.columns = columns
        causeName = cause
        self.rows = rows
    }

    /// Of a list each row of which is one text.
    package init(rows: [String]) {
        self.init([Column("", .flexible)], cause: "", rows.map { Row(.none, .text, [TextSpan($0)], cause: "") })
    }
}
