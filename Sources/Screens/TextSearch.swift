import Terminal

/// What is looked for in the text on top, from `/` until the text is left.
struct TextSearch: Equatable, Sendable {
    var field = TextField()
    var isTyping = true
    /// The row that was found.
    var row: Int?
    /// Where the search began.
    let start: Int
    /// How many screens lay there when it began: with another one on top it is over.
    let depth: Int

    var folded: [Unicode.Scalar] { AccountFilter.fold(field.text) }

    /// The columns of a row where it stands.
    static func columns(of wanted: [Unicode.Scalar], in text: String) -> [Range<Int>] {
        guard !wanted.isEmpty else { return [] }
        var letters: [Unicode.Scalar] = []
        var places: [Range<Int>] = []
        var column = 0
        for cluster in DisplayWidth.clusters(text) {
            // One scalar stands for the cluster, so that letters and columns stay in step.
            letters.append(cluster.text.lowercased().unicodeScalars.first ?? " ")
            places.append(column..<column + cluster.width)
            column += cluster.width
        }
        var found: [Range<Int>] = []
        var index = 0
        while index + wanted.count <= letters.count {
            if letters[index...].starts(with: wanted) {
                found.append(places[index].lowerBound..<places[index + wanted.count - 1].upperBound)
                index += wanted.count
            } else {
                index += 1
            }
        }
        return found
    }
}

extension State {
    /// Whether the screen on top is one in which text is looked for.
    var searchRows: [String]? {
        guard let top else { return nil }
        switch top {
        case .group(let screen) where screen.stage == .asking: return nil
        case .inspector(let screen) where screen.line != nil: return nil
        case .inspector(let screen) where !screen.isReading: return tokenRows(screen)
        case .form, .dialog, .palette, .themes, .settings: return nil
        case .activity(let screen) where !screen.isReading: return activityRows
        case .stores(let screen) where !screen.isReading: return storeRows(screen)
        case .progress, .scopes, .acquisition, .departure, .group, .help, .doctor, .activity, .stores, .inspector:
            return page(of: top, in: Self.body(of: size), glyphs: .utf8).sheet.rows.map { $0.map(\.text).joined() }
        }
    }

    mutating func startSearch() {
        guard searchRows != nil else { return }
        search = TextSearch(start: foundRow ?? top?.scroll ?? 0, depth: stack.count)
    }

    /// With a screen on top of its own it waits.
    var activeSearch: TextSearch? { search.flatMap { $0.depth == stack.count ? $0 : nil } }

    private var foundRow: Int? { activeSearch?.row }

    mutating func performSearch(_ command: Command, _ key: Key) {
        guard var wanted = activeSearch else { return }
        switch command {
        case .edit:
            wanted.field.press(key)
            search = wanted
            find(from: wanted.start, 1)
        case .keepSearch:
            wanted.isTyping = false
            search = wanted.field.isEmpty ? nil : wanted
        case .clearSearch: search = nil
        case .searchNext: find(from: (wanted.row ?? wanted.start - 1) + 1, 1)
        case .searchPrevious: find(from: (wanted.row ?? wanted.start + 1) - 1, -1)
        default: break
        }
    }

    /// The nearest row from there on, around the end.
    private mutating func find(from start: Int, _ step: Int) {
        guard let wanted = search, let rows = searchRows, !rows.isEmpty else { return }
        let folded = wanted.folded
        let order = (0..<rows.count).map { ((start + $0 * step) % rows.count + rows.count) % rows.count }
        let row = folded.isEmpty ? nil : order.first { !TextSearch.columns(of: folded, in: rows[$0]).isEmpty }
        search?.row = row
        guard let row else {
            if wanted.isTyping { scroll(to: wanted.start) }
            return
        }
        if case .activity(let screen) = top, !screen.isReading { return chooseActivity(row) }
        if case .stores(let screen) = top, !screen.isReading { return chooseStore(row) }
        if case .inspector(let screen) = top, !screen.isReading { return chooseToken(row) }
        scroll(to: row)
    }

    /// Brings a row near the top, and no further than the text goes.
    private mutating func scroll(to row: Int) {
        guard var screen = top else { return }
        let page = page(of: screen, in: Self.body(of: size), glyphs: .utf8)
        let last = max(0, page.sheet.rows.count - page.area.rows)
        let shown = min(screen.scroll, last)
        guard row < shown || row >= shown + page.area.rows else { return }
        screen.scroll = min(max(0, row - 1), last)
        replaceTop(screen)
    }

    // MARK: Its picture

    /// Marks what was found, and draws the line that it is typed in.
    func drawSearch(in grid: inout Grid) {
        guard let search = activeSearch, let top else { return }
        if searchRows != nil { mark(search, top, in: &grid) }
        let row = Rect(row: grid.size.rows - 2, column: 0, rows: 1, columns: grid.size.columns)
        grid.fill(row, style: .role(.input))
        let used = grid.put(" /", at: row.origin, style: .role(.key))
        let note = search.field.isEmpty ? "" : search.row == nil ? "not found " : "n next, N before "
        let cursor = search.field.draw(
            in: &grid, at: row.at(row: 0, column: used), width: max(4, row.columns - used - note.count - 1),
            placeholder: "text to look for",
            isFocused: search.isTyping)
        grid.putRight(note, at: row.origin, style: .role(search.row == nil ? .attention : .muted), width: row.columns)
        if search.isTyping { grid.cursor = cursor }
    }

    private func mark(_ search: TextSearch, _ top: Screen, in grid: inout Grid) {
        if case .activity(let screen) = top, !screen.isReading { return }
        if case .stores(let screen) = top, !screen.isReading { return }
        if case .inspector(let screen) = top, !screen.isReading { return }
        let page = page(of: top, in: Self.body(of: grid.size), glyphs: grid.glyphs)
        let first = min(max(top.scroll, 0), max(0, page.sheet.rows.count - page.area.rows))
        let folded = search.folded
        for (offset, spans) in page.sheet.rows.dropFirst(first).prefix(page.area.rows).enumerated() {
            let text = spans.map(\.text).joined()
            for columns in TextSearch.columns(of: folded, in: text) where columns.upperBound <= page.area.columns {
                let piece = DisplayWidth.slice(text, columns)
                grid.put(
                    piece, at: page.area.at(row: offset, column: columns.lowerBound),
                    style: Style(role: .match, bold: true),
                    width: columns.count)
            }
            if first + offset == search.row, !search.isTyping { grid.cursor = page.area.at(row: offset) }
        }
    }
}

extension DisplayWidth {
    /// What is drawn between two columns that are borders of clusters.
    fileprivate static func slice(_ text: String, _ columns: Range<Int>) -> String {
        var column = 0
        var piece = ""
        for cluster in clusters(text) {
            if columns.contains(column) { piece += cluster.text }
            column += cluster.width
        }
        return piece
    }
}
