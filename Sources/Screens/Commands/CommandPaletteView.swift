import AppModel
import Keys
import Terminal

/// The command line at the bottom of the body, with matching commands above it.
struct CommandPaletteView: FeatureView {
    let palette: CommandPalette
    let title: String

    var isOverlay: Bool { true }

    func layout(size: Size, glyphs: Glyphs) -> PageLayout {
        PageLayout(text: TextRows(width: size.columns, glyphs: glyphs), area: parts(of: size).frame)
    }

    func target(at place: Position, size: Size) -> Int? {
        let (frame, rows, first) = parts(of: size)
        let row = place.row - frame.row - 1
        return (0..<rows).contains(row) && palette.found.indices.contains(first + row) ? first + row : nil
    }

    func draw(on grid: inout Grid) {
        let (frame, rows, first) = parts(of: grid.size)
        grid.fill(frame, style: .role(.overlay))
        grid.box(frame, title: title, style: .role(.borderFocus))
        let inner = frame.inset(rows: 1, columns: 2)
        for (offset, index) in palette.found.dropFirst(first).prefix(rows).enumerated() {
            draw(
                palette.items[index], isSelected: first + offset == palette.selected, on: &grid, inner.at(row: offset),
                inner.columns)
        }
        if palette.found.isEmpty {
            grid.put("no such command", at: inner.origin, style: .role(.muted), width: inner.columns)
        }
        let line = inner.at(row: rows)
        let used = grid.put(":", at: line, style: .role(.key), width: 2)
        grid.cursor = grid.draw(
            palette.field, at: line.moved(used), width: inner.columns - used, placeholder: "a command", isFocused: true)
    }

    private func parts(of size: Size) -> (frame: Rect, rows: Int, first: Int) {
        let body = ScreenArea.body(of: size)
        let rows = min(max(1, palette.found.count), max(1, min(12, body.rows - 3)))
        let frame = Rect(row: body.endRow - rows - 3, column: 0, rows: rows + 3, columns: body.columns)
        return (frame, rows, max(0, min(palette.selected - rows / 2, palette.found.count - rows)))
    }

    private func draw(_ item: CommandPalette.Item, isSelected: Bool, on grid: inout Grid, _ at: Position, _ width: Int)
    {
        let ground: Style = isSelected ? .role(.selection) : .role(.overlay)
        if isSelected { grid.fill(Rect(row: at.row, column: at.column, rows: 1, columns: width), style: ground) }
        func put(_ text: String, _ column: Int, _ columns: Int, _ role: Role) {
            guard columns > 0 else { return }
            grid.put(text, at: at.moved(column), style: isSelected ? ground : .role(role), width: columns)
        }
        if isSelected { put(grid.glyphs.pointer, 0, 1, .selection) }
        put(item.name, 2, 15, .emphasis)
        put(item.key?.name(isASCII: grid.glyphs.isASCII) ?? "", 18, 6, .key)
        put(item.help, 25, width - 25, .muted)
    }
}
