import Keys

extension AppState {
    /// The search; nil while another feature is on top of its own.
    package var activeSearch: TextSearch? { search.flatMap { $0.depth == stack.count ? $0 : nil } }

    /// Whether rows of a list are searched, or the text; nil where there is no key for a search.
    private var searchesRows: Bool? {
        let keys = Registry.keys(top.keyContext, context.keyChanges)
        guard keys.bindings.contains(where: { $0.command == .search }) else { return nil }
        let page = topPage
        return page.isList && !page.isReadingRow
    }

    package var searchesText: Bool { searchesRows == false }

    /// The text to search, by row; nil if it cannot be searched.
    private func searchRows(_ face: Face) -> [String]? {
        guard let searchesRows else { return nil }
        guard searchesRows else { return face.text(top, context).rows }
        let page = topPage
        return page.rows() ?? page.table()?.rows.map(\.words)
    }

    mutating func startSearch(_ face: Face) {
        guard searchRows(face) != nil else { return }
        search = TextSearch(start: activeSearch?.row ?? searchStart(face), depth: stack.count)
    }

    /// The cursor's row, else the first visible one.
    private func searchStart(_ face: Face) -> Int {
        let page = topPage
        if searchesRows == true { return page.selectedRow }
        let entries = page.entry == nil ? [] : face.text(top, context).entries
        return page.entry.flatMap { entries.indices.contains($0) ? entries[$0].lowerBound : nil } ?? top.scroll
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

    /// The nearest match from that row, wrapping around.
    private mutating func find(from start: Int, _ step: Int, _ face: Face) -> [Effect] {
        guard let wanted = search, let rows = searchRows(face), !rows.isEmpty else { return [] }
        let folded = wanted.folded
        let order = (0..<rows.count).map { ((start + $0 * step) % rows.count + rows.count) % rows.count }
        let row = folded.isEmpty ? nil : order.first { TextSearch.isFound(folded, in: rows[$0]) }
        search?.row = row
        guard let row else { return wanted.isTyping && searchesText ? show(row: wanted.start, face) : [] }
        if searchesRows == true { return send(.select(row), to: stack.count, face) }
        return show(row: row, face)
    }

    /// Scrolls to a row of the text and moves the cursor to the row's entry or the one below, so no key acts on an
    /// entry out of view.
    private mutating func show(row: Int, _ face: Face) -> [Effect] {
        let entries = topPage.entry == nil ? [] : face.text(top, context).entries
        let found = entries.firstIndex { $0.upperBound > row } ?? entries.indices.last
        let effects = found.map { send(.select($0), to: stack.count, face) } ?? []
        scroll(to: row, face)
        return effects
    }
}
