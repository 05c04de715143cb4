extension Key {
    /// The key with this name in a settings file: `x`, `Space`, `Enter`, `PgUp`, `F5`, `Ctrl-B`, `Alt-x`. Only single
    /// letters are case-sensitive.
    ///
    /// - Returns: nil for any other name, and for keys that terminals do not send.
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

    /// With Ctrl, terminals send Tab, Enter and Backspace for these.
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
