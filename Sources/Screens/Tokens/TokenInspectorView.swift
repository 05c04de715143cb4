import AppModel
import Identity
import Keys
import Terminal

/// The tokens of an account as a list, and one of them beside it, or in its place on a narrow screen.
struct TokenInspectorView: FeatureView {
    let inspector: TokenInspector

    var isOverlay: Bool { false }

    func extent(in context: Context, size: Size) -> Face.ListExtent {
        Face.ListExtent(rows: ScreenArea.body(of: size).rows, showsText: ScreenArea.isWide(size))
    }

    func layout(in context: Context, size: Size, glyphs: Glyphs) -> PageLayout {
        let body = ScreenArea.body(of: size)
        let room = ScreenArea.isWide(size) ? body.splitLeft(body.columns * 2 / 5 + 1).rest : body
        let area = room.inset(rows: 0, columns: 1)
        return PageLayout(text: TextRows(inspector.text(in: context), width: area.columns, glyphs: glyphs), area: area)
    }

    /// The part of the screen that the list has; nil while a token fills a narrow one.
    private func listArea(of size: Size) -> Rect? {
        let body = ScreenArea.body(of: size)
        if ScreenArea.isWide(size) { return body.splitLeft(body.columns * 2 / 5).left }
        return inspector.isReading ? nil : body
    }

    func target(at place: Position, in context: Context, size: Size) -> Int? {
        guard inspector.prompt == nil, let area = listArea(of: size), area.contains(place) else { return nil }
        let list = list(in: context, area, glyphs: .utf8)
        return list.places.firstIndex(of: list.first + place.row - area.row)
    }

    func draw(in context: Context, on grid: inout Grid) {
        grid.drawHeader(inspector.title(in: context), in: context)
        let isWide = ScreenArea.isWide(grid.size)
        let page = layout(in: context, size: grid.size, glyphs: grid.glyphs)
        if let area = listArea(of: grid.size) {
            let list = list(in: context, area, glyphs: grid.glyphs)
            grid.draw(list.rows, in: area, scroll: list.first)
            grid.cursor = area.at(row: list.marked - list.first)
            if isWide { grid.vline(at: area.at(row: 0, column: area.columns), length: area.rows) }
        }
        if isWide || inspector.isReading { grid.draw(page.text, in: page.area, scroll: inspector.scroll) }
        if inspector.isReading { grid.cursor = page.area.origin }
    }

    /// The list as it is drawn, the row of each token in it, the marked row and the first one that is seen.
    private func list(in context: Context, _ area: Rect, glyphs: Glyphs) -> (
        rows: TextRows, places: [Int], marked: Int, first: Int
    ) {
        var rows = TextRows(width: area.columns - 1, glyphs: glyphs)
        var places: [Int] = []
        var client: String?
        for (index, credential) in inspector.credentials(in: context).enumerated() {
            if credential.clientID != client {
                client = credential.clientID
                rows.append([CellSpan(context.clientName(credential.clientID), .title, bold: true)])
            }
            places.append(rows.rows.count)
            rows.append(
                row(credential, in: context, isSelected: index == inspector.selected, width: rows.width, glyphs: glyphs)
            )
        }
        if rows.rows.isEmpty, inspector.account != nil {
            rows.append([CellSpan("no token is in the store for this account", .muted)])
        }
        let marked = places.indices.contains(inspector.selected) ? places[inspector.selected] : 0
        return (rows, places, marked, max(0, min(marked - area.rows / 2, rows.rows.count - area.rows)))
    }

    private func row(_ credential: CachedCredential, in context: Context, isSelected: Bool, width: Int, glyphs: Glyphs)
        -> [CellSpan]
    {
        let status = TokenInspector.status(credential, in: context)
        let ground: Role? = isSelected ? (inspector.isReading ? .selectionInactive : .selection) : nil
        let title = DisplayWidth.pad(
            SafeText.line(credential.words, glyphs: glyphs, limit: 40), columns: 14, ellipsis: glyphs.ellipsis)
        let mark = inspector.marked == credential.id ? "marked, " : ""
        let rest =
            mark + SafeText.line(status.words, glyphs: glyphs, limit: 40) + "  "
            + SafeText.line(credential.scopes.description, glyphs: glyphs, limit: 200)
        let room = max(0, width - 18)
        return [
            CellSpan(isSelected ? glyphs.pointer + " " : "  ", ground ?? .text),
            CellSpan(status.sign.glyph(glyphs) + " ", ground ?? status.tone.role), CellSpan(title, ground ?? .text),
            CellSpan(
                isSelected ? DisplayWidth.pad(rest, columns: room, ellipsis: glyphs.ellipsis) : rest, ground ?? .muted),
        ]
    }
}
