enum TextDiff {
    struct Part: Equatable, Sendable {
        let text: String
        let isChanged: Bool

        init(_ text: String, _ isChanged: Bool) { (self.text, self.isChanged) = (text, isChanged) }
    }

    /// Lists of words are compared by word. Other values have one changed part, between their common prefix and suffix.
    static func of(_ old: String, _ new: String) -> (old: [Part], new: [Part]) {
        if old.contains(" "), new.contains(" ") {
            let (before, after) = (Set(old.split(separator: " ")), Set(new.split(separator: " ")))
            return (words(old, missingIn: after), words(new, missingIn: before))
        }
        let start = zip(old, new).prefix { $0 == $1 }.count
        let (oldRest, newRest) = (old.dropFirst(start), new.dropFirst(start))
        let end = zip(oldRest.reversed(), newRest.reversed()).prefix { $0 == $1 }.count
        func parts(_ whole: String, _ rest: Substring) -> [Part] {
            [
                Part(String(whole.prefix(start)), false), Part(String(rest.dropLast(end)), true),
                Part(String(rest.suffix(end)), false),
            ].filter { !$0.text.isEmpty }
        }
        return (parts(old, oldRest), parts(new, newRest))
    }

    private static func words(_ text: String, missingIn others: Set<Substring>) -> [Part] {
        text.split(separator: " ").enumerated().map {
            Part(($0.offset == 0 ? "" : " ") + $0.element, !others.contains($0.element))
        }
    }
}
