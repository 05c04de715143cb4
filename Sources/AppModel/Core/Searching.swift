import Keys

extension AppState {
    /// The search; nil while another feature is on top of its own.
    package var activeSearch: TextSearch? { search.flatMap { $0.depth == stack.count ? $0 : nil } }

    /// The text to search, by row; nil if it cannot be searched.
    private func searchRows(_ face: Face) -> [String]? {
        switch top.searchScope {
        case .nothing: nil
        case .rows: top.rows(in: context) ?? top.table(in: context)?.rows.map(\.words)
        case .text: stack.isEmpty ? nil : face.text(top, context).rows
        }
    }

    mutating func startSearch(_ face: Face) {
        guard searchRows(face) != nil else { return }
        search = TextSearch(start: activeSearch?.row ?? searchStart(face), depth: stack.count)
    }

    /// The cursor's row, else the first visible one.
    private func searchStart(_ face: Face) -> Int {
        if top.searchScope == .rows { return top.selectedRow(in: context) }
        let entries = top.entry == nil ? [] : face.text(top, context).entries
        return top.entry.flatMap { entries.indices.contains($0) ? entries[$0].lowerBound : nil } ?? top.scroll
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
        guard let row else { return wanted.isTyping && top.searchScope == .text ? show(row: wanted.start, face) : [] }
        if top.searchScope == .rows { return send(.select(row), to: stack.count, face) }
        return show(row: row, face)
    }

    /// Scrolls to a row of the text and moves the cursor to the row's entry or the one below, so no key acts on an
    /// entry out of view.
    private mutating func show(row: Int, _ face: Face) -> [Effect] {
        let entries = top.entry == nil ? [] : face.text(top, context).entries
        let found = entries.firstIndex { $0.upperBound > row } ?? entries.indices.last
        let effects = found.map { send(.select($0), to: stack.count, face) } ?? []
        scroll(to: row, face)
        return effects
    }
}
