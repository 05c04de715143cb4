extension Key {
    /// The key that a name in a settings file means: `x`, `Space`, `Enter`, `PgUp`, `F5`, `Ctrl-B`, `Alt-x`. Case
    /// counts for single letters only.
    ///
    /// - Returns: nil for anything else, and for what no terminal sends.
    package init?(named name: String) {
        if name.count == 1, let character = name.first, character.isASCII, character > " ", character < "\u{7F}" {
            self = .character(character)
            return
        }
        let folded = name.lowercased()
        if let key = Self.named[folded] {
            self = key
            return
        }
        let parts = name.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, parts[1].count == 1, let character = parts[1].first, character.isASCII else {
            return nil
        }
        switch parts[0].lowercased() {
        case "ctrl":
            guard let letter = character.lowercased().first, ("a"..."z").contains(letter),
                !Self.sameAsOthers.contains(letter)
            else {
                return nil
            }
            self = .control(letter)
        case "alt": self = .alt(character)
        default: return nil
        }
    }

    /// Ctrl with these is Tab, Enter and Backspace on every terminal.
    private static let sameAsOthers: Set<Character> = ["h", "i", "j", "m"]

    private static let named: [String: Key] = {
        let plain: [Key] = [
            .character(" "), .enter, .escape, .tab, .backTab, .backspace, .delete, .insert, .home, .end, .pageUp,
            .pageDown,
        ]
        var named = Dictionary(
            (plain + (1...12).map { .function($0) }).map { ($0.name.lowercased(), $0) },
            uniquingKeysWith: { first, _ in first })
        for (name, key) in [("up", Key.up), ("down", .down), ("left", .left), ("right", .right)] { named[name] = key }
        return named
    }()
}
