import AppModel
import Console
import Keys
import Terminal

/// A feature as a centered panel: its text, and two answers if it asks a question. Used for features without their own
/// view.
struct PanelView: FeatureView {
    let page: Page
    let scroll: Int

    var isOverlay: Bool { true }

    /// The row of the answers, with an empty one above if there is room.
    private static func buttonRows(in body: Rect) -> Int { body.rows < 12 ? 1 : 2 }

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        let body = ScreenArea.body(of: size)
        let width = min(body.columns, 76) - 4
        let text = TextRows(page.text, width: width, glyphs: glyphs)
        let below = page.confirmation == nil ? 0 : Self.buttonRows(in: body)
        let frame = body.centered(rows: text.rows.count + 2 + below, columns: width + 4)
        let area = frame.inset(rows: 1, columns: 2).splitBottom(below).rest
        var layout = PageLayout(text: text, area: area)
        if let question = page.confirmation {
            let row = area.at(row: area.rows + below - 1)
            let cancel = Rect(row: row.row, column: row.column, rows: 1, columns: DisplayWidth.columns(" [ Cancel ]"))
            layout.buttons = [
                cancel,
                Rect(
                    row: row.row, column: cancel.endColumn + 2, rows: 1,
                    columns: DisplayWidth.columns(" [ \(question.verb) ]")),
            ]
        }
        return layout
    }

    func target(at place: Position, size: Size) -> Int? {
        let layout = layout(size: size, glyphs: .utf8)
        if let button = layout.buttons.firstIndex(where: { $0.contains(place) }) { return button }
        return page.entry == nil ? nil : layout.entry(at: place, scroll: scroll)
    }

    func draw(on grid: inout Grid) {
        let layout = layout(size: grid.size, glyphs: grid.glyphs)
        let below = layout.buttons.isEmpty ? 0 : Self.buttonRows(in: ScreenArea.body(of: grid.size))
        let area = layout.area
        let frame = Rect(
            row: area.row - 1, column: area.column - 2, rows: area.rows + 2 + below, columns: area.columns + 4)
        grid.fill(frame, style: .role(.overlay))
        grid.box(frame, title: page.title, style: .role(.borderFocus))
        grid.draw(layout.text, in: area, scroll: scroll)
        grid.cursor = layout.cursor(at: page.entry, scroll: scroll)
        if let question = page.confirmation { draw(question, layout.buttons, width: area.columns, on: &grid) }
    }

    /// Draws the two answers; the selected one has a pointer and the cursor.
    private func draw(_ question: Confirmation, _ places: [Rect], width: Int, on grid: inout Grid) {
        for (place, (words, isFocused)) in zip(
            places, [("Cancel", !question.isConfirmFocused), (question.verb, question.isConfirmFocused)])
        {
            let text = isFocused ? "\(grid.glyphs.pointer)[ \(words) ]" : " [ \(words) ]"
            if isFocused { grid.cursor = place.origin }
            grid.put(text, at: place.origin, style: .role(isFocused ? .selection : .text), width: width)
        }
    }
}
