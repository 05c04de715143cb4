import AppModel
import Keys
import Terminal

// What every screen has: the title line with the store and its badge, the notice, and the footer made from the key
// table.
extension Grid {
    mutating func drawHeader(_ title: String, in context: Context) {
        let bar = Rect(row: 0, column: 0, rows: 1, columns: size.columns)
        fill(bar, style: .role(.header))
        var used = 1 + put("foyer", at: bar.at(row: 0, column: 1), style: Style(role: .header, bold: true))
        if context.isDemo { used += put(" [demo]", at: bar.at(row: 0, column: used), style: .role(.badge)) }
        let badge = context.storeBadge.map { "[\($0)]" } ?? ""
        let badgeWidth = min(DisplayWidth.columns(SafeText.line(badge, glyphs: glyphs)), max(0, bar.columns / 2))
        let room = bar.columns - used - badgeWidth - 2
        used += put("  " + title, at: bar.at(row: 0, column: used), style: .role(.header), width: max(0, room))
        // The badge is always there; the store's name as far as there is room.
        putRight(badge, at: bar.at(row: 0, column: 0), style: .role(.badge), width: bar.columns - 1)
        let left = bar.columns - used - badgeWidth - 4
        if left >= 12 {
            let label = DisplayWidth.clip(
                SafeText.line(context.storeLabel, glyphs: glyphs), columns: left, ellipsis: glyphs.ellipsis)
            putRight(label, at: bar.at(row: 0, column: used), style: .role(.header), width: left + 2)
        }
    }

    /// The keys that are valid now, as many as fit.
    mutating func drawFooter(_ offered: [KeyBinding]) {
        let bar = Rect(row: size.rows - 1, column: 0, rows: 1, columns: size.columns)
        fill(bar, style: .role(.footer))
        var entries = offered.filter { !$0.label.isEmpty }.map {
            (key: $0.keys.first?.name(isASCII: glyphs.isASCII) ?? "", label: $0.label)
        }
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
            used += put(entry.key, at: bar.at(row: 0, column: used), style: .role(.key))
            used += put(" " + entry.label, at: bar.at(row: 0, column: used), style: .role(.footer)) + 2
        }
    }

    mutating func drawNotice(_ notice: String) {
        let row = ScreenArea.line(of: size)
        fill(row, style: .role(.info))
        put(" " + notice, at: row.origin, style: .role(.info))
    }

    mutating func drawTooSmall() {
        let smallest = ScreenArea.smallest
        let words = "terminal too small: needs \(smallest.columns)x\(smallest.rows), has \(size.columns)x\(size.rows)"
        for (row, line) in DisplayWidth.wrap(words, columns: max(1, size.columns)).enumerated() where row < size.rows {
            put(line, at: Position(row: row, column: 0), style: .role(.attention))
        }
    }

    // MARK: What is typed

    /// A line to type into, above the footer.
    mutating func draw(_ prompt: TextPrompt) {
        let row = ScreenArea.line(of: size)
        fill(row, style: .role(.overlay))
        let used = put(" " + prompt.label + " ", at: row.origin, style: .role(.key))
        cursor = draw(
            prompt.field, at: row.at(row: 0, column: used), width: max(4, row.columns - used - 1),
            placeholder: prompt.hint,
            isFocused: true, isMasked: prompt.isMasked)
    }

    /// Draws the part of a text around its cursor and returns where the cursor is.
    @discardableResult
    mutating func draw(
        _ field: TextField, at place: Position, width: Int, placeholder: String = "", isFocused: Bool,
        isMasked: Bool = false
    ) -> Position {
        fill(Rect(row: place.row, column: place.column, rows: 1, columns: width), style: .role(.input))
        guard !field.isEmpty else {
            put(placeholder, at: place, style: .role(.placeholder), width: width)
            return place
        }
        // Of what is masked how long it is may be seen, no more.
        let characters = isMasked ? field.characters.map { _ in Character(glyphs.mask) } : field.characters
        // From so far back that the cursor is the last column at most.
        var start = isFocused ? field.cursor : 0
        var before = 0
        while start > 0 {
            let step = DisplayWidth.columns(SafeText.line(String(characters[start - 1]), glyphs: glyphs))
            if before + step > width - 1 { break }
            before += step
            start -= 1
        }
        put(String(characters[start...]), at: place, style: .role(.input), width: width)
        return Position(row: place.row, column: place.column + min(before, max(0, width - 1)))
    }
}
