import Console

/// The signs the screens are made of: one set for a UTF-8 terminal, one of plain ASCII. State is told by these and a
/// word, never by colour alone.
package struct Glyphs: Hashable, Sendable {
    package let isASCII: Bool
    /// A token that is good, that ends soon, that has ended.
    package let full: String
    package let half: String
    package let empty: String
    package let warning: String
    package let check: String
    package let cross: String
    /// A token that expires soon.
    package let quarter: String
    /// A token that renews others.
    package let renewal: String
    package let pointer: String
    /// The edge of the selected row.
    package let edge: String
    /// Between the parts of where one is.
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
    /// What large letters are made of.
    package let block: String
    /// Where a line of time has got to; not the stroke that frames are made of.
    package let present: String
    /// One dot for each hidden character of a secret.
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

/// A piece of a ruled line. The terminal's owner draws it with the line set the terminal has.
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
    /// `text` as one visible line, in the characters that the terminal can show.
    package static func line(_ text: String, glyphs: Glyphs, limit: Int = 4096) -> String {
        glyphs.isASCII ? ascii(text, limit: limit) : line(text, limit: limit)
    }
}
