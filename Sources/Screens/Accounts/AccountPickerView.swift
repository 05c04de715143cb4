import AppModel
import Identity
import Keys
import Terminal

/// The accounts: title, filter, list, and the selected account's details beside or below.
struct AccountPickerView: FeatureView {
    let picker: AccountPicker

    var isOverlay: Bool { false }

    /// How the room is divided.
    private struct Layout {
        var filter: Rect?
        var columns: Rect?
        var list: Rect
        /// Below the list, one to four rows.
        var summary: Rect
        /// Beside it, where the screen is wide.
        var details: Rect?

        init(_ size: Size, hasFilter: Bool) {
            var body = ScreenArea.body(of: size)
            if hasFilter { (filter, body) = body.splitTop(1) }
            if ScreenArea.isWide(size) {
                // A tenant's identifier fits beside its label.
                let parts = body.splitRight(min(72, size.columns * 2 / 5 + 4))
                details = parts.right
                body = parts.rest
            }
            let rows = details != nil ? 0 : size.rows >= 20 ? 4 : size.rows >= 14 ? 3 : 1
            (body, summary) = body.splitBottom(rows)
            if size.rows >= 14 { (columns, body) = body.splitTop(1) }
            list = body
        }
    }

    private func parts(of size: Size) -> Layout { Layout(size, hasFilter: picker.hasFilterLine) }

    /// Where the accounts are drawn.
    func listArea(of size: Size) -> Rect { parts(of: size).list }

    func extent(in context: Context, size: Size) -> Face.ListExtent {
        Face.ListExtent(rows: max(1, listArea(of: size).rows), showsText: ScreenArea.isWide(size))
    }

    func layout(in context: Context, size: Size, glyphs: Glyphs) -> PageLayout {
        PageLayout(text: TextRows(width: size.columns, glyphs: glyphs), area: listArea(of: size))
    }

    func target(at place: Position, in context: Context, size: Size) -> Int? {
        let area = listArea(of: size)
        let row = picker.firstRow(rows: area.rows) + place.row - area.row
        guard area.contains(place), case .account = picker.row(at: row) else { return nil }
        return row
    }

    func draw(in context: Context, on grid: inout Grid) {
        let layout = parts(of: grid.size)
        grid.drawHeader(picker.title(in: context), in: context)
        if let filter = layout.filter { drawFilter(in: &grid, filter) }
        let list = layout.list
        if let text = picker.emptyText(in: context) {
            let rows = TextRows(text, width: list.columns - 4, glyphs: grid.glyphs)
            let area = Rect(
                row: list.row, column: list.column, rows: list.rows + layout.summary.rows, columns: list.columns)
            grid.draw(rows, in: area.inset(rows: area.rows > 6 ? 1 : 0, columns: 2), scroll: 0)
            if !picker.isFiltering { grid.cursor = list.at(row: 0) }
            return
        }
        let plan = ColumnPlan(width: list.columns, showsClients: true)
        if let columns = layout.columns { drawColumnNames(plan, in: &grid, columns) }
        let first = picker.firstRow(rows: list.rows)
        for offset in 0..<min(list.rows, picker.rowCount - first) {
            switch picker.row(at: first + offset) {
            case .heading(let heading): drawHeading(heading, plan, in: &grid, list.at(row: offset))
            case .account(let place): drawRow(place, plan, in: context, on: &grid, list.at(row: offset))
            case nil: break
            }
        }
        if !picker.isFiltering { grid.cursor = list.at(row: picker.row(of: picker.selected) - first) }
        guard let overview = picker.selectedAccount else { return }
        if let details = layout.details {
            grid.vline(at: details.origin, length: details.rows)
            let inner = Rect(
                row: details.row, column: details.column + 2, rows: details.rows, columns: details.columns - 3)
            let text = TextRows(picker.details(overview, in: context), width: inner.columns, glyphs: grid.glyphs)
            grid.draw(text, in: inner, scroll: 0)
        } else {
            drawSummary(overview, in: context, on: &grid, layout.summary)
        }
    }

    private func drawFilter(in grid: inout Grid, _ area: Rect) {
        let label = " filter: "
        let used = grid.put(label, at: area.origin, style: .role(.label))
        let count = "\(picker.matchCount) "
        let width = max(4, area.columns - used - count.count - 1)
        let cursor = grid.draw(
            picker.query, at: area.at(row: 0, column: used), width: width,
            placeholder: "name, tenant, client or identifier",
            isFocused: picker.isFiltering)
        grid.putRight(count, at: area.at(row: 0, column: 0), style: .role(.muted), width: area.columns)
        if picker.isFiltering { grid.cursor = cursor }
    }
}
