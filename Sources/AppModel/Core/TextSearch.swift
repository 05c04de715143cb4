import Keys

/// A search in the top feature, from `/` until it is ended.
package struct TextSearch: Equatable, Sendable {
    package var field = TextField()
    package var isTyping = true
    package var row: Int?
    let start: Int
    /// The height of the stack when it began. The search is inactive under a new feature and ends with its own.
    let depth: Int

    package var folded: [Unicode.Scalar] { AccountFilter.fold(field.text) }

    /// One lower-case scalar per character, for comparison.
    static func letters(_ text: String) -> [Unicode.Scalar] {
        text.map { $0.lowercased().unicodeScalars.first ?? " " }
    }

    static func isFound(_ wanted: [Unicode.Scalar], in text: String) -> Bool {
        letters(text).place(of: wanted) != nil
    }
}

extension [Unicode.Scalar] {
    /// The position of a piece's first occurrence.
    package func place(of piece: [Unicode.Scalar]) -> Int? {
        guard piece.count <= count else { return nil }
        return (0...(count - piece.count)).first { self[$0...].starts(with: piece) }
    }

    /// The positions of letters that occur in this order, possibly with others in between; nil if they do not.
    package func places(inOrder letters: [Unicode.Scalar]) -> [Int]? {
        var found: [Int] = []
        for place in indices where found.count < letters.count && self[place] == letters[found.count] {
            found.append(place)
        }
        return found.count == letters.count ? found : nil
    }
}
