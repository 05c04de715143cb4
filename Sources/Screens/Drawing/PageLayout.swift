import AppModel
import Keys
import Terminal

/// Where the text of a feature is on the screen, and what else a click can meet.
struct PageLayout {
    var text: TextRows
    var area: Rect
    /// The two answers below a question.
    var buttons: [Rect] = []

    /// The entry of the text at a place; nil where there is none.
    func entry(at place: Position, scroll: Int) -> Int? {
        guard area.contains(place) else { return nil }
        let row = text.firstRow(scroll, in: area) + place.row - area.row
        return text.entries.firstIndex { $0.contains(row) }
    }

    /// Where the cursor stands: on the row that is marked, for those who follow the cursor.
    func cursor(of feature: any Feature) -> Position {
        let first = text.firstRow(feature.scroll, in: area)
        guard let entry = feature.entry, text.entries.indices.contains(entry) else { return area.origin }
        return area.at(row: min(max(text.entries[entry].lowerBound - first, 0), max(0, area.rows - 1)))
    }
}

/// How a feature is drawn.
protocol FeatureView {
    /// Whether it lies on what is below instead of replacing it.
    var isOverlay: Bool { get }

    /// Whether it takes the place that the page below has beside its list, which stays as it is.
    func isBesideList(on size: Size) -> Bool

    /// How much of its list is seen.
    func extent(in context: Context, size: Size) -> Face.ListExtent

    func layout(in context: Context, size: Size, glyphs: Glyphs) -> PageLayout

    /// What a click at a place marks: a row, an entry, a field or an answer.
    func target(at place: Position, in context: Context, size: Size) -> Int?

    /// Whether a double click does what Enter does.
    var isActivatedByDoubleClick: Bool { get }

    /// The column of the line between a list and its text; nil where there is none.
    func divider(in context: Context, size: Size) -> Int?

    func draw(in context: Context, on grid: inout Grid)
}

extension FeatureView {
    var isActivatedByDoubleClick: Bool { true }
    func isBesideList(on size: Size) -> Bool { false }
    func divider(in context: Context, size: Size) -> Int? { nil }
    func extent(in context: Context, size: Size) -> Face.ListExtent {
        Face.ListExtent(rows: ScreenArea.body(of: size).rows, showsText: false)
    }
}

/// The parts that every screen has.
enum ScreenArea {
    static let smallest = Size(rows: 10, columns: 40)

    static func isTooSmall(_ size: Size) -> Bool { size.rows < smallest.rows || size.columns < smallest.columns }

    /// Whether there are rows enough for the views above and a rule below them.
    static func hasRule(_ size: Size) -> Bool { size.rows >= 14 }

    /// Between the rule, or the title line, and the footer.
    static func body(of size: Size) -> Rect {
        let top = hasRule(size) ? 2 : 1
        return Rect(
            row: top, column: 0, rows: size.rows - top - 1 - (bottomRule(of: size) == nil ? 0 : 1),
            columns: size.columns)
    }

    /// Above the footer, where there are rows enough.
    static func bottomRule(of size: Size) -> Rect? {
        size.rows < 26 ? nil : Rect(row: size.rows - 2, column: 0, rows: 1, columns: size.columns)
    }

    /// The line above the footer, for what is typed.
    static func line(of size: Size) -> Rect { Rect(row: size.rows - 2, column: 0, rows: 1, columns: size.columns) }

    static func isWide(_ size: Size) -> Bool { size.columns >= 100 }

    /// The part for a list, and the part for what is marked in it where the screen is wide.
    static func halves(of size: Size) -> (list: Rect, details: Rect?) {
        let body = body(of: size)
        guard isWide(size) else { return (body, nil) }
        let parts = body.splitRight(body.columns / 2)
        return (parts.rest, parts.right.inset(rows: 0, columns: 2))
    }
}
