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

extension AppState {
    /// With a feature on top of its own it waits.
    package var activeSearch: TextSearch? { search.flatMap { $0.depth == stack.count ? $0 : nil } }

    /// What is searched, row by row; nil where nothing is.
    private func searchRows(_ face: Face) -> [String]? {
        switch top.searchScope {
        case .nothing: nil
        case .rows: top.rows(in: context)
        case .text: stack.isEmpty ? nil : face.text(top, context).rows
        }
    }

    mutating func startSearch(_ face: Face) {
        guard searchRows(face) != nil else { return }
        search = TextSearch(start: activeSearch?.row ?? top.scroll, depth: stack.count)
    }

    mutating func performSearch(_ command: Command, _ key: Key, _ face: Face) -> [Effect] {
        guard var wanted = activeSearch else { return [] }
        switch command {
        case .edit:
            wanted.field.handle(key)
            search = wanted
            return find(from: wanted.start, 1, face)
        case .keepSearch:
            wanted.isTyping = false
            search = wanted.field.isEmpty ? nil : wanted
        case .clearSearch: search = nil
        case .searchNext: return find(from: (wanted.row ?? wanted.start - 1) + 1, 1, face)
        case .searchPrevious: return find(from: (wanted.row ?? wanted.start + 1) - 1, -1, face)
        default: break
        }
        return []
    }

    /// The nearest row from there on, around the end.
    private mutating func find(from start: Int, _ step: Int, _ face: Face) -> [Effect] {
        guard let wanted = search, let rows = searchRows(face), !rows.isEmpty else { return [] }
        let folded = wanted.folded
        let order = (0..<rows.count).map { ((start + $0 * step) % rows.count + rows.count) % rows.count }
        let row = folded.isEmpty ? nil : order.first { TextSearch.isFound(folded, in: rows[$0]) }
        search?.row = row
        guard let row else {
            if wanted.isTyping, top.searchScope == .text { scroll(to: wanted.start, face) }
            return []
        }
        if top.searchScope == .rows { return send(.select(row), to: stack.count, face) }
        scroll(to: row, face)
        return []
    }
}
