import AppModel
import Keys
import Terminal

/// Where programs keep tokens on this machine.
struct StoresView: FeatureView {
    let page: StoresPage

    var isOverlay: Bool { false }

    private func list(_ size: Size) -> ListPage {
        let names = page.shown.map(\.name)
        return ListPage(
            size: size, count: names.count, marked: page.chosen.place(in: names), isReading: page.chosen.isReading)
    }

    func extent(in context: Context, size: Size) -> Face.ListExtent { list(size).extent }

    func layout(in context: Context, size: Size, glyphs: Glyphs) -> PageLayout {
        list(size).layout(page.text(in: context), glyphs: glyphs)
    }

    func target(at place: Position, in context: Context, size: Size) -> Int? { list(size).target(at: place) }

    func divider(in context: Context, size: Size) -> Int? { list(size).divider }

    func draw(in context: Context, on grid: inout Grid) {
        let (stores, glyphs) = (page.shown, grid.glyphs)
        list(grid.size).draw(page.text(in: context), scroll: page.scroll, on: &grid) { row, columns in
            let store = stores[row]
            let (sign, tone) = store.state.sign
            let isWide = columns >= 64
            let count =
                store.state == .usable ? (isWide ? counted(store.accounts, "account") : String(store.accounts)) : ""
            let access = store.state == .absent ? "" : store.isWritable ? "read, write" : "read-only"
            return [
                ListCell(sign.glyph(glyphs), width: 2, tone.role),
                ListCell(store.state.word, width: isWide ? 11 : 0, tone.role),
                ListCell(store.isOwn ? "foyer's own" : store.program, width: max(12, columns - (isWide ? 48 : 21))),
                ListCell(count, width: isWide ? 14 : 5, .muted),
                ListCell(access, width: 12, store.isWritable ? .attention : .muted),
                ListCell(store.isHidden && isWide ? "hidden" : "", width: isWide ? 7 : 0, .muted),
            ]
        }
    }
}
