import AppModel
import Keys
import Terminal

/// The details of an account: next to the list if there is room, else a page of their own.
struct AccountDetailsView: FeatureView {
    let page: TextPageView

    func isBesideList(on size: Size) -> Bool { AccountPickerView.detailsArea(of: size) != nil }

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        guard let area = AccountPickerView.detailsArea(of: size) else {
            return page.layout(size: size, glyphs: glyphs)
        }
        return PageLayout(text: TextRows(page.page.text, width: area.columns, glyphs: glyphs), area: area)
    }

    func draw(on grid: inout Grid) {
        let layout = layout(size: grid.size, glyphs: grid.glyphs)
        if isBesideList(on: grid.size) { grid.fill(layout.area, style: .role(.text)) }
        grid.draw(layout.text, in: layout.area, scroll: page.scroll)
        grid.cursor = layout.area.origin
    }
}
