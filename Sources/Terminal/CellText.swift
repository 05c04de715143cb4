import CNcurses
import Console

/// The characters to send for a cell. Terminals disagree on joined emoji and flags, and ncurses keeps no joiner in a
/// cell, so only the first emoji of a sequence and the letters of a flag are drawn. Characters that the C library
/// measures differently are padded or replaced to keep columns aligned.
enum CellText {
    static func append(_ cell: Cell, to run: inout [UInt32]) {
        if cell.text.utf8.count == 1, let byte = cell.text.utf8.first { return run.append(UInt32(byte)) }
        run += scalars(of: cell)
    }

    private static func scalars(of cell: Cell) -> [UInt32] {
        var kept: [UInt32] = []
        var columns = 0
        for scalar in cell.text.unicodeScalars {
            let value = scalar.value
            if DisplayWidth.isRegionalIndicator(scalar) {
                kept.append(value - 0x1F1E6 + 0x41)
                columns += 1
                continue
            }
            // Skip joined characters and variation selectors.
            if value == 0x200D { break }
            if (0xFE00...0xFE0F).contains(value) || (columns > 0 && scalar.properties.isEmojiModifier) { continue }
            let width = Int(foyer_width(value))
            guard width >= 0, columns + width <= cell.width else {
                kept.append(0x3F)
                columns += 1
                break
            }
            kept.append(value)
            columns += width
        }
        if columns > cell.width { return Array(repeating: 0x3F, count: cell.width) }
        return kept + Array(repeating: 0x20, count: cell.width - columns)
    }
}
