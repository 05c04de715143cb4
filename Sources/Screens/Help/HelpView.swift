import AppModel
import Console
import Keys
import Terminal

/// The help as a panel: the filter, and the keys below in two columns from 100 screen columns on, else in one.
struct HelpView: FeatureView {
    let help: Help
    let title: String

    var isOverlay: Bool { true }

    private static let gap = 3
    private static let wideColumns = 100

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        let body = ScreenArea.body(of: size)
        let width = min(body.columns, size.columns >= Self.wideColumns ? 120 : 76) - 4
        let whole = rows(size, width, glyphs, filteredBy: "")
        let above = Self.rowsAbove(in: size)
        // As high as for all keys, so nothing moves while the filter is typed.
        let frame = body.centered(rows: whole.rows.count + above + 2, columns: width + 4)
        let text = help.filter.isEmpty ? whole : rows(size, width, glyphs, filteredBy: help.filter.text)
        return PageLayout(text: text, area: frame.inset(rows: 1, columns: 2).splitTop(above).rest)
    }

    /// The filter line, with an empty one below if there is room.
    private static func rowsAbove(in size: Size) -> Int { size.rows < 20 ? 1 : 2 }

    private func rows(_ size: Size, _ width: Int, _ glyphs: Glyphs, filteredBy text: String) -> TextRows {
        guard size.columns >= Self.wideColumns else {
            return TextRows(help.text(filteredBy: text), width: width, glyphs: glyphs)
        }
        return columns(help.groups(filteredBy: text), width: width, glyphs)
    }

    /// The groups in order, the first half of the rows on the left, and the signs below both.
    private func columns(_ blocks: [TextBlock], width: Int, _ glyphs: Glyphs) -> TextRows {
        let half = (width - Self.gap) / 2
        let groups = blocks.map { TextRows($0, width: half, glyphs: glyphs).rows }
        let total = groups.reduce(0) { $0 + $1.count + 1 }
        var sides: [[[CellSpan]]] = [[], []]
        for group in groups {
            let side = sides[1].isEmpty && (sides[0].isEmpty || (sides[0].count + group.count) * 2 <= total + 1) ? 0 : 1
            if !sides[side].isEmpty { sides[side].append([]) }
            sides[side] += group
        }
        var text = TextRows(width: width, glyphs: glyphs)
        for row in 0..<max(sides[0].count, sides[1].count) {
            let left = row < sides[0].count ? sides[0][row] : []
            let right = row < sides[1].count ? sides[1][row] : []
            let used = DisplayWidth.columns(left.map(\.text).joined())
            let space = CellSpan(String(repeating: " ", count: max(0, half + Self.gap - used)))
            text.append(right.isEmpty ? left : left + [space] + right)
        }
        guard let signs = help.signs else { return text }
        text.append([])
        for row in TextRows(signs, width: width, glyphs: glyphs).rows { text.append(row) }
        return text
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
