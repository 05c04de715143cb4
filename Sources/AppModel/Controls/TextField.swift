package import Keys

/// One line of text being edited. Input is not sanitized here; the face that displays it does that.
package struct TextField: Hashable, Sendable {
    package private(set) var characters: [Character]
    package private(set) var cursor: Int
    /// Long enough for a redirect URL with a code, short enough to draw.
    static let maximumLength = 8192

    package init(_ text: String = "") {
        characters = Array(text.prefix(Self.maximumLength))
        cursor = characters.count
    }

    package var text: String { String(characters) }
    package var isEmpty: Bool { characters.isEmpty }

    @discardableResult
    package mutating func handle(_ key: Key) -> Bool {
        switch key {
        case .character(let character): insert([character])
        // A line break within pasted text would submit it early; one at its end comes from the terminal.
        case .paste(let text): insert(text.filter { !$0.isNewline })
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(characters.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = characters.count
        case .backspace:
            guard cursor > 0 else { return true }
            cursor -= 1
            characters.remove(at: cursor)
        case .delete:
            if cursor < characters.count { characters.remove(at: cursor) }
        case .control("u"):
            characters.removeFirst(cursor)
            cursor = 0
        default: return false
        }
        return true
    }

    private mutating func insert(_ new: some Sequence<Character>) {
        let fitting = Array(new.prefix(Self.maximumLength - characters.count))
        characters.insert(contentsOf: fitting, at: cursor)
        cursor += fitting.count
    }
}
