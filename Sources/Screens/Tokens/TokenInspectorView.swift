import AppModel
import Console
import Identity
import Keys
import Terminal

/// The tokens of an account as a list, and the selected one next to it, or instead of it on a narrow screen.
struct TokenInspectorView: FeatureView {
    let inspector: TokenInspector
    let page: Page
    let context: Context

    func extent(size: Size) -> Face.ListExtent {
        Face.ListExtent(rows: ScreenArea.body(of: size).rows, showsText: ScreenArea.isWide(size))
    }

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        let body = ScreenArea.body(of: size)
        let room = ScreenArea.isWide(size) ? body.splitLeft(Self.listColumns(body) + 1).rest : body
        let area = room.inset(rows: 0, columns: 1)
        let text = TextRows(page.text, width: area.columns, room: area.rows, glyphs: glyphs)
        return PageLayout(text: text, area: area)
    }

    /// The details need more room than the list, up to the width where both have all of theirs.
    private static func listColumns(_ body: Rect) -> Int {
        let columns = body.columns * 2 / 5
        return body.columns < 150 ? min(columns, 34) : columns
    }

    /// The area of the list; nil while a token fills a narrow screen.
    private func listArea(of size: Size) -> Rect? {
        let body = ScreenArea.body(of: size)
        if ScreenArea.isWide(size) { return body.splitLeft(Self.listColumns(body)).left }
        return inspector.isReading ? nil : body
    }

    func target(at place: Position, size: Size) -> Int? {
        guard inspector.prompt == nil else { return nil }
        if let area = listArea(of: size), area.contains(place) {
            let listing = inspector.listing(in: context)
            let row = seen(listing, area).lowerBound + place.row - area.row
            guard case .token(let number, _)? = listing.items(row..<row + 1).first else { return nil }
            return inspector.entry == nil ? number : TokenInspector.place(ofToken: number)
        }
        return entry(of: page, scroll: inspector.scroll, at: place, size: size)
    }

    func divider(size: Size) -> Int? {
        ScreenArea.isWide(size) ? listArea(of: size)?.endColumn : nil
    }

    func draw(on grid: inout Grid) {
        let isWide = ScreenArea.isWide(grid.size)
        let layout = layout(size: grid.size, glyphs: grid.glyphs)
        if let area = listArea(of: grid.size) {
            drawList(area, on: &grid)
        }
        if isWide || inspector.isReading { grid.draw(layout.text, in: layout.area, scroll: inspector.scroll) }
        guard inspector.isReading else { return }
        grid.cursor = layout.area.origin
        guard let entry = inspector.entry, layout.text.entries.indices.contains(entry) else { return }
        let row = layout.text.entries[entry].lowerBound - layout.text.firstRow(inspector.scroll, in: layout.area)
        guard (0..<layout.area.rows).contains(row) else { return }
        grid.cursor = layout.area.at(row: row)
        grid.put(grid.glyphs.pointer, at: layout.area.at(row: row, column: -1), style: .role(.key), width: 1)
    }

    private func seen(_ listing: TokenListing, _ area: Rect) -> Range<Int> {
        let marked = listing.row(of: inspector.selected)
        let first = max(0, min(marked - area.rows / 2, listing.rowCount - area.rows))
        return first..<min(first + area.rows, listing.rowCount)
    }

    private func drawList(_ area: Rect, on grid: inout Grid) {
        let listing = inspector.listing(in: context)
        guard listing.rowCount > 0 else {
            guard inspector.account != nil || inspector.isOfAll else { return }
            grid.put(
                inspector.account != nil ? "no tokens for this account" : "no tokens in the store",
                at: area.at(row: 0, column: 1), style: .role(.muted), width: area.columns - 1)
            return
        }
        for (offset, item) in listing.items(seen(listing, area)).enumerated() {
            let place = area.at(row: offset)
            switch item {
            case .heading(let title):
                grid.put(title, at: place.moved(1), style: Style(role: .title, bold: true), width: area.columns - 1)
            case .token(let number, let credential):
                draw(credential, isSelected: number == inspector.selected, at: place, area, on: &grid)
            }
        }
    }

    private func draw(
        _ credential: CachedCredential?, isSelected: Bool, at place: Position, _ area: Rect, on grid: inout Grid
    ) {
        let style = grid.ground(isSelected, at: place, width: area.columns)
        if isSelected { grid.cursor = place }
        guard let credential else { return }
        let status = TokenInspector.status(credential, in: context)
        let facts = TokenInspector.facts(credential, in: context)
        let end = area.columns - 1
        grid.put(status.sign.glyph(grid.glyphs), at: place.moved(2), style: style(status.tone.role), width: 1)
        grid.putRight(facts.left, at: place, style: style(status.tone == .ok ? .text : status.tone.role), width: end)
        var column = 4
        let room = end - DisplayWidth.columns(facts.left) - 2
        func put(_ text: String, _ role: Role, width: Int) {
            let left = min(width - 1, room - column)
            guard left > 0 else { return }
            grid.put(text, at: place.moved(column), style: style(role), width: left)
            column += width
        }
        if inspector.marked == credential {
            grid.put(grid.glyphs.check, at: place.moved(1), style: style(.emphasis), width: 1)
        }
        put(TokenInspector.kind(credential), .text, width: 9)
        guard area.columns >= 60 else {
            // Nearly all tokens are of the home tenant.
            let isGuest = !credential.isOfHomeTenant
            let words = [TokenInspector.short(facts.target), isGuest ? facts.tenant : ""].filter { !$0.isEmpty }
            return put(words.joined(separator: " \(grid.glyphs.separator) "), .muted, width: area.columns)
        }
        put(facts.target, .text, width: 24)
        put(facts.tenant, .muted, width: 22)
        put(TokenInspector.shortScopes(credential), .muted, width: area.columns)
    }
}
