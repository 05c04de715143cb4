import AppModel
import Keys
import Terminal

/// A feature's rows as a list, with the text of the marked one. What has rows and no view of its own is drawn so.
struct RowListView: FeatureView {
    let feature: any Feature

    var isOverlay: Bool { false }

    private func list(in context: Context, _ size: Size) -> ListPage {
        ListPage(
            size: size, count: feature.rows(in: context)?.count ?? 0, marked: feature.selectedRow(in: context),
            isReading: feature.isReadingRow)
    }

    func extent(in context: Context, size: Size) -> Face.ListExtent { list(in: context, size).extent }

    func layout(in context: Context, size: Size, glyphs: Glyphs) -> PageLayout {
        list(in: context, size).layout(feature.text(in: context), glyphs: glyphs)
    }

    func target(at place: Position, in context: Context, size: Size) -> Int? {
        list(in: context, size).target(at: place)
    }

    func divider(in context: Context, size: Size) -> Int? { list(in: context, size).divider }

    func draw(in context: Context, on grid: inout Grid) {
        let rows = feature.rows(in: context) ?? []
        list(in: context, grid.size).draw(feature.text(in: context), scroll: feature.scroll, on: &grid) {
            row, columns in
            [ListCell(rows[row], width: columns)]
        }
    }
}
