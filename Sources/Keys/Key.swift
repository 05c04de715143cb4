// Keys names the keys that a user can press, for Terminal, which reads them, and AppModel, which assigns commands. Both
// depend on it, so that neither needs the other. It must not know what a key does.

/// A key press or other input. Terminal reports and unknown sequences never become a key.
package enum Key: Hashable, Sendable {
    case character(Character)
    case enter, escape, tab, backTab, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    /// F1 to F12.
    case function(Int)
    /// Ctrl with a lowercase letter or one of `@ [ \ ] ^ _`.
    case control(Character)
    case alt(Character)
    /// Pasted text: at most 64 KiB, one line, without control characters.
    case paste(String)
    /// A mouse event, while mouse reporting is on.
    case mouse(MouseEvent)

    /// Combines a character with the following ones into one paste; returns any other key unchanged.
    ///
    /// - Parameter rest: the following keys; those of the combined text are removed.
    package func joined(with rest: inout ArraySlice<Key>) -> Key {
        guard case .character(let first) = self else { return self }
        var text = String(first)
        while case .character(let next)? = rest.first {
            text.append(next)
            rest.removeFirst()
        }
        return text.count == 1 ? self : .paste(text)
    }

    package var name: String { name(isASCII: false) }

    /// - Parameter isASCII: for terminals that cannot show arrows.
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

package struct MouseEvent: Hashable, Sendable {
    package enum Action: Hashable, Sendable { case click, doubleClick, wheelUp, wheelDown }

    package var action: Action
    package var place: Position

    package init(_ action: Action, at place: Position) { (self.action, self.place) = (action, place) }
}
