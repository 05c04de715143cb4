package import Keys

/// A screen size in cells. Never negative or implausibly large, as the window size is untrusted.
package struct Size: Hashable, Sendable {
    package static let largest = Size(rows: 500, columns: 1000)

    package let rows: Int
    package let columns: Int

    package init(rows: Int, columns: Int) {
        self.rows = min(max(rows, 0), 500)
        self.columns = min(max(columns, 0), 1000)
    }
}

/// A part of the screen. Sides are never negative, so cutting off too much leaves an empty part.
package struct Rect: Hashable, Sendable {
    package var row: Int
    package var column: Int
    package var rows: Int
    package var columns: Int

    package init(row: Int, column: Int, rows: Int, columns: Int) {
        self.row = row
        self.column = column
        self.rows = max(rows, 0)
        self.columns = max(columns, 0)
    }

    package init(_ size: Size) { self.init(row: 0, column: 0, rows: size.rows, columns: size.columns) }

    package var size: Size { Size(rows: rows, columns: columns) }
    package var origin: Position { Position(row: row, column: column) }
    package var isEmpty: Bool { rows == 0 || columns == 0 }
    package var endRow: Int { row + rows }
    package var endColumn: Int { column + columns }

    package func contains(_ place: Position) -> Bool {
        place.row >= row && place.row < endRow && place.column >= column && place.column < endColumn
    }

    package func at(row inner: Int, column innerColumn: Int = 0) -> Position {
        Position(row: row + inner, column: column + innerColumn)
    }

    /// The part without `rows` at the top and bottom and `columns` at the left and right.
    package func inset(rows cutRows: Int = 1, columns cutColumns: Int = 1) -> Rect {
        let top = min(cutRows, rows)
        let left = min(cutColumns, columns)
        return Rect(row: row + top, column: column + left, rows: rows - 2 * cutRows, columns: columns - 2 * cutColumns)
    }

    /// The first `count` rows, and the rest.
    package func splitTop(_ count: Int) -> (top: Rect, rest: Rect) {
        let cut = min(max(count, 0), rows)
        return (
            Rect(row: row, column: column, rows: cut, columns: columns),
            Rect(row: row + cut, column: column, rows: rows - cut, columns: columns)
        )
    }

    /// The last `count` rows, and the rest above them.
    package func splitBottom(_ count: Int) -> (rest: Rect, bottom: Rect) {
        let cut = min(max(count, 0), rows)
        let parts = splitTop(rows - cut)
        return (parts.top, parts.rest)
    }

    /// The first `count` columns, and the rest.
    package func splitLeft(_ count: Int) -> (left: Rect, rest: Rect) {
        let cut = min(max(count, 0), columns)
        return (
            Rect(row: row, column: column, rows: rows, columns: cut),
            Rect(row: row, column: column + cut, rows: rows, columns: columns - cut)
        )
    }

    /// The last `count` columns, and the rest before them.
    package func splitRight(_ count: Int) -> (rest: Rect, right: Rect) {
        let cut = min(max(count, 0), columns)
        let parts = splitLeft(columns - cut)
        return (parts.left, parts.rest)
    }

    /// The centered part for a dialog, of at most the given size.
    package func centered(rows wantedRows: Int, columns wantedColumns: Int) -> Rect {
        let height = min(max(wantedRows, 0), rows)
        let width = min(max(wantedColumns, 0), columns)
        return Rect(
            row: row + (rows - height) / 2, column: column + (columns - width) / 2, rows: height, columns: width)
    }

    package func intersection(_ other: Rect) -> Rect {
        let top = max(row, other.row)
        let left = max(column, other.column)
        return Rect(
            row: top, column: left, rows: min(endRow, other.endRow) - top,
            columns: min(endColumn, other.endColumn) - left)
    }
}
