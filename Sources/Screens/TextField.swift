import Terminal

/// One line of text that is being edited. What is typed or pasted is kept as it is; what is drawn goes through
/// `SafeText`.
struct TextField: Equatable, Sendable {
    private(set) var characters: [Character]
    private(set) var cursor: Int
    /// Long enough for a redirect address with a code, short enough to draw.
    static let maximumLength = 8192

    init(_ text: String = "") {
        characters = Array(text.prefix(Self.maximumLength))
        cursor = characters.count
    }

    var text: String { String(characters) }
    var isEmpty: Bool { characters.isEmpty }

    /// Whether the key meant something here.
    @discardableResult
    mutating func press(_ key: Key) -> Bool {
        switch key {
        case .character(let character): insert([character])
        // A line break inside a pasted text would end it at the wrong place; around it, it is the terminal's doing.
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

    /// Draws the part around the cursor and returns where the cursor is.
    @discardableResult
    func draw(
        in grid: inout Grid, at place: Position, width: Int, placeholder: String = "", isFocused: Bool,
        isMasked: Bool = false
    )
        -> Position
    {
        grid.fill(Rect(row: place.row, column: place.column, rows: 1, columns: width), style: .role(.input))
        guard !isEmpty else {
            grid.put(placeholder, at: place, style: .role(.placeholder), width: width)
            return place
        }
        if isMasked {
            // How long it is may be seen, no more; the cursor stays at its end.
            var hidden = TextField(String(repeating: grid.glyphs.mask, count: characters.count))
            hidden.cursor = cursor
            return hidden.draw(in: &grid, at: place, width: width, isFocused: isFocused)
        }
        // From so far back that the cursor is the last column at most.
        var start = isFocused ? cursor : 0
        var before = 0
        while start > 0 {
            let step = DisplayWidth.columns(SafeText.line(String(characters[start - 1]), glyphs: grid.glyphs))
            if before + step > width - 1 { break }
            before += step
            start -= 1
        }
        grid.put(String(characters[start...]), at: place, style: .role(.input), width: width)
        return Position(row: place.row, column: place.column + min(before, max(0, width - 1)))
    }
}
