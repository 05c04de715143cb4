import Keys

/// What is looked for in what is on top, from `/` until it is left.
package struct TextSearch: Equatable, Sendable {
    package var field = TextField()
    package var isTyping = true
    /// The row that was found.
    package var row: Int?
    /// Where the search began.
    let start: Int
    /// How many features lay there when it began: with another one on top it is over.
    let depth: Int

    package var folded: [Unicode.Scalar] { AccountFilter.fold(field.text) }

    /// Letter for letter as a text is compared: one scalar stands for each character.
    package static func letters(_ text: String) -> [Unicode.Scalar] {
        text.map { $0.lowercased().unicodeScalars.first ?? " " }
    }

    static func isFound(_ wanted: [Unicode.Scalar], in text: String) -> Bool {
        let letters = letters(text)
        return wanted.count <= letters.count
            && (0...(letters.count - wanted.count)).contains { letters[$0...].starts(with: wanted) }
    }
}
