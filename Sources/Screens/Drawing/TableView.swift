import AppModel
import Console
import Keys
import Terminal

/// A feature's list in columns, with the selected row's details: on the right on wide screens, below if there are
/// enough rows, else instead of the list while open. Used for lists without their own view.
struct TableView: FeatureView {
    let page: Page
    let scroll: Int

    /// A row, or the cause below it.
    private struct Line: Equatable {
        let row: Int
        let isCause: Bool
    }

    private struct Parts {
        var filter: Rect?
        var names: Rect?
        var list: Rect
        /// The area of the selected row's details next to or below the list, if any.
        var text: Rect?
        /// Above details that are below the list.
        var rule: Rect?

        init(_ size: Size, hasFilter: Bool, listNeeds needed: @autoclosure () -> Int) {
            let halves = ScreenArea.halves(of: size, listNeeds: needed())
            (list, text) = (halves.list, halves.details)
            if text == nil, list.rows >= 14 {
                let parts = list.splitBottom(min(8, list.rows / 3))
                list = parts.rest
                let below = parts.bottom.splitTop(1)
                (rule, text) = (below.top, below.rest.inset(rows: 0, columns: 1))
            }
            if hasFilter {
                let parts = list.splitTop(1)
                (filter, list) = (parts.top, parts.rest)
            }
            if size.rows >= 14 {
                let parts = list.splitTop(1)
                (names, list) = (parts.top, parts.rest)
            }
        }
    }

    private func parts(_ size: Size, _ table: ListTable) -> Parts {
        Parts(
            size, hasFilter: page.filter != nil,
            listNeeds: max(page.listColumns, TableColumns.columns(of: table, glyphs: .utf8)))
    }

    private func table() -> ListTable { page.table() ?? ListTable() }

    private func lines(_ table: ListTable, _ columns: TableColumns) -> [Line] {
        table.rows.indices.flatMap { row in
            [Line(row: row, isCause: false)]
                + (columns.isStacked && !table.rows[row].cause.isEmpty ? [Line(row: row, isCause: true)] : [])
        }
    }

    private func seen(_ lines: [Line], marked: Int, rows: Int) -> Range<Int> {
        let last = lines.lastIndex { $0.row == marked } ?? 0
        let above = lines.indices.contains(last) && lines[last].isCause ? 1 : 0
        let first = ListCursor(marked).firstRow(showing: last, above: above, of: lines.count, rows: rows)
        return first..<min(first + rows, lines.count)
    }

    func extent(size: Size) -> Face.ListExtent {
        let table = table()
        let (list, isWide) = (parts(size, table).list, ScreenArea.isWide(size))
        let columns = TableColumns(table, width: list.columns, hasText: isWide, glyphs: .utf8)
        return Face.ListExtent(rows: max(1, list.rows / (columns.isStacked ? 2 : 1)), showsText: isWide)
    }

    /// Open details that have no area of their own replace the list.
    private func textArea(of size: Size) -> Rect {
        if let text = parts(size, table()).text, ScreenArea.isWide(size) || !page.isReadingRow { return text }
        return ScreenArea.body(of: size).inset(rows: 0, columns: 1)
    }

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        let area = textArea(of: size)
        return PageLayout(text: TextRows(page.text, width: area.columns, glyphs: glyphs), area: area)
    }

    func divider(size: Size) -> Int? {
        let table = table()
        return ScreenArea.isWide(size) && !table.rows.isEmpty ? parts(size, table).list.endColumn : nil
    }

    func target(at place: Position, size: Size) -> Int? {
        let table = table()
        let area = parts(size, table).list
        guard !page.isReadingRow || ScreenArea.isWide(size), area.contains(place) else { return nil }
        let columns = TableColumns(table, width: area.columns, hasText: ScreenArea.isWide(size), glyphs: .utf8)
        let lines = lines(table, columns)
        let seen = seen(lines, marked: page.selectedRow, rows: area.rows)
        let line = seen.lowerBound + place.row - area.row
        return seen.contains(line) ? lines[line].row : nil
    }

    func draw(on grid: inout Grid) {
        let table = table()
        guard !table.rows.isEmpty else {
            var body = ScreenArea.body(of: grid.size)
            let line = body.splitTop(1)
            if page.filter != nil { body = line.rest }
            let text = TextRows(page.text, width: body.columns - 2, glyphs: grid.glyphs)
            grid.draw(
                text, in: Rect(row: body.row + 1, column: 2, rows: body.rows - 1, columns: body.columns - 2), scroll: 0)
            grid.cursor = body.at(row: 1)
            if let filter = page.filter { grid.draw(filter, in: line.top) }
            return
        }
        let isReading = page.isReadingRow
        let layout = layout(size: grid.size, glyphs: grid.glyphs)
        let parts = self.parts(grid.size, table)
        if ScreenArea.isWide(grid.size) || !isReading { draw(table, parts, on: &grid) }
        if let filter = page.filter, let area = parts.filter, ScreenArea.isWide(grid.size) || !isReading {
            grid.draw(filter, in: area)
        }
        if parts.text != nil || isReading { grid.draw(layout.text, in: layout.area, scroll: scroll) }
        if isReading { grid.cursor = layout.cursor(at: page.entry, scroll: scroll) }
    }

    private func draw(_ table: ListTable, _ parts: Parts, on grid: inout Grid) {
        let isWide = ScreenArea.isWide(grid.size)
        let columns = TableColumns(table, width: parts.list.columns, hasText: isWide, glyphs: grid.glyphs)
        if let names = parts.names { draw(columns, namesOf: table, at: names.origin, on: &grid) }
        if let rule = parts.rule { grid.hline(at: rule.origin, length: rule.columns) }
        let lines = lines(table, columns)
        let marked = page.selectedRow
        let seen = seen(lines, marked: marked, rows: parts.list.rows)
        for (offset, line) in lines[seen].enumerated() {
            let (place, row) = (parts.list.at(row: offset), table.rows[line.row])
            let style = grid.ground(line.row == marked, at: place, width: parts.list.columns)
            func put(_ text: String, _ role: Role, _ start: Int, _ width: Int) {
                grid.put(text, at: place.moved(start), style: style(role), width: width)
            }
            if line.isCause {
                put(row.cause, .muted, TableColumns.marks + 2, parts.list.columns - TableColumns.marks - 3)
                continue
            }
            if line.row == marked { grid.cursor = place }
            put(row.sign.glyph(grid.glyphs), row.tone.role, 2, 1)
            for cell in columns.places {
                put(row.cells[cell.column].text, row.cells[cell.column].tone.role, cell.start, cell.width)
            }
            if let cause = columns.cause { put(row.cause, .muted, cause.start, cause.width) }
        }
    }

    private func draw(_ columns: TableColumns, namesOf table: ListTable, at place: Position, on grid: inout Grid) {
        for column in columns.places + (columns.cause.map { [$0] } ?? []) {
            let name = column.column < table.columns.count ? table.columns[column.column].name : table.causeName
            grid.put(name, at: place.moved(column.start), style: .role(.muted), width: column.width)
        }
    }
}
