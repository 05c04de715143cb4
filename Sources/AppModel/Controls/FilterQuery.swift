/// A condition that can be typed into a filter, such as `is:failed`.
package protocol FilterCondition: Equatable, Sendable {
    /// By the name before the colon: makes the condition from its value in lower case; nil for an incomplete value.
    static var names: [String: @Sendable (String) -> Self?] { get }
}

/// A word to find in names and identifiers; with `'` exactly, with `^` at their beginning, with `!` nowhere.
package struct FilterWord: Equatable, Sendable {
    package enum Form: Equatable, Sendable { case fuzzy, exact, beginning }

    package let text: String
    package private(set) var form = Form.fuzzy
    package private(set) var isExcluded = false

    /// - Returns: nil for an operator alone: the word is not finished.
    init?(_ word: Substring) {
        var rest = word
        if rest.first == "!" {
            (form, isExcluded) = (.exact, true)
            rest.removeFirst()
        }
        if let first = rest.first, let form = [Character("'"): Form.exact, "^": .beginning][first] {
            self.form = form
            rest.removeFirst()
        }
        guard !rest.isEmpty else { return nil }
        text = String(rest)
    }
}

/// The text typed to filter a list: words and conditions. A row must match all of them.
package struct FilterQuery<Condition: FilterCondition>: Equatable, Sendable {
    package private(set) var words: [FilterWord] = []
    package private(set) var conditions: [Condition] = []

    init(conditions: [Condition]) { self.conditions = conditions }

    package init(_ text: String) {
        for word in text.split(whereSeparator: \.isWhitespace) {
            guard let colon = word.firstIndex(of: ":"),
                let condition = Condition.names[word[..<colon].lowercased()]
            else {
                if let word = FilterWord(word) { words.append(word) }
                continue
            }
            // An incomplete value does not filter yet.
            let value = word[word.index(after: colon)...].lowercased()
            if !value.isEmpty, let condition = condition(value) { conditions.append(condition) }
        }
    }

    /// The text with its last word completed: to the name of a condition, or to one of a condition's values.
    static func completed(_ text: String, values: [String: [String]]) -> String? {
        let start = text.lastIndex(where: \.isWhitespace).map(text.index(after:)) ?? text.startIndex
        let word = text[start...].lowercased()
        let all =
            Condition.names.keys.map { $0 + ":" }
            + values.flatMap { name, values in values.map { name + ":" + $0.lowercased() } }
        let found = all.filter { $0.hasPrefix(word) && $0 != word && !$0.contains(where: \.isWhitespace) }
        guard !word.isEmpty, let first = found.min(by: { ($0.count, $0) < ($1.count, $1) }) else { return nil }
        return text[..<start] + first
    }
}
