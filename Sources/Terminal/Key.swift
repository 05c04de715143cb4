/// What a person pressed. Terminal reports and unknown sequences never become a key.
package enum Key: Hashable, Sendable {
    case character(Character)
    case enter, escape, tab, backTab, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    /// F1 to F12.
    case function(Int)
    /// Ctrl with a lower-case letter or one of `@ [ \ ] ^ _`.
    case control(Character)
    case alt(Character)
    /// Text pasted in one piece: at most 64 KiB, one line, without control characters.
    case paste(String)
    /// The mouse, while it is ours.
    case mouse(Pointer)

    /// The name for the help screen and the footer.
    package var name: String { name(.utf8) }

    package func name(_ glyphs: Glyphs) -> String {
        switch self {
        case .character(" "): "Space"
        case .character(let character): SafeText.line(String(character), limit: 16)
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .backTab: "Shift-Tab"
        case .backspace: "Backspace"
        case .delete: "Del"
        case .insert: "Ins"
        case .up: glyphs.isASCII ? "Up" : glyphs.arrowUp
        case .down: glyphs.isASCII ? "Down" : glyphs.arrowDown
        case .left: glyphs.isASCII ? "Left" : glyphs.arrowLeft
        case .right: glyphs.isASCII ? "Right" : glyphs.arrowRight
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .function(let number): "F\(number)"
        case .control(let character): "Ctrl-" + SafeText.line(character.uppercased(), limit: 16)
        case .alt(let character): "Alt-" + SafeText.line(String(character), limit: 16)
        case .paste: "Paste"
        case .mouse: "Mouse"
        }
    }
}

/// What was done with the mouse, and where.
package struct Pointer: Hashable, Sendable {
    package enum Action: Hashable, Sendable { case click, doubleClick, wheelUp, wheelDown }

    package var action: Action
    package var place: Position

    package init(_ action: Action, at place: Position) {
        self.action = action
        self.place = place
    }
}
