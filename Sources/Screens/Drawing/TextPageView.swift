import AppModel
import Keys
import Terminal

struct TextPageView: FeatureView {
    let feature: any Feature

    func layout(in context: Context, size: Size, glyphs: Glyphs) -> PageLayout {
        let body = ScreenArea.body(of: size)
        let area = Rect(row: body.row, column: 2, rows: body.rows, columns: min(body.columns - 4, 100))
        return PageLayout(text: TextRows(feature.text(in: context), width: area.columns, glyphs: glyphs), area: area)
    }

    func target(at place: Position, in context: Context, size: Size) -> Int? {
        entry(of: feature, at: place, in: context, size: size)
    }

    func draw(in context: Context, on grid: inout Grid) {
        let page = layout(in: context, size: grid.size, glyphs: grid.glyphs)
        grid.draw(page.text, in: page.area, scroll: feature.scroll)
        grid.cursor = page.cursor(of: feature)
    }
}
