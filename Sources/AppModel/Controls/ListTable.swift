/// A list in columns: sign, name, state, and last the cause, which the details show in full.
package struct ListTable: Equatable, Sendable {
    package struct Column: Equatable, Sendable, ExpressibleByStringLiteral {
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

        package init(stringLiteral name: String) { (self.name, kind) = (name, .fixed) }
        private init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }
        static func flexible(_ name: String) -> Column { Column(name, .flexible) }
        static func spare(_ name: String) -> Column { Column(name, .spare) }
    }

    package struct Row: Equatable, Sendable {
        package let sign: Sign
        package let tone: Tone
        package let cells: [TextSpan]
        package let cause: String

        init(_ sign: (Sign, Tone), _ cells: [TextSpan], cause: String) {
            ((self.sign, tone), self.cells, self.cause) = (sign, cells, cause)
        }

        /// All text of the row, for searching.
        var words: String { (cells.map(\.text) + [cause]).filter { !$0.isEmpty }.joined(separator: ", ") }
    }

    package let columns: [Column]
    package let causeName: String
    package let rows: [Row]

    package init() { self.init([], cause: "", []) }
    init(_ columns: [Column], cause: String, _ rows: [Row]) {
        (self.columns, causeName, self.rows) = (columns, cause, rows)
    }
}
