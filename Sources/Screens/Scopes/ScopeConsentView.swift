import AppModel
import Keys
import Terminal

struct ScopeConsentView: FeatureView {
    let consent: ScopeConsent

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

    private var isReviewing: Bool { consent.confirmation != nil }

    func layout(in context: Context, size: Size, glyphs: Glyphs) -> PageLayout {
        guard !isReviewing else { return PanelView(feature: consent).layout(in: context, size: size, glyphs: glyphs) }
        let area = parts(of: size).list
        return PageLayout(text: TextRows(consent.list(in: context), width: area.columns, glyphs: glyphs), area: area)
    }

    func target(at place: Position, in context: Context, size: Size) -> Int? {
        if isReviewing { return PanelView(feature: consent).target(at: place, in: context, size: size) }
        return entry(of: consent, at: place, in: context, size: size)
    }

    func draw(in context: Context, on grid: inout Grid) {
        guard !isReviewing else {
            PanelView(feature: consent).draw(in: context, on: &grid)
            return
        }
        let page = layout(in: context, size: grid.size, glyphs: grid.glyphs)
        grid.draw(page.text, in: page.area, scroll: consent.scroll)
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
        let first = page.text.firstRow(consent.scroll, in: page.area)
        let marked =
            consent.entry.flatMap {
                page.text.entries.indices.contains($0) ? page.text.entries[$0].lowerBound - first : nil
            } ?? 0
        grid.cursor = page.area.at(row: (0..<page.area.rows).contains(marked) ? marked : 0)
    }
}
