import Terminal

/// A piece of a row in one style.
struct Span: Equatable, Sendable {
    var text: String
    var style: Style

    init(_ text: String, _ role: Role = .text, bold: Bool = false) {
        self.text = text
        style = Style(role: role, bold: bold)
    }
}

/// Rows of text for a known width, wrapped and cleaned: what every panel, details view and help page is made of.
struct Sheet {
    let width: Int
    let glyphs: Glyphs
    private(set) var rows: [[Span]] = []
    /// A text from outside takes so many scalars at most: a name of thousands must not push everything else away.
    private static let limit = 600

    init(width: Int, glyphs: Glyphs) {
        self.width = max(1, width)
        self.glyphs = glyphs
    }

    mutating func blank() { if let last = rows.last, !last.isEmpty { rows.append([]) } }
    mutating func row(_ spans: [Span]) { rows.append(spans) }
    mutating func heading(_ text: String) { rows.append([Span(text, .title, bold: true)]) }

    mutating func text(_ text: String, _ role: Role = .text, indent: Int = 0) {
        for line in wrapped(text, columns: width - indent) { rows.append([Span(spaces(indent)), Span(line, role)]) }
    }

    /// A glyph, and text that stays right of it.
    mutating func item(_ glyph: String, _ role: Role, _ text: String, _ textRole: Role = .text, indent: Int = 0) {
        let mark = DisplayWidth.columns(glyph) + 1
        for (index, line) in wrapped(text, columns: width - mark - indent).enumerated() {
            rows.append([Span(spaces(indent) + (index == 0 ? glyph + " " : spaces(mark)), role), Span(line, textRole)])
        }
    }

    /// A label and its value beside it, or below it where there is no room.
    mutating func field(_ label: String, _ value: String, _ role: Role = .text, labelWidth: Int = 14) {
        pair(label, .label, value, role, labelWidth: labelWidth)
    }

    mutating func pair(_ label: String, _ labelRole: Role, _ value: String, _ role: Role = .text, labelWidth: Int) {
        let label = clean(label)
        let room = width - labelWidth
        if room < 16 || DisplayWidth.columns(label) >= labelWidth {
            for line in DisplayWidth.wrap(label, columns: width) { rows.append([Span(line, labelRole)]) }
            text(value, role, indent: min(2, width - 1))
            return
        }
        for (index, line) in wrapped(value, columns: room).enumerated() {
            rows.append([
                Span(DisplayWidth.pad(index == 0 ? label : "", columns: labelWidth), labelRole), Span(line, role),
            ])
        }
    }

    /// A bar with words after it; something left is never drawn as nothing, something missing never as full.
    mutating func bar(_ fraction: Double, columns: Int, _ words: String, indent: Int = 0) {
        let columns = max(1, columns)
        let share = fraction.isFinite ? min(max(fraction, 0), 1) : 0
        var filled = Int((share * Double(columns)).rounded())
        if filled == 0, share > 0 { filled = 1 }
        if filled == columns, share < 1 { filled = columns - 1 }
        rows.append([
            Span(spaces(indent)), Span(String(repeating: glyphs.barFull, count: filled), .barFull),
            Span(String(repeating: glyphs.barEmpty, count: columns - filled), .barEmpty), Span(" " + words, .muted),
        ])
    }

    private func clean(_ text: String) -> String { SafeText.line(text, glyphs: glyphs, limit: Self.limit) }
    private func wrapped(_ text: String, columns: Int) -> [String] {
        DisplayWidth.wrap(clean(text), columns: max(1, columns))
    }
    private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}

extension Grid {
    /// Draws spans one after the other within `width` columns.
    mutating func put(_ spans: [Span], at place: Position, width: Int) {
        var used = 0
        for span in spans where used < width {
            used += put(
                span.text, at: Position(row: place.row, column: place.column + used), style: span.style,
                width: width - used)
        }
    }

    /// Draws the rows from `scroll` on; signs at the right edge say that there is more.
    mutating func draw(_ sheet: Sheet, in area: Rect, scroll: Int) {
        guard !area.isEmpty else { return }
        let first = min(max(scroll, 0), max(0, sheet.rows.count - area.rows))
        for (offset, row) in sheet.rows.dropFirst(first).prefix(area.rows).enumerated() {
            put(row, at: area.at(row: offset), width: area.columns)
        }
        let edge = area.columns - 1
        if first > 0 { put(glyphs.arrowUp, at: area.at(row: 0, column: edge), style: .role(.muted), width: 1) }
        if first + area.rows < sheet.rows.count {
            put(glyphs.arrowDown, at: area.at(row: area.rows - 1, column: edge), style: .role(.muted), width: 1)
        }
    }
}
