// Keys is what a person can press, by its name: what Terminal reads from a terminal and AppModel's key tables are made
// of. It lies below both, so that the model needs no terminal and the terminal no model, and it must not know what a
// key does.

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
    case mouse(MouseEvent)

    /// A character and those that follow it as one text; any other key as it is.
    ///
    /// - Parameter rest: the keys that came after it, without those of the text afterwards.
    package func joined(with rest: inout ArraySlice<Key>) -> Key {
        guard case .character(let first) = self else { return self }
        var text = String(first)
        while case .character(let next)? = rest.first {
            text.append(next)
            rest.removeFirst()
        }
        return text.count == 1 ? self : .paste(text)
    }

    /// The name for people.
    package var name: String { name(isASCII: false) }

    /// - Parameter isASCII: for a terminal that has no arrows.
    package func name(isASCII: Bool) -> String {
        switch self {
        case .character(" "): "Space"
        case .character(let character): String(character)
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .backTab: "Shift-Tab"
        case .backspace: "Backspace"
        case .delete: "Del"
        case .insert: "Ins"
        case .up: isASCII ? "Up" : "↑"
        case .down: isASCII ? "Down" : "↓"
        case .left: isASCII ? "Left" : "←"
        case .right: isASCII ? "Right" : "→"
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .function(let number): "F\(number)"
        case .control(let character): "Ctrl-" + character.uppercased()
        case .alt(let character): "Alt-" + String(character)
        case .paste: "Paste"
        case .mouse: "Mouse"
        }
    }
}

/// What was done with the mouse, and where.
package struct MouseEvent: Hashable, Sendable {
    package enum Action: Hashable, Sendable { case click, doubleClick, wheelUp, wheelDown }

    package var action: Action
    package var place: Position

    package init(_ action: Action, at place: Position) { (self.action, self.place) = (action, place) }
}
