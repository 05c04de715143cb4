import AppModel
import Keys
import Terminal

/// A column of a list's row.
struct ListCell {
    var text: String
    var width: Int
    var role: Role

    init(_ text: String, width: Int, _ role: Role = .text) {
        self.text = text
        self.width = width
        self.role = role
    }
}

/// A list with the text of its marked row: beside it where the screen is wide, else in its place while it is read.
struct ListPage {
    let size: Size
    let count: Int
    let marked: Int
    let isReading: Bool

    private var halves: (list: Rect, details: Rect?) { ScreenArea.halves(of: size) }
    private var first: Int { ListCursor(marked).firstRow(showing: marked, of: count, rows: halves.list.rows) }

    var extent: Face.ListExtent { Face.ListExtent(rows: halves.list.rows, showsText: halves.details != nil) }

    /// The column of the line between the two; none where there is no list.
    var divider: Int? { count > 0 && halves.details != nil ? halves.list.endColumn : nil }

    func layout(_ block: TextBlock, glyphs: Glyphs) -> PageLayout {
        let area = halves.details ?? ScreenArea.body(of: size).inset(rows: 0, columns: 1)
        return PageLayout(text: TextRows(block, width: area.columns, glyphs: glyphs), area: area)
    }

    func target(at place: Position) -> Int? {
        let area = halves.list
        let row = first + place.row - area.row
        return !isReading && area.contains(place) && row < count ? row : nil
    }

    /// - Parameter cells: the columns of a row, in a list of this width.
    func draw(_ block: TextBlock, scroll: Int, on grid: inout Grid, cells: (Int, Int) -> [ListCell]) {
        let body = ScreenArea.body(of: size)
        guard count > 0 else {
            let text = TextRows(block, width: body.columns - 2, glyphs: grid.glyphs)
            grid.draw(
                text, in: Rect(row: body.row + 1, column: 2, rows: body.rows - 1, columns: body.columns - 2), scroll: 0)
            grid.cursor = body.at(row: 1)
            return
        }
        let page = layout(block, glyphs: grid.glyphs)
        let (list, details) = halves
        if !isReading || details != nil {
            for row in first..<min(count, first + list.rows) {
                draw(cells(row, list.columns), isMarked: row == marked, at: list.at(row: row - first), list, on: &grid)
            }
        }
        if details != nil || isReading { grid.draw(page.text, in: page.area, scroll: scroll) }
        if isReading { grid.cursor = page.area.origin }
    }

    private func draw(_ cells: [ListCell], isMarked: Bool, at place: Position, _ area: Rect, on grid: inout Grid) {
        let style = grid.ground(isMarked, at: place, width: area.columns)
        if isMarked { grid.cursor = place }
        var column = place.column + 2
        for cell in cells where cell.width > 0 && column < area.endColumn {
            grid.put(
                cell.text, at: Position(row: place.row, column: column), style: style(cell.role),
                width: min(cell.width - 1, area.endColumn - column))
            column += cell.width
        }
    }
}
