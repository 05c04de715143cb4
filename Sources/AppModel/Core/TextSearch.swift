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
    package static func letters(_ text: String) -> [Unicode.Scalar] {
        text.map { $0.lowercased().unicodeScalars.first ?? " " }
    }

    static func isFound(_ wanted: [Unicode.Scalar], in text: String) -> Bool {
        let letters = letters(text)
        return wanted.count <= letters.count
            && (0...(letters.count - wanted.count)).contains { letters[$0...].starts(with: wanted) }
    }
}
