import AppModel
import Keys
import Terminal

/// The details of an account: next to the list if there is room, else a page of their own.
struct AccountDetailsView: FeatureView {
    let details: AccountDetails

    func isBesideList(on size: Size) -> Bool { AccountPickerView.detailsArea(of: size) != nil }

    private var page: TextPageView { TextPageView(feature: details) }

    func layout(in context: Context, size: Size, glyphs: Glyphs) -> PageLayout {
        guard let area = AccountPickerView.detailsArea(of: size) else {
            return page.layout(in: context, size: size, glyphs: glyphs)
        }
        return PageLayout(text: TextRows(details.text(in: context), width: area.columns, glyphs: glyphs), area: area)
    }

    func draw(in context: Context, on grid: inout Grid) {
        let page = layout(in: context, size: grid.size, glyphs: grid.glyphs)
        if isBesideList(on: grid.size) { grid.fill(page.area, style: .role(.text)) }
        grid.draw(page.text, in: page.area, scroll: details.scroll)
        grid.cursor = page.area.origin
    }
}
