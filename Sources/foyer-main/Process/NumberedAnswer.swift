/// What is typed to choose from a numbered list: a number, and behind it a mark that means more.
struct NumberedAnswer: Hashable {
    /// Counted from 0.
    let index: Int
    let isMarked: Bool

    init?(_ line: String, count: Int, mark: Character) {
        var text = line.filter { !$0.isWhitespace }
        isMarked = text.last == mark
        if isMarked { text.removeLast() }
        guard let number = Int(text), number >= 1, number <= count else { return nil }
        index = number - 1
    }
}
