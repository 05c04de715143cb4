// Screens draws AppModel in cells: positions, wrapping, glyphs and theme roles. It must not decide anything: the model
// decides what is shown and what a key does.

import AppModel
import Keys
package import Terminal

extension Tone {
    package var role: Role {
        switch self {
        case .text: .text
        case .muted: .muted
        case .emphasis: .emphasis
        case .title: .title
        case .label: .label
        case .key: .key
        case .ok: .ok
        case .attention: .attention
        case .danger: .danger
        case .info: .info
        case .code: .code
        case .link: .link
        case .selection: .selection
        }
    }
}

extension Sign {
    package func glyph(_ glyphs: Glyphs) -> String {
        switch self {
        case .none: " "
        case .full: glyphs.full
        case .half: glyphs.half
        case .quarter: glyphs.quarter
        case .empty: glyphs.empty
        case .renewal: glyphs.renewal
        case .warning: glyphs.warning
        case .check: glyphs.check
        case .cross: glyphs.cross
        case .pointer: glyphs.pointer
        case .bullet: glyphs.bullet
        case .separator: glyphs.separator
        case .arrowRight: glyphs.arrowRight
        case .busy(let seconds): glyphs.spinner[max(0, seconds) % glyphs.spinner.count]
        case .letter(let letter): letter
        case .checkbox(let isOn): isOn ? glyphs.checkboxOn : glyphs.checkboxOff
        case .toggle(let key, let isOn): "\(key) \(isOn ? glyphs.checkboxOn : glyphs.checkboxOff)"
        }
    }
}

struct CellSpan: Equatable, Sendable {
    var text: String
    var style: Style

    init(_ text: String, _ role: Role = .text, bold: Bool = false, isSelected: Bool = false) {
        self.text = text
        style = Style(role: role, bold: bold, isSelected: isSelected)
    }

    init(_ span: TextSpan, _ glyphs: Glyphs) {
        self.init((span.sign?.glyph(glyphs) ?? "") + span.text, span.tone.role, bold: span.isBold)
    }

    /// The text without the blanks around it, and these: themes underline what is wrong.
    fileprivate var parts: [CellSpan] {
        guard style.role == .danger, let first = text.firstIndex(where: { $0 != " " }),
            let last = text.lastIndex(where: { $0 != " " })
        else { return [self] }
        var (before, inner, after) = (self, self, self)
        (before.text, inner.text) = (String(text[..<first]), String(text[first...last]))
        after.text = String(text[text.index(after: last)...])
        (before.style.role, after.style.role) = (.text, .text)
        return [before, inner, after].filter { !$0.text.isEmpty }
    }
}

extension Position {
    func moved(_ columns: Int) -> Position { Position(row: row, column: column + columns) }
}

extension Grid {
    /// Draws spans next to each other within `width` columns.
    mutating func put(_ spans: [CellSpan], at place: Position, width: Int) {
        var used = 0
        for span in spans.flatMap(\.parts) where used < width {
            used += put(span.text, at: place.moved(used), style: span.style, width: width - used)
        }
    }

    /// Draws the rows from `scroll` on; arrows on the right indicate more.
    mutating func draw(_ text: TextRows, in area: Rect, scroll: Int) {
        guard !area.isEmpty else { return }
        let first = text.firstRow(scroll, in: area)
        for (offset, row) in text.rows.dropFirst(first).prefix(area.rows).enumerated() {
            put(row, at: area.at(row: offset), width: area.columns)
        }
        // Right of the text, so an arrow covers no character.
        let edge = min(text.width, size.columns - area.column - 1)
        if first > 0 { put(glyphs.arrowUp, at: area.at(row: 0, column: edge), style: .role(.muted), width: 1) }
        if first + area.rows < text.rows.count {
            put(glyphs.arrowDown, at: area.at(row: area.rows - 1, column: edge), style: .role(.muted), width: 1)
        }
    }

    /// Draws the background of a selected row and returns the style of text on it.
    mutating func ground(_ isMarked: Bool, at place: Position, width: Int) -> (Role) -> Style {
        guard isMarked else { return { .role($0) } }
        fill(Rect(row: place.row, column: place.column, rows: 1, columns: width), style: .selected(.text))
        put(glyphs.edge, at: place, style: .selected(.key), width: 1)
        return { .selected($0) }
    }
}
