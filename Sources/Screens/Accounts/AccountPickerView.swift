import AppModel
import Identity
import Keys
import Terminal

/// The accounts: title, filter, list, and the selected account's details on the right or below.
struct AccountPickerView: FeatureView {
    let picker: AccountPicker
    let page: Page
    let context: Context

    private struct Layout {
        var filter: Rect?
        var columns: Rect?
        var list: Rect
        /// Below the list, one to four rows.
        var summary: Rect
        /// Right of the list, on wide screens.
        var details: Rect?

        /// The part of `details` for text.
        var text: Rect? {
            details.map { Rect(row: $0.row, column: $0.column + 2, rows: $0.rows, columns: $0.columns - 3) }
        }

        init(_ size: Size, hasFilter: Bool) {
            var body = ScreenArea.body(of: size)
            if ScreenArea.isWide(size) {
                // Details need no more than they have text for; the rest tells more of every account.
                let columns = size.columns < 150 ? size.columns * 2 / 5 : max(45, size.columns * 3 / 10)
                let parts = body.splitRight(min(76, columns))
                details = parts.right
                body = parts.rest
            }
            let rows = details != nil ? 0 : size.rows >= 20 ? 3 : size.rows >= 16 ? 2 : 0
            (body, summary) = body.splitBottom(rows)
            if hasFilter { (filter, body) = body.splitTop(1) }
            if size.rows >= 14 { (columns, body) = body.splitTop(1) }
            list = body
        }
    }

    /// The area of details right of the list; nil if there is no room.
    static func detailsArea(of size: Size) -> Rect? { Layout(size, hasFilter: false).text }

    private func parts(of size: Size) -> Layout { Layout(size, hasFilter: picker.hasFilterLine) }

    func listArea(of size: Size) -> Rect { parts(of: size).list }

    func extent(size: Size) -> Face.ListExtent {
        Face.ListExtent(rows: max(1, listArea(of: size).rows), showsText: ScreenArea.isWide(size))
    }

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        PageLayout(text: TextRows(width: size.columns, glyphs: glyphs), area: listArea(of: size))
    }

    func target(at place: Position, size: Size) -> Int? {
        let area = listArea(of: size)
        let row = picker.firstRow(rows: area.rows) + place.row - area.row
        guard area.contains(place), case .account = picker.row(at: row) else { return nil }
        return row
    }

    func divider(size: Size) -> Int? {
        picker.emptyText(in: context) == nil ? parts(of: size).details?.column : nil
    }

    func draw(on grid: inout Grid) {
        let layout = parts(of: grid.size)
        if let area = layout.filter {
            let filter = Page.Filter(
                field: picker.query, isTyping: picker.isFiltering, count: picker.matchCount, hint: AccountQuery.hint)
            grid.draw(filter, in: area)
        }
        let list = layout.list
        if let text = picker.emptyText(in: context) {
            // There are no details next to it.
            let area = Rect(
                row: list.row, column: list.column, rows: list.rows + layout.summary.rows,
                columns: grid.size.columns - list.column)
            let inner = area.inset(rows: area.rows > 6 ? 1 : 0, columns: 2)
            let rows = TextRows(text, width: inner.columns, room: inner.rows, glyphs: grid.glyphs)
            grid.draw(rows, in: inner, scroll: 0)
            if !picker.isFiltering { grid.cursor = list.at(row: 0) }
            return
        }
        let plan = ColumnPlan(width: list.columns, picker.list, hasUses: !context.uses.isEmpty)
        if let columns = layout.columns { drawColumnNames(plan, in: &grid, columns) }
        let first = picker.firstRow(rows: list.rows)
        drawRows(first..<min(picker.rowCount, first + list.rows), plan, on: &grid, list)
        drawForeignNote(plan, below: picker.rowCount - first, in: &grid, list)
        if !picker.isFiltering { grid.cursor = list.at(row: picker.row(of: picker.selected) - first) }
        guard let overview = picker.selectedAccount else { return }
        if let inner = layout.text {
            let text = TextRows(page.text, width: inner.columns, glyphs: grid.glyphs)
            grid.draw(text, in: inner, scroll: 0)
        } else {
            drawSummary(overview, on: &grid, layout.summary)
        }
    }
}
