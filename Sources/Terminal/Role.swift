/// What a piece of the screen means. A theme gives each meaning its colours; no screen names a colour.
package enum Role: String, CaseIterable, Hashable, Sendable {
    case text, muted, emphasis, title
    case border, borderFocus
    case selection, selectionInactive
    case header, footer
    /// The view that is open, among its neighbours in the header; a button that is chosen.
    case tab
    /// A key in the footer, or beside what it does.
    case key
    case label
    case ok, attention, danger, info
    /// The large device code.
    case code
    case barFull, barEmpty
    case input, placeholder
    case badge, link
    /// What a filter matched.
    case match
    /// The ground of a dialog over a screen.
    case overlay
    /// The modules of a QR code: dark on light whatever the theme, or no camera reads it.
    case qr

    /// One letter for tests that look at roles and not at colours.
    package var letter: Character {
        switch self {
        case .text: "."
        case .muted: "m"
        case .emphasis: "e"
        case .title: "T"
        case .border: "b"
        case .borderFocus: "B"
        case .selection: "S"
        case .selectionInactive: "s"
        case .header: "H"
        case .footer: "F"
        case .tab: "t"
        case .key: "K"
        case .label: "L"
        case .ok: "o"
        case .attention: "a"
        case .danger: "d"
        case .info: "i"
        case .code: "C"
        case .barFull: "#"
        case .barEmpty: "-"
        case .input: "I"
        case .placeholder: "p"
        case .badge: "g"
        case .link: "l"
        case .match: "M"
        case .overlay: "O"
        case .qr: "Q"
        }
    }
}

/// A meaning, and what is stressed on top of what the theme says. `reverse` turns the theme's own reverse around.
package struct Style: Hashable, Sendable {
    package var role: Role
    package var bold: Bool
    package var reverse: Bool
    /// On the ground of the selected row, where what has a colour keeps it.
    package var isSelected: Bool

    package init(role: Role, bold: Bool = false, reverse: Bool = false, isSelected: Bool = false) {
        (self.role, self.bold, self.reverse, self.isSelected) = (role, bold, reverse, isSelected)
    }

    package static func role(_ role: Role) -> Style { Style(role: role) }
    package static func selected(_ role: Role) -> Style { Style(role: role, isSelected: true) }
    package static let text = Style(role: .text)

    /// The letter of ``Grid/styledText``: plain text of the selected row has the selection's.
    var letter: Character { isSelected && role == .text ? Role.selection.letter : role.letter }
}
