import AppModel
import Keys
import Terminal

/// The activity of the session.
struct ActivityView: FeatureView {
    let page: ActivityPage

    var isOverlay: Bool { false }

    private func list(in context: Context, _ size: Size) -> ListPage {
        let ids = page.records(in: context).map(\.id)
        return ListPage(
            size: size, count: ids.count, marked: page.chosen.place(in: ids), isReading: page.chosen.isReading)
    }

    func extent(in context: Context, size: Size) -> Face.ListExtent { list(in: context, size).extent }

    func layout(in context: Context, size: Size, glyphs: Glyphs) -> PageLayout {
        list(in: context, size).layout(page.text(in: context), glyphs: glyphs)
    }

    func target(at place: Position, in context: Context, size: Size) -> Int? {
        list(in: context, size).target(at: place)
    }

    func divider(in context: Context, size: Size) -> Int? { list(in: context, size).divider }

    func draw(in context: Context, on grid: inout Grid) {
        let (records, clock, glyphs) = (page.records(in: context), context.clock, grid.glyphs)
        list(in: context, grid.size).draw(page.text(in: context), scroll: page.scroll, on: &grid) { row, columns in
            let record = records[row]
            let (sign, tone) = record.outcome.sign
            let isWide = columns >= 70
            return [
                ListCell(sign.glyph(glyphs), width: 2, tone.role),
                ListCell(clock.time(record.startedAt), width: isWide ? 7 : 6, .muted),
                ListCell(record.kind.words, width: 10),
                ListCell(record.accountWords, width: max(8, columns - (isWide ? 46 : 28))),
                ListCell(context.clientName(record.clientID), width: isWide ? 16 : 0, .muted),
                ListCell(record.duration, width: 9, .muted),
            ]
        }
    }
}
