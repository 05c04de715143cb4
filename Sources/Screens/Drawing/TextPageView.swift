import AppModel
import Keys
import Terminal

struct TextPageView: FeatureView {
    let feature: any Feature

    var isOverlay: Bool { false }

    func layout(in context: Context, size: Size, glyphs: Glyphs) -> PageLayout {
        let body = ScreenArea.body(of: size)
        let area = Rect(row: body.row, column: 2, rows: body.rows, columns: min(body.columns - 4, 100))
        return PageLayout(text: TextRows(feature.text(in: context), width: area.columns, glyphs: glyphs), area: area)
    }

    func target(at place: Position, in context: Context, size: Size) -> Int? {
        guard feature.entry != nil else { return nil }
        return layout(in: context, size: size, glyphs: .utf8).entry(at: place, scroll: feature.scroll)
    }

    func draw(in context: Context, on grid: inout Grid) {
        let page = layout(in: context, size: grid.size, glyphs: grid.glyphs)
        grid.draw(page.text, in: page.area, scroll: feature.scroll)
        grid.cursor = page.cursor(of: feature)
    }
}
