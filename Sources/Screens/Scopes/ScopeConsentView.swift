import AppModel
import Keys
import Terminal

struct ScopeConsentView: FeatureView {
    let consent: ScopeConsent
    let page: Page
    let context: Context

    /// The list, and if there is room, the row of column names above and the selection below.
    private func parts(of size: Size) -> (names: Rect?, list: Rect, request: Rect?) {
        var list = ScreenArea.body(of: size).inset(rows: 0, columns: 1)
        var (names, request): (Rect?, Rect?) = (nil, nil)
        guard consent.entry != nil, list.rows >= 14 else { return (nil, list, nil) }
        if OptionColumns(width: list.columns) != nil {
            let parts = list.splitTop(1)
            (names, list) = (parts.top, parts.rest)
        }
        let parts = list.splitBottom(5)
        (list, request) = (parts.rest, parts.bottom)
        return (names, list, request)
    }

    private var review: PanelView? {
        page.confirmation == nil ? nil : PanelView(page: page, scroll: consent.scroll)
    }

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        if let review { return review.layout(size: size, glyphs: glyphs) }
        let area = parts(of: size).list
        return PageLayout(text: TextRows(page.text, width: area.columns, glyphs: glyphs), area: area)
    }

    func target(at place: Position, size: Size) -> Int? {
        if let review { return review.target(at: place, size: size) }
        return entry(of: page, scroll: consent.scroll, at: place, size: size)
    }

    func draw(on grid: inout Grid) {
        if let review { return review.draw(on: &grid) }
        let layout = layout(size: grid.size, glyphs: grid.glyphs)
        grid.draw(layout.text, in: layout.area, scroll: consent.scroll)
        let parts = parts(of: grid.size)
        if let names = parts.names, let columns = OptionColumns(width: names.columns) {
            grid.put(columns.heading("what it allows"), at: names.origin, width: names.columns)
        }
        if let request = parts.request {
            grid.hline(at: request.origin, length: request.columns)
            grid.put(" Request ", at: request.at(row: 0, column: 1), style: .role(.title))
            let below = request.splitTop(1).rest
            let text = TextRows(consent.request(in: context), width: below.columns, glyphs: grid.glyphs)
            grid.draw(text, in: below, scroll: 0)
        }
        let first = layout.text.firstRow(consent.scroll, in: layout.area)
        let marked =
            consent.entry.flatMap {
                layout.text.entries.indices.contains($0) ? layout.text.entries[$0].lowerBound - first : nil
            } ?? 0
        grid.cursor = layout.area.at(row: (0..<layout.area.rows).contains(marked) ? marked : 0)
    }
}
