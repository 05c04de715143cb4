import Console

/// The symbols on the screens, in a Unicode and an ASCII set. State is shown by a symbol and a word, never only by
/// color.
package struct Glyphs: Hashable, Sendable {
    package let isASCII: Bool
    /// A valid account or token, one that renews on use, and an expired one.
    package var full: String { isASCII ? "*" : "●" }
    package var half: String { isASCII ? "~" : "◐" }
    package var empty: String { isASCII ? "o" : "○" }
    package var warning: String { isASCII ? "!" : "▲" }
    package var check: String { isASCII ? "+" : "✔" }
    package var cross: String { isASCII ? "x" : "✖" }
    package var quarter: String { isASCII ? "." : "◔" }
    package var renewal: String { isASCII ? "r" : "↻" }
    package var pointer: String { isASCII ? ">" : "▸" }
    package var edge: String { isASCII ? ">" : "▌" }
    package var crumb: String { isASCII ? ">" : "›" }
    package var bullet: String { isASCII ? "-" : "•" }
    package var ellipsis: String { isASCII ? "..." : "…" }
    package var arrowUp: String { isASCII ? "^" : "↑" }
    package var arrowDown: String { isASCII ? "v" : "↓" }
    package var arrowLeft: String { isASCII ? "<" : "←" }
    package var arrowRight: String { isASCII ? ">" : "→" }
    package var separator: String { isASCII ? "-" : "·" }
    package var barFull: String { isASCII ? "#" : "━" }
    package var barEmpty: String { isASCII ? "." : "─" }
    package var block: String { isASCII ? "#" : "█" }
    /// The current position on a timeline; distinct from frame lines.
    package var present: String { isASCII ? "|" : "║" }
    /// Replaces each hidden character of a secret.
    package var mask: String { isASCII ? "*" : "•" }
    package var checkboxOn: String { isASCII ? "[x]" : "[✔]" }
    package var checkboxOff: String { "[ ]" }
    /// After the client of an account in another program's store.
    package var foreign: String { isASCII ? "\"" : "°" }
    package var expanded: String { isASCII ? "-" : "▾" }

    package static let utf8 = Glyphs(isASCII: false)
    package static let ascii = Glyphs(isASCII: true)
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
