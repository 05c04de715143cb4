import Terminal

// What every screen has: the title line with the store and its badge, the notice, and the footer made from the key
// table.
extension State {
    static let smallest = Size(rows: 10, columns: 40)

    var isTooSmall: Bool { Self.isTooSmall(size) }
    static func isTooSmall(_ size: Size) -> Bool { size.rows < smallest.rows || size.columns < smallest.columns }

    /// Between the title line and the footer.
    static func body(of size: Size) -> Rect { Rect(row: 1, column: 0, rows: size.rows - 2, columns: size.columns) }

    func drawHeader(_ title: String, in grid: inout Grid) {
        let bar = Rect(row: 0, column: 0, rows: 1, columns: grid.size.columns)
        grid.fill(bar, style: .role(.header))
        var used = 1 + grid.put("foyer", at: bar.at(row: 0, column: 1), style: Style(role: .header, bold: true))
        if context.isDemo { used += grid.put(" [demo]", at: bar.at(row: 0, column: used), style: .role(.badge)) }
        if context.isReadOnly {
            used += grid.put(" [read-only]", at: bar.at(row: 0, column: used), style: .role(.badge))
        }
        let badge = context.storeBadge.map { "[\($0)]" } ?? ""
        let badgeWidth = min(DisplayWidth.columns(SafeText.line(badge, glyphs: grid.glyphs)), max(0, bar.columns / 2))
        let room = bar.columns - used - badgeWidth - 2
        let name = "  " + title
        used += grid.put(name, at: bar.at(row: 0, column: used), style: .role(.header), width: max(0, room))
        // The badge is always there; the store's name as far as there is room.
        grid.putRight(badge, at: bar.at(row: 0, column: 0), style: .role(.badge), width: bar.columns - 1)
        let left = bar.columns - used - badgeWidth - 4
        if left >= 12 {
            let label = DisplayWidth.clip(
                SafeText.line(context.storeLabel, glyphs: grid.glyphs), columns: left, ellipsis: grid.glyphs.ellipsis)
            grid.putRight(label, at: bar.at(row: 0, column: used), style: .role(.header), width: left + 2)
        }
    }

    func drawFooter(in grid: inout Grid) {
        let bar = Rect(row: grid.size.rows - 1, column: 0, rows: 1, columns: grid.size.columns)
        grid.fill(bar, style: .role(.footer))
        var entries = keys.footer(for: self, glyphs: grid.glyphs)
        // Help is what tells the rest, and the way out must be seen: their places are kept.
        let kept = entries.filter { ["quit", "help"].contains($0.label) }
        entries.removeAll { entry in kept.contains { $0.label == entry.label } }
        func columns(_ entry: (key: String, label: String)) -> Int {
            DisplayWidth.columns(entry.key) + 1 + DisplayWidth.columns(entry.label) + 2
        }
        var room = bar.columns - 1 - kept.map(columns).reduce(0, +)
        var used = 1
        for entry in entries.prefix(while: {
            room -= columns($0)
            return room >= 0
        }) + kept {
            used += grid.put(entry.key, at: bar.at(row: 0, column: used), style: .role(.key))
            used += grid.put(" " + entry.label, at: bar.at(row: 0, column: used), style: .role(.footer)) + 2
        }
    }

    func drawNotice(in grid: inout Grid) {
        guard let notice else { return }
        let row = Rect(row: grid.size.rows - 2, column: 0, rows: 1, columns: grid.size.columns)
        grid.fill(row, style: .role(.info))
        grid.put(" " + notice, at: row.origin, style: .role(.info))
    }

    func drawTooSmall(in grid: inout Grid) {
        let words =
            """
            terminal too small: needs \(Self.smallest.columns)x\(Self.smallest.rows), has \
            \(grid.size.columns)x\(grid.size.rows)
            """
        for (row, line) in DisplayWidth.wrap(words, columns: max(1, grid.size.columns)).enumerated()
        where row < grid.size.rows {
            grid.put(line, at: Position(row: row, column: 0), style: .role(.attention))
        }
    }
}
