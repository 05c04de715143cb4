/// A typed choice from a numbered list: a number, optionally followed by a mark.
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
