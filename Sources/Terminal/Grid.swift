import Console
import Glibc
package import Keys

package struct Cell: Equatable, Sendable {
    package let text: String
    /// 1, 2 for a wide character, or 0 for its second half.
    package let width: Int
    package var style: Style
    package let line: LineDrawing?

    package static func blank(_ style: Style = .text) -> Cell { Cell(text: " ", width: 1, style: style, line: nil) }
}

/// A cell in a grid's storage: numbers only, so that grids are cheap to create, compare and discard.
struct PackedCell: Equatable, Sendable {
    /// A single scalar, or ``longer`` plus the index of a longer text; 0 in the second half of a wide character.
    fileprivate(set) var content: UInt32
    fileprivate(set) var width: UInt8
    fileprivate(set) var line: LineDrawing?
    fileprivate(set) var style: Style
    /// Fills the cell's last bytes, so that rows can be compared by their bytes.
    private let unused: UInt16 = 0

    fileprivate init(content: UInt32, width: UInt8, line: LineDrawing?, style: Style) {
        (self.content, self.width, self.line, self.style) = (content, width, line, style)
    }

    fileprivate static let longer: UInt32 = 1 << 31

    fileprivate static func blank(_ style: Style = .text) -> PackedCell {
        PackedCell(content: 0x20, width: 1, line: nil, style: style)
    }

    fileprivate static func continuation(_ style: Style) -> PackedCell {
        PackedCell(content: 0, width: 0, line: nil, style: style)
    }

    /// The character if it is ASCII, as most are.
    var ascii: UInt32? { width == 1 && content < 0x80 ? content : nil }
}

/// The contents of the whole screen as a value. Screens draw into it, the terminal writes the changes, and tests read
/// `plainText`. All text passes through `SafeText`, and drawing is limited to the grid.
package struct Grid: Equatable, Sendable {
    package let size: Size
    package let glyphs: Glyphs
    /// The hardware cursor, which screen readers follow; nil hides it.
    package var cursor: Position?
    private var cells: [PackedCell]
    private var longer: [String] = []
    /// Areas where a click acts as a key; the last one is on top.
    private var keyAreas: [(area: Rect, key: Key)] = []

    package init(size: Size, glyphs: Glyphs = .utf8) {
        self.size = size
        self.glyphs = glyphs
        cells = Array(repeating: .blank(), count: size.rows * size.columns)
    }

    package var bounds: Rect { Rect(size) }

    /// The cell at a position; blank outside of the grid.
    package subscript(_ place: Position) -> Cell {
        bounds.contains(place) ? cell(cells[place.row * size.columns + place.column]) : .blank()
    }

    /// Whether a text has a number of seconds, such as `59 s`.
    package var countsSeconds: Bool {
        func character(_ index: Int) -> UInt8 { cells[index].ascii.map { UInt8(truncatingIfNeeded: $0) } ?? 0 }
        return cells.indices.dropFirst(2).dropLast().contains { index in
            character(index) == UInt8(ascii: "s") && character(index - 1) == UInt8(ascii: " ")
                && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character(index - 2))
                && !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character(index + 1))
        }
    }

    func packed(row: Int, column: Int) -> PackedCell { cells[row * size.columns + column] }

    func cell(_ packed: PackedCell) -> Cell {
        Cell(text: text(packed), width: Int(packed.width), style: packed.style, line: packed.line)
    }

    private func text(_ packed: PackedCell) -> String {
        guard packed.width > 0 else { return "" }
        if packed.content & PackedCell.longer != 0 { return longer[Int(packed.content ^ PackedCell.longer)] }
        return Unicode.Scalar(packed.content).map { String($0) } ?? ""
    }

    /// For each column of a row, whether it differs from a grid of the same size: all do if there is none. Empty if the
    /// row is the same.
    func changes(in row: Int, since before: Grid?) -> [Bool] {
        guard let before else { return Array(repeating: true, count: size.columns) }
        let places = row * size.columns..<(row + 1) * size.columns
        let isSame =
            longer == before.longer
            && cells.withUnsafeBytes { own in
                before.cells.withUnsafeBytes { its in
                    let (start, count) = (places.lowerBound * Self.stride, places.count * Self.stride)
                    guard let own = own.baseAddress, let its = its.baseAddress else { return true }
                    return memcmp(own + start, its + start, count) == 0
                }
            }
        guard !isSame else { return [] }
        let changes = places.map { !self.isSame(cells[$0], as: before.cells[$0], of: before) }
        return changes.contains(true) ? changes : []
    }

    private static let stride = MemoryLayout<PackedCell>.stride

    private func isSame(_ own: PackedCell, as its: PackedCell, of other: Grid) -> Bool {
        guard own.content & its.content & PackedCell.longer != 0 else { return own == its }
        return own.width == its.width && own.style == its.style && text(own) == other.text(its)
    }

    package static func == (one: Grid, other: Grid) -> Bool {
        one.size == other.size && one.glyphs == other.glyphs && one.cursor == other.cursor
            && one.cells.indices.allSatisfy { one.isSame(one.cells[$0], as: other.cells[$0], of: other) }
    }

    package subscript(row: Int, column: Int) -> Cell { self[Position(row: row, column: column)] }

    /// Writes `text` and returns the columns it used. Cuts it with an ellipsis at `width` columns or the right edge.
    @discardableResult
    package mutating func put(_ text: String, at place: Position, style: Style = .text, width: Int? = nil) -> Int {
        guard bounds.contains(place) else { return 0 }
        let room = min(size.columns - place.column, max(width ?? size.columns, 0))
        if let columns = DisplayWidth.simpleColumns(text[...]), columns <= room,
            !glyphs.isASCII || columns == text.utf8.count
        {
            return putSimple(text, columns, at: place, style: style)
        }
        let safe = SafeText.line(text, glyphs: glyphs)
        let fitted = DisplayWidth.clip(safe, columns: room, ellipsis: glyphs.ellipsis)
        if let columns = DisplayWidth.simpleColumns(fitted[...]) {
            return putSimple(fitted, columns, at: place, style: style)
        }
        var column = place.column
        DisplayWidth.forEachCluster(fitted[...]) { scalars, width in
            guard width > 0 else { return true }
            // Almost always one scalar, which fits in the cell.
            let content = scalars.count == 1 ? scalars[scalars.startIndex].value : keep(DisplayWidth.text(scalars))
            set(
                PackedCell(content: content, width: UInt8(width), line: nil, style: style), row: place.row,
                column: column)
            column += width
            return true
        }
        return column - place.column
    }

    /// Draws text of which each scalar is one column.
    private mutating func putSimple(_ text: String, _ columns: Int, at place: Position, style: Style) -> Int {
        let end = place.column + columns
        guard end > place.column, end <= size.columns else { return 0 }
        halveWide(at: place.column, end, of: place.row)
        var index = place.row * size.columns + place.column
        for scalar in text.unicodeScalars {
            cells[index] = PackedCell(content: scalar.value, width: 1, line: nil, style: style)
            index += 1
        }
        return columns
    }

    /// - Returns: the cell's content for a character of several scalars.
    private mutating func keep(_ text: String) -> UInt32 {
        longer.append(text)
        return PackedCell.longer | UInt32(longer.count - 1)
    }

    /// Writes `text` right-aligned in `width` columns.
    @discardableResult
    package mutating func putRight(_ text: String, at place: Position, style: Style = .text, width: Int) -> Int {
        let safe = SafeText.line(text, glyphs: glyphs)
        let taken = min(DisplayWidth.columns(safe), max(width, 0))
        return put(safe, at: Position(row: place.row, column: place.column + width - taken), style: style, width: taken)
    }

    package mutating func setKey(_ key: Key, in area: Rect) {
        if !area.isEmpty { keyAreas.append((area, key)) }
    }

    /// Disables clicks on everything drawn so far, which is about to be covered or dimmed.
    package mutating func forgetKeys() { keyAreas = [] }

    package func key(at place: Position) -> Key? { keyAreas.last { $0.area.contains(place) }?.key }

    package mutating func fill(_ rect: Rect, style: Style = .text) {
        forEachPlace(in: rect) { grid, row, column in grid.set(.blank(style), row: row, column: column) }
    }

    package mutating func restyle(_ rect: Rect, style: Style) {
        forEachPlace(in: rect) { grid, row, column in grid.cells[row * grid.size.columns + column].style = style }
    }

    /// Dims everything drawn so far, behind a dialog.
    package mutating func recede() {
        for index in cells.indices where cells[index].style.role != .qr { cells[index].style = .role(.muted) }
    }

    package mutating func put(_ line: LineDrawing, at place: Position, style: Style = .role(.border)) {
        put(line, in: Rect(row: place.row, column: place.column, rows: 1, columns: 1), style: style)
    }

    /// Fills an area with a piece of a line.
    mutating func put(_ line: LineDrawing, in area: Rect, style: Style) {
        let content = line.text(glyphs).unicodeScalars.first?.value ?? 0x20
        let cell = PackedCell(content: content, width: 1, line: line, style: style)
        forEachPlace(in: area) { grid, row, column in grid.set(cell, row: row, column: column) }
    }

    /// The screen as text: rows separated by newlines, without trailing spaces.
    package var plainText: String {
        (0..<size.rows).map { row in
            trimmed((0..<size.columns).map { text(cells[row * size.columns + $0]) }.joined(), of: " ")
        }.joined(separator: "\n")
    }

    /// The screen as role letters (`Role.letter`), without trailing plain text.
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

    private mutating func set(_ cell: PackedCell, row: Int, column: Int) {
        let end = column + Int(cell.width)
        guard end <= size.columns else { return }
        halveWide(at: column, end, of: row)
        let index = row * size.columns + column
        cells[index] = cell
        if cell.width == 2 { cells[index + 1] = .continuation(cell.style) }
    }

    /// Turns the other half of a wide character into a space before columns are overwritten.
    private mutating func halveWide(at column: Int, _ end: Int, of row: Int) {
        let start = row * size.columns
        if cells[start + column].width == 0, column > 0 {
            cells[start + column - 1] = .blank(cells[start + column - 1].style)
        }
        if end < size.columns, cells[start + end].width == 0 {
            cells[start + end] = .blank(cells[start + end].style)
        }
    }

    private mutating func forEachPlace(in rect: Rect, _ visit: (inout Grid, Int, Int) -> Void) {
        let part = rect.intersection(bounds)
        for row in part.row..<part.endRow where !part.isEmpty {
            for column in part.column..<part.endColumn { visit(&self, row, column) }
        }
    }
}
