import AppModel
import Console
import Keys
import Terminal

/// The help as a panel: the filter, and the keys below in as many columns as fit.
struct HelpView: FeatureView {
    let help: Help
    let title: String

    var isOverlay: Bool { true }

    private static let gap = 3
    private static let leastColumn = 32
    /// From this width on, a column shows details.
    private static let wideColumn = 48

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        let body = ScreenArea.body(of: size)
        let width = min(body.columns, 160) - 4
        let whole = rows(width, glyphs, filteredBy: "")
        let above = Self.rowsAbove(in: size)
        // As high as for all keys, so nothing moves while the filter is typed.
        let frame = body.centered(rows: whole.rows.count + above + 2, columns: width + 4)
        let text = help.filter.isEmpty ? whole : rows(width, glyphs, filteredBy: help.filter.text)
        return PageLayout(text: text, area: frame.inset(rows: 1, columns: 2).splitTop(above).rest)
    }

    /// The filter line, with an empty one below if there is room.
    private static func rowsAbove(in size: Size) -> Int { size.rows < 20 ? 1 : 2 }

    private func rows(_ width: Int, _ glyphs: Glyphs, filteredBy text: String) -> TextRows {
        let count = min(3, (width + Self.gap) / (Self.leastColumn + Self.gap))
        // Matches are shown in full.
        guard count > 1, text.isEmpty else {
            return TextRows(help.text(filteredBy: text), width: width, glyphs: glyphs)
        }
        let column = (width - (count - 1) * Self.gap) / count
        let groups = help.groups(filteredBy: text, isBrief: column < Self.wideColumn)
        let parts = groups.map { entries(of: $0, width: column, glyphs) }
        let total = parts.joined().reduce(0) { $0 + $1.count }
        var rows = TextRows(width: width, glyphs: glyphs)
        for height in (total / count)...max(total, total / count) {
            let columns = Self.columns(parts, height: height)
            guard columns.count <= count else { continue }
            for row in 0..<(columns.map(\.count).max() ?? 0) {
                var line: [CellSpan] = []
                for (place, text) in columns.enumerated() where row < text.count && !text[row].isEmpty {
                    let used = DisplayWidth.columns(line.map(\.text).joined())
                    line.append(CellSpan(String(repeating: " ", count: max(0, place * (column + Self.gap) - used))))
                    line += text[row]
                }
                rows.append(line)
            }
            break
        }
        return rows
    }

    /// A group's paragraphs as rows; its heading goes with the first key.
    private func entries(of group: TextBlock, width: Int, _ glyphs: Glyphs) -> [[[CellSpan]]] {
        var parts = group.paragraphs.map { paragraph in
            var block = TextBlock()
            block.add(paragraph)
            return TextRows(block, width: width, glyphs: glyphs).rows
        }
        guard parts.count > 1 else { return parts }
        parts.replaceSubrange(0...1, with: [parts[0] + parts[1]])
        return parts
    }

    /// The groups in order, in columns of at most this height.
    private static func columns(_ groups: [[[[CellSpan]]]], height: Int) -> [[[CellSpan]]] {
        var columns: [[[CellSpan]]] = [[]]
        for group in groups {
            for (place, part) in group.enumerated() {
                let last = columns[columns.count - 1]
                let isApart = place == 0 && !last.isEmpty
                if !last.isEmpty, last.count + part.count + (isApart ? 1 : 0) > height {
                    columns.append(part)
                } else {
                    columns[columns.count - 1] += (isApart ? [[]] : []) + part
                }
            }
        }
        return columns
    }

    func draw(on grid: inout Grid) {
        let layout = layout(size: grid.size, glyphs: grid.glyphs)
        let (area, above) = (layout.area, Self.rowsAbove(in: grid.size))
        let frame = Rect(
            row: area.row - above - 1, column: area.column - 2, rows: area.rows + above + 2, columns: area.columns + 4)
        grid.fill(frame, style: .role(.overlay))
        grid.box(frame, title: title, style: .role(.borderFocus))
        grid.draw(layout.text, in: area, scroll: help.scroll)
        grid.mark(AccountFilter.fold(help.filter.text), in: layout, scroll: help.scroll)
        let line = frame.inset(rows: 1, columns: 2)
        let note = help.findsNothing ? "no match" : ""
        grid.cursor = grid.draw(
            help.filter, at: line.origin, width: line.columns - (note.isEmpty ? 0 : note.count + 1),
            placeholder: "type to find a key", isFocused: true)
        grid.putRight(note, at: line.origin, style: .role(.attention), width: line.columns)
    }
}
