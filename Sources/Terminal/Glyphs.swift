import Console

/// The symbols on the screens, in a Unicode and an ASCII set. State is shown by a symbol and a word, never only by
/// color.
package struct Glyphs: Hashable, Sendable {
    package let isASCII: Bool
    /// A valid account or token, one that renews on use, and an expired one.
    package let full: String
    package let half: String
    package let empty: String
    package let warning: String
    package let check: String
    package let cross: String
    package let quarter: String
    package let renewal: String
    package let pointer: String
    package let edge: String
    package let crumb: String
    package let bullet: String
    package let ellipsis: String
    package let arrowUp: String
    package let arrowDown: String
    package let arrowLeft: String
    package let arrowRight: String
    package let separator: String
    package let barFull: String
    package let barEmpty: String
    package let block: String
    /// The current position on a timeline; distinct from frame lines.
    package let present: String
    /// Replaces each hidden character of a secret.
    package let mask: String
    package let checkboxOn: String
    package let checkboxOff: String
    package let expanded: String

    package static let utf8 = Glyphs(
        isASCII: false, full: "●", half: "◐", empty: "○", warning: "▲", check: "✔", cross: "✖", quarter: "◔",
        renewal: "↻", pointer: "▸", edge: "▌", crumb: "›", bullet: "•", ellipsis: "…", arrowUp: "↑", arrowDown: "↓",
        arrowLeft: "←", arrowRight: "→", separator: "·", barFull: "━", barEmpty: "─", block: "█", present: "║",
        mask: "•", checkboxOn: "[✔]", checkboxOff: "[ ]", expanded: "▾")

    package static let ascii = Glyphs(
        isASCII: true, full: "*", half: "~", empty: "o", warning: "!", check: "+", cross: "x", quarter: ".",
        renewal: "r", pointer: ">", edge: ">", crumb: ">", bullet: "-", ellipsis: "...", arrowUp: "^", arrowDown: "v",
        arrowLeft: "<", arrowRight: ">", separator: "-", barFull: "#", barEmpty: ".", block: "#", present: "|",
        mask: "*", checkboxOn: "[x]", checkboxOff: "[ ]", expanded: "-")
}

/// A piece of a line, drawn with the terminal's own line set.
package enum LineDrawing: Hashable, Sendable {
    case horizontal, vertical
    case topLeft, topRight, bottomLeft, bottomRight
    case teeLeft, teeRight, teeTop, teeBottom, cross

    package func text(_ glyphs: Glyphs) -> String {
        if glyphs.isASCII {
            switch self {
            case .horizontal: return "-"
            case .vertical: return "|"
            case .topLeft, .topRight, .bottomLeft, .bottomRight, .teeLeft, .teeRight, .teeTop, .teeBottom, .cross:
                return "+"
            }
        }
        switch self {
        case .horizontal: return "─"
        case .vertical: return "│"
        case .topLeft: return "┌"
        case .topRight: return "┐"
        case .bottomLeft: return "└"
        case .bottomRight: return "┘"
        case .teeLeft: return "├"
        case .teeRight: return "┤"
        case .teeTop: return "┬"
        case .teeBottom: return "┴"
        case .cross: return "┼"
        }
    }
}

extension SafeText {
    /// `text` as one printable line, in characters that the terminal supports.
    package static func line(_ text: String, glyphs: Glyphs, limit: Int = 4096) -> String {
        glyphs.isASCII ? ascii(text, limit: limit) : line(text, limit: limit)
    }
}
