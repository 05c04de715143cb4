import Console
package import Keys

extension Grid {
    /// Draws a frame around `rect`, with a title in its top line. Keeps the text inside.
    package mutating func box(
        _ rect: Rect, title: String? = nil, style: Style = .role(.border), titleStyle: Style = .role(.title)
    ) {
        guard rect.rows >= 2, rect.columns >= 2 else { return }
        let bottom = rect.endRow - 1
        let right = rect.endColumn - 1
        hline(at: Position(row: rect.row, column: rect.column + 1), length: rect.columns - 2, style: style)
        hline(at: Position(row: bottom, column: rect.column + 1), length: rect.columns - 2, style: style)
        vline(at: Position(row: rect.row + 1, column: rect.column), length: rect.rows - 2, style: style)
        vline(at: Position(row: rect.row + 1, column: right), length: rect.rows - 2, style: style)
        put(.topLeft, at: rect.origin, style: style)
        put(.topRight, at: Position(row: rect.row, column: right), style: style)
        put(.bottomLeft, at: Position(row: bottom, column: rect.column), style: style)
        put(.bottomRight, at: Position(row: bottom, column: right), style: style)
        if let title, rect.columns >= 8 {
            // A space and a piece of the line on either side.
            let fitted = DisplayWidth.clip(
                SafeText.line(title, glyphs: glyphs), columns: rect.columns - 6, ellipsis: glyphs.ellipsis)
            put(" \(fitted) ", at: rect.at(row: 0, column: 2), style: titleStyle, width: rect.columns - 4)
        }
    }

    package mutating func hline(at place: Position, length: Int, style: Style = .role(.border)) {
        put(.horizontal, in: Rect(row: place.row, column: place.column, rows: 1, columns: length), style: style)
    }

    package mutating func vline(at place: Position, length: Int, style: Style = .role(.border)) {
        put(.vertical, in: Rect(row: place.row, column: place.column, rows: length, columns: 1), style: style)
    }

    /// A bar, filled by `fraction` (0 to 1). It looks empty or full only if it is exactly that.
    package mutating func bar(
        at place: Position, width: Int, fraction: Double, full: Style = .role(.barFull), empty: Style = .role(.barEmpty)
    ) {
        guard width > 0, width <= Size.largest.columns else { return }
        let share = fraction.isNaN ? 0 : min(max(fraction, 0), 1)
        var filled = Int((share * Double(width)).rounded())
        if filled == 0, share > 0 { filled = 1 }
        if filled == width, share < 1, width > 1 { filled = width - 1 }
        for offset in 0..<width {
            let isFull = offset < filled
            put(
                isFull ? glyphs.barFull : glyphs.barEmpty, at: Position(row: place.row, column: place.column + offset),
                style: isFull ? full : empty, width: 1)
        }
    }
}
