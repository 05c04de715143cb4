import Console
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
}

/// A cell as a grid keeps it: numbers only, so that a picture is made, compared and thrown away at once.
struct PackedCell: Equatable, Sendable {
    /// A character of one scalar, or ``longer`` and the number of its text; nothing in the second half of a wide one.
    fileprivate(set) var content: UInt32
    fileprivate(set) var width: UInt8
    fileprivate(set) var line: LineDrawing?
    fileprivate(set) var style: Style

    fileprivate static let longer: UInt32 = 1 << 31

    fileprivate static func blank(_ style: Style = .text) -> PackedCell {
        PackedCell(content: 0x20, width: 1, line: nil, style: style)
    }

    fileprivate static func continuation(_ style: Style) -> PackedCell {
        PackedCell(content: 0, width: 0, line: nil, style: style)
    }

    /// The character where it is one of ASCII, as nearly all are.
    var ascii: UInt32? { width == 1 && content < 0x80 ? content : nil }
}

/// A picture of the whole screen, as a value. Screens draw into it, the terminal's owner writes what changed, and a
/// test reads `plainText`. Everything written goes through `SafeText`, and nothing is written outside.
package struct Grid: Equatable, Sendable {
    package let size: Size
    package let glyphs: Glyphs
    /// Where the hardware cursor stands; nil hides it. A screen reader follows it.
    package var cursor: Position?
    private var cells: [PackedCell]
    /// The characters of more than one scalar.
    private var longer: [String] = []
    /// Where a click is a key; the last one lies on top.
    private var keyAreas: [(area: Rect, key: Key)] = []

    package init(size: Size, glyphs: Glyphs = .utf8) {
        self.size = size
        self.glyphs = glyphs
        cells = Array(repeating: .blank(), count: size.rows * size.columns)
    }

    package var bounds: Rect { Rect(size) }

    /// The cell at a place; a blank outside.
    package subscript(_ place: Position) -> Cell {
        bounds.contains(place) ? cell(cells[place.row * size.columns + place.column]) : .blank()
    }

    /// The cell at a place that is inside.
    func packed(row: Int, column: Int) -> PackedCell { cells[row * size.columns + column] }

    /// A cell of this grid with its text.
    func cell(_ packed: PackedCell) -> Cell {
        Cell(text: text(packed), width: Int(packed.width), style: packed.style, line: packed.line)
    }

    private func text(_ packed: PackedCell) -> String {
        guard packed.width > 0 else { return "" }
        if packed.content & PackedCell.longer != 0 { return longer[Int(packed.content ^ PackedCell.longer)] }
        return Unicode.Scalar(packed.content).map { String($0) } ?? ""
    }

    /// Whether a place that is inside looks the same in another grid of this size.
    func isSame(as other: Grid, row: Int, column: Int) -> Bool {
        let index = row * size.columns + column
        return isSame(cells[index], as: other.cells[index], of: other)
    }

    private func isSame(_ own: PackedCell, as its: PackedCell, of other: Grid) -> Bool {
        guard own.content & its.content & PackedCell.longer != 0 else { return own == its }
        return own.width == its.width && own.style == its.style && text(own) == other.text(its)
    }

    package static func == (one: Grid, other: Grid) -> Bool {
        one.size == other.size && one.glyphs == other.glyphs && one.cursor == other.cursor
            && one.cells.indices.allSatisfy { one.isSame(one.cells[$0], as: other.cells[$0], of: other) }
    }

    package subscript(row: Int, column: Int) -> Cell { self[Position(row: row, column: column)] }

    /// Writes `text` and returns the columns it took. It stays within `width` columns and the right edge; what does not
    /// fit is cut with an ellipsis.
    @discardableResult
    package mutating func put(_ text: String, at place: Position, style: Style = .text, width: Int? = nil) -> Int {
        guard bounds.contains(place) else { return 0 }
        let room = min(size.columns - place.column, max(width ?? size.columns, 0))
        if text.utf8.count <= room, SafeText.isPlain(text) { return putPlain(text, at: place, style: style) }
        let safe = SafeText.line(text, glyphs: glyphs)
        let fitted = DisplayWidth.clip(safe, columns: room, ellipsis: glyphs.ellipsis)
        if SafeText.isPlain(fitted) { return putPlain(fitted, at: place, style: style) }
        var column = place.column
        DisplayWidth.forEachCluster(fitted[...]) { scalars, width in
            guard width > 0 else { return true }
            // Nearly always one scalar, which the cell holds itself.
            let content = scalars.count == 1 ? scalars[scalars.startIndex].value : keep(DisplayWidth.text(scalars))
            set(
                PackedCell(content: content, width: UInt8(width), line: nil, style: style), row: place.row,
                column: column)
            column += width
            return true
        }
        return column - place.column
    }

    /// Writes visible ASCII that fits.
    private mutating func putPlain(_ text: String, at place: Position, style: Style) -> Int {
        var column = place.column
        for byte in text.utf8 {
            set(PackedCell(content: UInt32(byte), width: 1, line: nil, style: style), row: place.row, column: column)
            column += 1
        }
        return column - place.column
    }

    /// - Returns: what a cell says of a character of several scalars.
    private mutating func keep(_ text: String) -> UInt32 {
        longer.append(text)
        return PackedCell.longer | UInt32(longer.count - 1)
    }

    /// Writes `text` so that it ends at the right end of `width` columns.
    @discardableResult
    package mutating func putRight(_ text: String, at place: Position, style: Style = .text, width: Int) -> Int {
        let safe = SafeText.line(text, glyphs: glyphs)
        let taken = min(DisplayWidth.columns(safe), max(width, 0))
        return put(safe, at: Position(row: place.row, column: place.column + width - taken), style: style, width: taken)
    }

    /// Lets a click on `area` stand for a key.
    package mutating func setKey(_ key: Key, in area: Rect) {
        if !area.isEmpty { keyAreas.append((area, key)) }
    }

    /// What was drawn until now is covered or dimmed: a click on it is no key any more.
    package mutating func forgetKeys() { keyAreas = [] }

    /// The key that a click at a place stands for.
    package func key(at place: Position) -> Key? { keyAreas.last { $0.area.contains(place) }?.key }

    /// Clears a part to spaces of `style`.
    package mutating func fill(_ rect: Rect, style: Style = .text) {
        forEachPlace(in: rect) { grid, row, column in grid.set(.blank(style), row: row, column: column) }
    }

    /// Gives a part another style and leaves its text.
    package mutating func restyle(_ rect: Rect, style: Style) {
        forEachPlace(in: rect) { grid, row, column in grid.cells[row * grid.size.columns + column].style = style }
    }

    /// Takes everything back that is drawn so far, behind a dialog.
    package mutating func recede() {
        for index in cells.indices where cells[index].style.role != .qr { cells[index].style = .role(.muted) }
    }

    /// Puts one piece of a ruled line.
    package mutating func put(_ line: LineDrawing, at place: Position, style: Style = .role(.border)) {
        guard bounds.contains(place) else { return }
        let content = line.text(glyphs).unicodeScalars.first?.value ?? 0x20
        set(PackedCell(content: content, width: 1, line: line, style: style), row: place.row, column: place.column)
    }

    /// The screen as text: rows joined by newlines, spaces at the end of a row cut.
    package var plainText: String {
        (0..<size.rows).map { row in
            trimmed((0..<size.columns).map { text(cells[row * size.columns + $0]) }.joined(), of: " ")
        }.joined(separator: "\n")
    }

    /// The screen as letters of roles (`Role.letter`), cut after the last cell that is not plain text.
    package var styledText: String {
        (0..<size.rows).map { row in
            trimmed(
                String((0..<size.columns).map { cells[row * size.columns + $0].style.letter }),
                of: Role.text.letter)
        }.joined(separator: "\n")
    }

    private func trimmed(_ text: String, of filler: Character) -> String {
        var text = Substring(text)
        while text.last == filler { text.removeLast() }
        return String(text)
    }

    /// Half a wide character never stays behind: the other half of what is overwritten becomes a space.
    private mutating func set(_ cell: PackedCell, row: Int, column: Int) {
        let width = Int(cell.width)
        guard column + width <= size.columns else { return }
        let start = row * size.columns
        if cells[start + column].width == 0, column > 0 {
            cells[start + column - 1] = .blank(cells[start + column - 1].style)
        }
        let end = column + width
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
