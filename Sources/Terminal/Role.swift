/// The meaning of a screen element. Themes assign colors to roles; screens never name a color.
package enum Role: String, CaseIterable, Hashable, Sendable {
    case text, muted, emphasis, title
    case border, borderFocus
    case selection, selectionInactive
    case header, footer
    /// The current view in the header; a selected button.
    case tab
    /// A key in the footer or next to its action.
    case key
    case label
    case ok, attention, danger, info
    case code
    case barFull, barEmpty
    case input, placeholder
    case badge, link
    case match
    case overlay
    /// The modules of a QR code: always dark on light, as cameras require.
    case qr

    /// The letter of the role in tests that check roles instead of colors.
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

/// A role and additional emphasis. `reverse` inverts the theme's own setting.
package struct Style: Hashable, Sendable {
    package var role: Role
    package var bold: Bool
    package var reverse: Bool
    /// On the selected row; colored text keeps its color.
    package var isSelected: Bool

    package init(role: Role, bold: Bool = false, reverse: Bool = false, isSelected: Bool = false) {
        (self.role, self.bold, self.reverse, self.isSelected) = (role, bold, reverse, isSelected)
    }

    package static func role(_ role: Role) -> Style { Style(role: role) }
    package static func selected(_ role: Role) -> Style { Style(role: role, isSelected: true) }
    package static let text = Style(role: .text)

    /// The letter in ``Grid/styledText``: plain text of the selected row has the selection's.
    var letter: Character { isSelected && role == .text ? Role.selection.letter : role.letter }
}
