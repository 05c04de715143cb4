import Terminal

/// The commands that are valid now, found by a few letters of their names. It runs what a key would run, no more.
struct Palette: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        let command: Command
        let name: String
        let aliases: [String]
        /// The key that does the same.
        let key: Key?
        let help: String
    }

    /// Everything that can be run from where it was opened.
    let entries: [Entry]
    private(set) var field = TextField()
    /// Indexes into ``entries``, best first.
    private(set) var found: [Int]
    private(set) var selected = 0
    /// How far back in the history; nil while something new is typed.
    private var recalled: Int?
    /// What Tab goes through: as it was typed, before the first Tab wrote over it.
    private var completing: String?
    var scroll = 0

    init(_ entries: [Entry]) {
        self.entries = entries
        found = Array(entries.indices)
    }

    var chosen: Entry? { found.indices.contains(selected) ? entries[found[selected]] : nil }

    mutating func type(_ key: Key) {
        let before = field.text
        field.press(key)
        guard field.text != before else { return }
        recalled = nil
        completing = nil
        search(field.text)
    }

    private mutating func search(_ text: String) {
        let folded = AccountFilter.fold(text.trimmingSpaces)
        selected = 0
        guard !folded.isEmpty else {
            found = Array(entries.indices)
            return
        }
        let ranked = entries.enumerated().compactMap { index, entry in
            rank(entry, folded).map { (rank: $0, index: index) }
        }
        found = ranked.sorted { $0.rank != $1.rank ? $0.rank < $1.rank : $0.index < $1.index }.map(\.index)
    }

    /// 0 the name or an alias itself, 1 its beginning, 2 a part of it, 3 letter after letter in the name, 4 a part of
    /// the explanation.
    private func rank(_ entry: Entry, _ text: [Unicode.Scalar]) -> Int? {
        let names = ([entry.name] + entry.aliases).map(AccountFilter.fold)
        if names.contains(text) { return 0 }
        if names.contains(where: { $0.starts(with: text) }) { return 1 }
        if names.contains(where: { Self.contains($0, text) }) { return 2 }
        if Self.follows(AccountFilter.fold(entry.name), text) { return 3 }
        return Self.contains(AccountFilter.fold(entry.help), text) ? 4 : nil
    }

    private static func contains(_ text: [Unicode.Scalar], _ piece: [Unicode.Scalar]) -> Bool {
        guard piece.count <= text.count else { return false }
        return (0...(text.count - piece.count)).contains { text[$0...].starts(with: piece) }
    }

    private static func follows(_ text: [Unicode.Scalar], _ letters: [Unicode.Scalar]) -> Bool {
        var rest = letters[...]
        for scalar in text where scalar == rest.first { rest.removeFirst() }
        return rest.isEmpty
    }

    /// Writes the marked name into the line; again, the next one's.
    mutating func complete(_ step: Int) {
        guard !found.isEmpty else { return }
        if completing == nil {
            completing = field.text
            if step < 0 { selected = found.count - 1 }
        } else {
            selected = (selected + step + found.count) % found.count
        }
        if let chosen { field = TextField(chosen.name) }
    }

    /// Up and down: through what was run before.
    mutating func recall(_ step: Int, _ history: [String]) {
        guard !history.isEmpty else { return }
        let back = (recalled ?? 0) + step
        completing = nil
        guard back > 0 else {
            recalled = nil
            field = TextField()
            search("")
            return
        }
        let place = min(back, history.count)
        recalled = place
        field = TextField(history[history.count - place])
        search(field.text)
    }

    mutating func mark(_ place: Int) -> Bool {
        guard found.indices.contains(place) else { return false }
        selected = place
        return true
    }

    mutating func page(_ step: Int) { selected = min(max(selected + step, 0), max(0, found.count - 1)) }
}

extension State {
    /// Opened over any screen where letters are no text.
    mutating func openPalette() {
        var seen: Set<Command> = []
        // Movements are keys by nature, and the palette cannot move what lies below it.
        let moves: Set<Command> = [
            .up, .down, .pageUp, .pageDown, .halfUp, .halfDown, .first, .last, .edit, .moveButton, .nextField,
            .previousField, .palette,
            .searchNext, .searchPrevious,
        ]
        let here = keys.bindings.filter { !moves.contains($0.command) && $0.isValid(self) }
        let entries = here.compactMap { binding -> Palette.Entry? in
            guard seen.insert(binding.command).inserted else { return nil }
            return Palette.Entry(
                command: binding.command, name: binding.command.name, aliases: binding.command.aliases,
                key: binding.keys.first,
                help: binding.help)
        }
        stack.append(.palette(Palette(entries)))
    }

    mutating func perform(_ command: Command, _ given: Palette) -> [Effect] {
        var palette = given
        switch command {
        case .open:
            guard let chosen = palette.chosen else {
                notice = "no command is named so; Esc closes"
                return []
            }
            stack.removeLast()
            remember(chosen.name)
            // What was valid when the line was opened need not be so any more.
            guard isOffered(chosen.command) else {
                notice = "\(chosen.name) cannot be done now"
                return []
            }
            return perform(chosen.command, .enter)
        case .nextField: palette.complete(1)
        case .previousField: palette.complete(-1)
        case .up: palette.recall(1, paletteHistory)
        case .down: palette.recall(-1, paletteHistory)
        case .pageUp: palette.page(-5)
        case .pageDown: palette.page(5)
        default: return []
        }
        replaceTop(.palette(palette))
        return []
    }

    private mutating func remember(_ name: String) {
        if paletteHistory.last != name { paletteHistory.append(name) }
        if paletteHistory.count > 100 { paletteHistory.removeFirst() }
    }

    // MARK: Its picture

    /// The line at the bottom of the body, and what is found above it.
    func drawPalette(_ palette: Palette, in grid: inout Grid) {
        let (frame, rows, first) = layout(palette, in: Self.body(of: grid.size))
        grid.fill(frame, style: .role(.overlay))
        grid.box(frame, title: "Commands", style: .role(.borderFocus))
        let inner = frame.inset(rows: 1, columns: 2)
        for (offset, index) in palette.found.dropFirst(first).prefix(rows).enumerated() {
            draw(
                palette.entries[index], isSelected: first + offset == palette.selected, in: &grid,
                inner.at(row: offset), inner.columns)
        }
        if palette.found.isEmpty {
            grid.put("no command is named so", at: inner.origin, style: .role(.muted), width: inner.columns)
        }
        let line = inner.at(row: rows)
        let used = grid.put(":", at: line, style: .role(.key), width: 2)
        grid.cursor = palette.field.draw(
            in: &grid, at: Position(row: line.row, column: line.column + used), width: inner.columns - used,
            placeholder: "a command",
            isFocused: true)
    }

    private func layout(_ palette: Palette, in body: Rect) -> (frame: Rect, rows: Int, first: Int) {
        let rows = min(max(1, palette.found.count), max(1, min(12, body.rows - 3)))
        let frame = Rect(row: body.endRow - rows - 3, column: 0, rows: rows + 3, columns: body.columns)
        return (frame, rows, max(0, min(palette.selected - rows / 2, palette.found.count - rows)))
    }

    /// Marks the command that is drawn there.
    mutating func choose(_ given: Palette, at place: Position) -> Bool {
        var palette = given
        let (frame, rows, first) = layout(given, in: Self.body(of: size))
        let row = place.row - frame.row - 1
        guard (0..<rows).contains(row), palette.mark(first + row) else { return false }
        replaceTop(.palette(palette))
        return true
    }

    private func draw(_ entry: Palette.Entry, isSelected: Bool, in grid: inout Grid, _ at: Position, _ width: Int) {
        let ground: Style = isSelected ? .role(.selection) : .role(.overlay)
        if isSelected { grid.fill(Rect(row: at.row, column: at.column, rows: 1, columns: width), style: ground) }
        func put(_ text: String, _ column: Int, _ columns: Int, _ role: Role) {
            guard columns > 0 else { return }
            grid.put(
                text, at: Position(row: at.row, column: at.column + column), style: isSelected ? ground : .role(role),
                width: columns)
        }
        if isSelected { put(grid.glyphs.pointer, 0, 1, .selection) }
        put(entry.name, 2, 15, .emphasis)
        put(entry.key?.name(grid.glyphs) ?? "", 18, 6, .key)
        put(entry.help, 25, width - 25, .muted)
    }
}

extension Command {
    /// The name that is typed: `sign-in` for `signIn`.
    package var name: String {
        switch self {
        case .open: "open"
        case .yes: "do-it"
        case .no: "cancel"
        default: rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
        }
    }

    /// Other names by which people look for it.
    package var aliases: [String] {
        switch self {
        case .quit: ["q", "exit"]
        case .help: ["h", "keys"]
        case .signIn: ["login", "add"]
        case .signOut: ["logout"]
        case .remove: ["rm", "delete", "forget"]
        case .inspect: ["tokens", "jwt"]
        case .scopes: ["consent"]
        case .back: ["close"]
        case .reload: ["refresh", "again"]
        case .activity: ["log", "history"]
        case .doctor: ["check"]
        case .settings: ["config", "set"]
        case .stores: ["caches", "places"]
        case .themes: ["colors", "colours"]
        case .toggleMouse: ["mouse"]
        case .copy: ["yank"]
        case .filter, .search: ["find"]
        case .switchMethod: ["via"]
        default: []
        }
    }
}

extension String {
    fileprivate var trimmingSpaces: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
