import AppModel
import ArgumentParser
import CommandSupport
import Console
import Identity
import Screens
import Terminal

/// A table of results. At a terminal it fits the width: less important columns are dropped, then the longest cells are
/// cut in the middle, and different rows stay different. In a pipe it has a heading and one line for each row, uncut,
/// with tabs between cells.
struct Listing {
    struct Column: Sendable {
        let title: String
        /// Minimum width if cut, in terminal columns; nil if it is never cut.
        var least: Int?
        /// Width before other columns are dropped; only for a column that can be cut.
        var usual = 40
        /// Whether its end matters less than its beginning.
        var isList = false
        /// The highest rank is dropped first; nil is never dropped.
        var rank: Int?
        /// Not shown at a terminal: it is too long, or in the headings of the sections.
        var isForPipes = false
    }

    struct Cell: Sendable {
        var text: String
        var tone: Tone
        /// Before the text at a terminal; the text has the same meaning.
        var sign: TextSpan?

        init(_ text: String, _ tone: Tone = .text, sign: TextSpan? = nil) {
            (self.text, self.tone, self.sign) = (text, tone, sign)
        }
    }

    struct Field<Row> {
        let column: Column
        let cell: (Row) -> Cell
        let isPart: Bool

        init(
            _ title: String, least: Int? = nil, usual: Int = 40, isList: Bool = false, rank: Int? = nil,
            isForPipes: Bool = false, isPart: Bool = true, cell: @escaping (Row) -> Cell
        ) {
            column = Column(
                title: title, least: least, usual: usual, isList: isList, rank: rank, isForPipes: isForPipes)
            self.isPart = isPart
            self.cell = cell
        }
    }

    struct Section {
        /// Only at a terminal: in a pipe it is a column.
        var heading: [TextSpan]
        let count: Int
        /// Makes a row when it is printed.
        let row: (Int) -> [Cell]

        init(heading: [TextSpan] = [], count: Int, row: @escaping (Int) -> [Cell]) {
            (self.heading, self.count, self.row) = (heading, count, row)
        }

        init(heading: [TextSpan] = [], rows: [[Cell]]) {
            self.init(heading: heading, count: rows.count) { rows[$0] }
        }
    }

    let columns: [Column]
    let sections: [Section]

    init(_ columns: [Column], _ sections: [Section]) { (self.columns, self.sections) = (columns, sections) }

    init(_ columns: [Column], rows: [[Cell]]) { self.init(columns, [Section(rows: rows)]) }

    init<Row>(_ rows: [Row], _ fields: [Field<Row>]) { self.init([([], rows.count, { rows[$0] })], fields) }

    init<Row>(_ sections: [(heading: [TextSpan], count: Int, row: (Int) -> Row)], _ fields: [Field<Row>]) {
        let fields = fields.filter(\.isPart)
        self.init(
            fields.map(\.column),
            sections.map { heading, count, row in
                Section(heading: heading, count: count) { index in
                    let row = row(index)
                    return fields.map { $0.cell(row) }
                }
            })
    }

    /// - Parameter isWide: all columns at a terminal, untruncated.
    func lines(_ screen: ResultScreen, isWide: Bool = false) -> [String] {
        guard let width = screen.columns else {
            var lines: [String] = []
            visitTabSeparated { lines.append($0) }
            return lines
        }
        return FittedListing(self).lines(screen, width: width, isWide: isWide)
    }

    func visitTabSeparated(_ body: (String) -> Void) {
        body(columns.map(\.title).joined(separator: "\t"))
        for section in sections {
            for index in 0..<section.count {
                body(section.row(index).map { Self.clean($0.text) }.joined(separator: "\t"))
            }
        }
    }

    fileprivate static func clean(_ text: String) -> String { SafeText.line(text, limit: Output.longestLine) }
}

/// A listing for the width of a terminal.
private struct FittedListing {
    typealias Cell = Listing.Cell

    let columns: [Listing.Column]
    let sections: [(heading: [TextSpan], rows: [[Cell]])]
    private let rows: [[Cell]]
    /// Width of each column's signs.
    private let signWidths: [Int]

    init(_ listing: Listing) {
        columns = listing.columns
        let sections = listing.sections.map { section in
            let rows = (0..<section.count).map(section.row).map { row in
                row.map { Cell(Listing.clean($0.text), $0.tone, sign: $0.sign) }
            }
            return (heading: section.heading, rows: rows)
        }
        let rows = sections.flatMap(\.rows)
        self.sections = sections
        self.rows = rows
        signWidths = listing.columns.indices.map { index in rows.contains { $0[index].sign != nil } ? 2 : 0 }
    }

    private static let gap = 2

    func lines(_ screen: ResultScreen, width: Int, isWide: Bool) -> [String] {
        let indent = sections.contains { !$0.heading.isEmpty } ? 2 : 0
        let filled = columns.indices.filter { index in
            (isWide || !columns[index].isForPipes) && rows.contains { !$0[index].text.isEmpty }
        }
        let shown = isWide ? filled : fitting(filled, width - indent)
        let widths = isWide ? natural(shown) : self.widths(shown, width - indent)
        var cells: [[String]] = []
        for (index, room) in zip(shown, widths) {
            let texts = rows.map { $0[index].text }
            let roomOfText = room - signWidths[index]
            cells.append(
                columns[index].least == nil
                    ? texts
                    : MiddleTruncation.distinct(
                        texts, columns: roomOfText, keepsEnd: !columns[index].isList,
                        ellipsis: screen.glyphs.ellipsis))
        }
        return written(shown, widths, cells, screen, indent: indent)
    }

    // MARK: Columns and widths

    private func natural(_ shown: [Int]) -> [Int] {
        shown.map { index in
            let widest = rows.map { DisplayWidth.columns($0[index].text) }.max() ?? 0
            return max(widest, DisplayWidth.columns(columns[index].title)) + signWidths[index]
        }
    }

    private func wished(_ shown: [Int]) -> [Int] {
        zip(shown, natural(shown)).map { columns[$0].least == nil ? $1 : min($1, columns[$0].usual) }
    }

    private func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) }

    /// The columns to keep: the highest rank is dropped first, unless two rows differ only there.
    private func fitting(_ filled: [Int], _ width: Int) -> [Int] {
        var shown = filled
        for index in filled.filter({ columns[$0].rank != nil }).sorted(by: { rank($0) > rank($1) }) {
            guard total(wished(shown)) > width else { break }
            let rest = shown.filter { $0 != index }
            if different(rest) == different(shown) { shown = rest }
        }
        return shown
    }

    private func rank(_ column: Int) -> Int { columns[column].rank ?? 0 }

    private func different(_ shown: [Int]) -> Int {
        Set(
            sections.enumerated().flatMap { number, section in
                section.rows.map { row in [String(number)] + shown.map { row[$0].text } }
            }
        ).count
    }

    private func widths(_ shown: [Int], _ width: Int) -> [Int] {
        let most = natural(shown)
        var widths = wished(shown)
        let least = zip(shown, most).map { index, most in min(most, columns[index].least ?? most) }
        while total(widths) > width {
            let shrinkable = widths.indices.filter { widths[$0] > least[$0] }
            guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
        }
        for index in widths.indices where total(widths) < width {
            widths[index] += min(width - total(widths), most[index] - widths[index])
        }
        return widths
    }

    // MARK: The lines

    private func written(
        _ shown: [Int], _ widths: [Int], _ cells: [[String]], _ screen: ResultScreen, indent: Int
    ) -> [String] {
        let colors = screen.colors
        let margin = String(repeating: " ", count: indent)
        let titles = zip(shown, widths).map { index, width in
            let title = String(repeating: " ", count: signWidths[index]) + columns[index].title
            return (title, title, width)
        }
        var lines = [colors.painted(margin + Self.aligned(titles), .muted)]
        var number = 0
        for (place, section) in sections.enumerated() {
            if place > 0, !section.heading.isEmpty { lines.append("") }
            if !section.heading.isEmpty {
                lines.append(Self.heading(section.heading, screen))
            }
            for row in section.rows {
                let parts = shown.indices.map { column in
                    let cell = row[shown[column]]
                    let text = cells[column][number]
                    let sign = cell.sign?.sign?.glyph(screen.glyphs) ?? " "
                    let hasSign = signWidths[shown[column]] > 0
                    return (
                        (hasSign ? sign + " " : "") + text,
                        (hasSign ? colors.painted(sign, cell.sign?.tone ?? .text) + " " : "")
                            + colors.painted(text, cell.tone), widths[column]
                    )
                }
                lines.append(margin + Self.aligned(parts))
                number += 1
            }
        }
        return lines
    }

    /// Fits the terminal's width; muted parts are shown completely or not at all.
    private static func heading(_ spans: [TextSpan], _ screen: ResultScreen) -> String {
        var room = screen.columns ?? .max
        var text = ""
        for span in spans {
            let whole = SafeText.line(span.text)
            if span.tone == .muted, !text.isEmpty, DisplayWidth.columns(whole) > room { continue }
            let part = DisplayWidth.clip(whole, columns: room, ellipsis: screen.glyphs.ellipsis)
            room -= DisplayWidth.columns(part)
            text += screen.colors.painted(part, span.tone)
        }
        return text
    }

    /// - Parameter parts: each cell as measured and as printed, and its width.
    private static func aligned(_ parts: [(plain: String, written: String, width: Int)]) -> String {
        var line = ""
        var blanks = 0
        for part in parts {
            if !part.plain.isEmpty {
                line += String(repeating: " ", count: blanks) + part.written
                blanks = 0
            }
            blanks += max(0, part.width - DisplayWidth.columns(part.plain)) + gap
        }
        return line
    }
}

struct WideOption: ParsableArguments {
    @Flag(name: .customLong("wide"), help: "Show all columns, untruncated")
    var isOn = false

    init() {}
    init(isOn: Bool) { self.isOn = isOn }
}

extension Output {
    func listing(_ listing: Listing, on screen: ResultScreen, isWide: Bool = false) {
        guard screen.columns == nil else {
            return text(listing.lines(screen, isWide: isWide).map { $0 + "\n" }.joined())
        }
        var pieces = pieces
        listing.visitTabSeparated { pieces.write($0 + "\n") }
        pieces.end()
    }

    /// Prints the summary of a table below it, at a terminal only.
    func trailer(_ line: String, on screen: ResultScreen) { if screen.columns != nil { note(line) } }
}

extension CommandContext {
    func list<Row>(_ rows: [Row], _ fields: [Listing.Field<Row>], isWide: Bool = false) {
        output.listing(Listing(rows, fields), on: screen, isWide: isWide)
    }
}

extension Sequence {
    /// The first element of each key.
    func uniqued<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return filter { seen.insert(key($0)).inserted }
    }
}
