import AppModel
import Keys
import Terminal

/// The scopes of an account, over the whole screen.
struct ScopeConsentView: FeatureView {
    let consent: ScopeConsent

    var isOverlay: Bool { false }

    func layout(in context: Context, size: Size, glyphs: Glyphs) -> PageLayout {
        let area = ScreenArea.body(of: size).inset(rows: 0, columns: 1)
        return PageLayout(text: TextRows(consent.text(in: context), width: area.columns, glyphs: glyphs), area: area)
    }

    func target(at place: Position, in context: Context, size: Size) -> Int? { nil }

    func draw(in context: Context, on grid: inout Grid) {
        grid.drawHeader(consent.title(in: context), in: context)
        let page = layout(in: context, size: grid.size, glyphs: grid.glyphs)
        grid.draw(page.text, in: page.area, scroll: consent.scroll)
        let first = page.text.firstRow(consent.scroll, in: page.area)
        let marked =
            consent.entry.flatMap {
                page.text.entries.indices.contains($0) ? page.text.entries[$0].lowerBound - first : nil
            } ?? 0
        grid.cursor = page.area.at(row: (0..<page.area.rows).contains(marked) ? marked : 0)
    }
}
