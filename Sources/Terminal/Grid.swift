package import Keys

/// One cell of the screen: one character that is safe to show, or the second half of the wide one before it.
package struct Cell: Equatable, Sendable {
    package let text: String
    /// 1, or 2 for a wide character, or 0 for the second half of one.
    package let width: Int
    package var style: Style
    /// Set for a ruled line, so that the terminal's own line set can draw it.
    package let line: LineDrawing?

    package static func blank(_ style: Style = .text) -> Cell { Cell(text: " ", width: 1, style: style, line: nil) }
    static func continuation(_ style: Style) -> Cell { Cell(text: "", width: 0, style: style, line: nil) }
}

/// A picture of the whole screen, as a value. Screens draw into it, the terminal's owner writes what changed, and a
/// test reads `plainText`. Everything written goes through `SafeText`, and nothing is written outside.
package struct Grid: Equatable, Sendable {
    package let size: Size
    package let glyphs: Glyphs
    /// Where the hardware cursor stands; nil hides it. A screen reader follows it.
    package var cursor: Position?
    private var cells: [Cell]

    package init(size: Size, glyphs: Glyphs = .utf8) {
        self.size = size
        self.glyphs = glyphs
        cells = Array(repeating: .blank(), count: size.rows * size.columns)
    }

    package var bounds: Rect { Rect(size) }

    /// The cell at a place; a blank outside.
    package subscript(_ place: Position) -> Cell {
        bounds.contains(place) ? cells[place.row * size.columns + place.column] : .blank()
    }

    /// The cells of a row that is inside.
    func row(_ row: Int) -> ArraySlice<Cell> { cells[row * size.columns..<(row + 1) * size.columns] }

    package subscript(row: Int, column: Int) -> Cell { self[Position(row: row, column: column)] }

    /// Writes `text` and returns the columns it took. It stays within `width` columns and the right edge; what does not
    /// fit is cut with an ellipsis.
    @discardableResult
    package mutating func put(_ text: String, at place: Position, style: Style = .text, width: Int? = nil) -> Int {
        guard bounds.contains(place) else { return 0 }
        let room = min(size.columns - place.column, max(width ?? size.columns, 0))
        let safe = SafeText.line(text, glyphs: glyphs)
        let fitted = DisplayWidth.clip(safe, columns: room, ellipsis: glyphs.ellipsis)
        var column = place.column
        if SafeText.isPlain(fitted) {
            for byte in fitted.utf8 {
                let text = String(UnicodeScalar(byte))
                set(Cell(text: text, width: 1, style: style, line: nil), row: place.row, column: column)
                column += 1
            }
            return column - place.column
        }
        DisplayWidth.forEachCluster(fitted[...]) { scalars, width in
            guard width > 0 else { return true }
            // Nearly always one scalar, which makes a text at the least cost.
            let isOne = scalars.index(after: scalars.startIndex) == scalars.endIndex
            let text = isOne ? String(scalars[scalars.startIndex]) : String(scalars)
            set(Cell(text: text, width: width, style: style, line: nil), row: place.row, column: column)
            column += width
            return true
        }
        return column - place.column
    }

    /// Writes `text` so that it ends at the right end of `width` columns.
    @discardableResult
    package mutating func putRight(_ text: String, at place: Position, style: Style = .text, width: Int) -> Int {
        let safe = SafeText.line(text, glyphs: glyphs)
        let taken = min(DisplayWidth.columns(safe), max(width, 0))
        return put(safe, at: Position(row: place.row, column: place.column + width - taken), style: style, width: taken)
    }

    /// Clears a part to spaces of `style`.
    package mutating func fill(_ rect: Rect, style: Style = .text) {
        forEachPlace(in: rect) { grid, row, column in grid.set(.blank(style), row: row, column: column) }
    }

    /// Gives a part another style and leaves its text.
    package mutating func restyle(_ rect: Rect, style: Style) {
        forEachPlace(in: rect) { grid, row, column in grid.cells[row * grid.size.columns + column].style = style }
    }

    /// Puts one piece of a ruled line.
    package mutating func put(_ line: LineDrawing, at place: Position, style: Style = .role(.border)) {
        guard bounds.contains(place) else { return }
        set(Cell(text: line.text(glyphs), width: 1, style: style, line: line), row: place.row, column: place.column)
    }

    /// The screen as text: rows joined by newlines, spaces at the end of a row cut.
    package var plainText: String {
        (0..<size.rows).map { row in
            trimmed((0..<size.columns).map { cells[row * size.columns + $0].text }.joined(), of: " ")
        }.joined(separator: "\n")
    }

    /// The screen as letters of roles (`Role.letter`), cut after the last cell that is not plain text.
    package var styledText: String {
        (0..<size.rows).map { row in
            trimmed(
                String((0..<size.columns).map { cells[row * size.columns + $0].style.role.letter }),
                of: Role.text.letter)
        }.joined(separator: "\n")
    }

    private func trimmed(_ text: String, of filler: Character) -> String {
        var text = Substring(text)
        while text.last == filler { text.removeLast() }
        return String(text)
    }

    /// Half a wide character never stays behind: the other half of what is overwritten becomes a space.
    private mutating func set(_ cell: Cell, row: Int, column: Int) {
        guard column + cell.width <= size.columns else { return }
        let start = row * size.columns
        if cells[start + column].width == 0, column > 0 {
            cells[start + column - 1] = .blank(cells[start + column - 1].style)
        }
        let end = column + cell.width
        if end < size.columns, cells[start + end].width == 0 {
            cells[start + end] = .blank(cells[start + end].style)
        }
        cells[start + column] = cell
        if cell.width == 2 { cells[start + column + 1] = .continuation(cell.style) }
    }

    private mutating func forEachPlace(in rect: Rect, _ visit: (inout Grid, Int, Int) -> Void) {
        let part = rect.intersection(bounds)
        for row in part.row..<part.endRow where !part.isEmpty {
            for column in part.column..<part.endColumn { visit(&self, row, column) }
        }
    }
}
