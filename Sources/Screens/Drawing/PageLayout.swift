import AppModel
import Keys
import Terminal

/// The position of a feature's text on the screen, and other clickable parts.
struct PageLayout {
    var text: TextRows
    var area: Rect
    var buttons: [Rect] = []

    /// The entry of the text at a position, if any.
    func entry(at place: Position, scroll: Int) -> Int? {
        guard area.contains(place) else { return nil }
        let row = text.firstRow(scroll, in: area) + place.row - area.row
        return text.entries.firstIndex { $0.contains(row) }
    }

    /// The cursor's position: the selected row, for screen readers and magnifiers.
    func cursor(at entry: Int?, scroll: Int) -> Position {
        let first = text.firstRow(scroll, in: area)
        guard let entry, text.entries.indices.contains(entry) else { return area.origin }
        return area.at(row: min(max(text.entries[entry].lowerBound - first, 0), max(0, area.rows - 1)))
    }
}

protocol FeatureView {
    /// Whether it is drawn over the page below instead of replacing it.
    var isOverlay: Bool { get }

    /// Whether it is drawn next to the list of the page below, in the area of its details.
    func isBesideList(on size: Size) -> Bool

    func extent(size: Size) -> Face.ListExtent

    func layout(size: Size, glyphs: Glyphs) -> PageLayout

    /// The row, entry, field or answer at a clicked position.
    func target(at place: Position, size: Size) -> Int?

    /// Whether a double click acts as Enter.
    var isActivatedByDoubleClick: Bool { get }

    /// The column of the line between a list and its details; nil without one.
    func divider(size: Size) -> Int?

    func draw(on grid: inout Grid)
}

extension FeatureView {
    var isOverlay: Bool { false }
    var isActivatedByDoubleClick: Bool { true }
    func isBesideList(on size: Size) -> Bool { false }
    func target(at place: Position, size: Size) -> Int? { nil }
    func divider(size: Size) -> Int? { nil }
    func extent(size: Size) -> Face.ListExtent {
        Face.ListExtent(rows: ScreenArea.body(of: size).rows, showsText: false)
    }

    /// The entry of the text at a clicked position, if entries can be selected.
    func entry(of page: Page, scroll: Int, at place: Position, size: Size) -> Int? {
        guard page.entry != nil else { return nil }
        return layout(size: size, glyphs: .utf8).entry(at: place, scroll: scroll)
    }
}

enum ScreenArea {
    static let smallest = Size(rows: 10, columns: 40)

    static func isTooSmall(_ size: Size) -> Bool { size.rows < smallest.rows || size.columns < smallest.columns }

    /// Whether there are enough rows for the tabs and a rule below them.
    static func hasRule(_ size: Size) -> Bool { size.rows >= 14 }

    /// Between the rule, or the title line, and the footer.
    static func body(of size: Size) -> Rect {
        let top = hasRule(size) ? 2 : 1
        return Rect(
            row: top, column: 0, rows: size.rows - top - 1 - (bottomRule(of: size) == nil ? 0 : 1),
            columns: size.columns)
    }

    /// Above the footer, if there are enough rows.
    static func bottomRule(of size: Size) -> Rect? { size.rows < 26 ? nil : line(of: size) }

    static func line(of size: Size) -> Rect { Rect(row: size.rows - 2, column: 0, rows: 1, columns: size.columns) }

    static func isWide(_ size: Size) -> Bool { size.columns >= 100 }

    /// The area of a list, and on wide screens that of its details: half of it, or a third if the list needs more.
    static func halves(of size: Size, listNeeds needed: @autoclosure () -> Int) -> (list: Rect, details: Rect?) {
        let body = body(of: size)
        guard isWide(size) else { return (body, nil) }
        let parts = body.splitRight(min(max(body.columns - needed(), body.columns * 35 / 100), body.columns / 2))
        return (parts.rest, parts.right.inset(rows: 0, columns: 2))
    }
}
