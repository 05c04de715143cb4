import AppModel
import Keys
import Terminal

struct TextPageView: FeatureView {
    let page: Page
    let scroll: Int

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        let body = ScreenArea.body(of: size)
        let area = Rect(row: body.row, column: 2, rows: body.rows, columns: min(body.columns - 4, 100))
        return PageLayout(text: TextRows(page.text, width: area.columns, glyphs: glyphs), area: area)
    }

    func target(at place: Position, size: Size) -> Int? {
        entry(of: page, scroll: scroll, at: place, size: size)
    }

    func draw(on grid: inout Grid) {
        let layout = layout(size: grid.size, glyphs: grid.glyphs)
        grid.draw(layout.text, in: layout.area, scroll: scroll)
        grid.cursor = layout.cursor(at: page.entry, scroll: scroll)
    }
}
