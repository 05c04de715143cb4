import AppModel
import Console
import Keys
import Terminal

extension Grid {
    mutating func draw(_ search: TextSearch, of state: AppState) {
        if state.searchesText {
            let page = Views.of(state.top, in: state.context).layout(size: size, glyphs: glyphs)
            mark(search.folded, in: page, scroll: state.top.scroll)
            let found = (search.row ?? 0) - page.text.firstRow(state.top.scroll, in: page.area)
            if search.row != nil, !search.isTyping, (0..<page.area.rows).contains(found) {
                cursor = page.area.at(row: found)
            }
        }
        let row = ScreenArea.line(of: size)
        fill(row, style: .role(.input))
        let used = put(" /", at: row.origin, style: .role(.key))
        let note = search.field.isEmpty ? "" : search.row == nil ? "not found " : "n next, N previous "
        let place = draw(
            search.field, at: row.at(row: 0, column: used), width: max(4, row.columns - used - note.count - 1),
            placeholder: "search text", isFocused: search.isTyping)
        putRight(note, at: row.origin, style: .role(search.row == nil ? .attention : .muted), width: row.columns)
        if search.isTyping { cursor = place }
    }

    /// - Parameter wanted: folded, see ``AccountFilter/fold(_:)``.
    mutating func mark(_ wanted: [Unicode.Scalar], in page: PageLayout, scroll: Int) {
        guard !wanted.isEmpty else { return }
        let first = page.text.firstRow(scroll, in: page.area)
        for (offset, spans) in page.text.rows.dropFirst(first).prefix(page.area.rows).enumerated() {
            let text = spans.map(\.text).joined()
            for columns in Self.columns(of: wanted, in: text) where columns.upperBound <= page.area.columns {
                put(
                    Self.slice(text, columns), at: page.area.at(row: offset, column: columns.lowerBound),
                    style: Style(role: .match, bold: true), width: columns.count)
            }
        }
    }

    /// One scalar and its columns for each cluster, so letters and columns stay in step.
    static func letters(of text: String) -> (letters: [Unicode.Scalar], places: [Range<Int>]) {
        var letters: [Unicode.Scalar] = []
        var places: [Range<Int>] = []
        var column = 0
        for cluster in DisplayWidth.clusters(text) {
            letters.append(cluster.text.lowercased().unicodeScalars.first ?? " ")
            places.append(column..<column + cluster.width)
            column += cluster.width
        }
        return (letters, places)
    }

    static func columns(of wanted: [Unicode.Scalar], in text: String) -> [Range<Int>] {
        guard !wanted.isEmpty else { return [] }
        let (letters, places) = letters(of: text)
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

    /// The text between two columns, which must be cluster boundaries.
    private static func slice(_ text: String, _ columns: Range<Int>) -> String {
        var column = 0
        var piece = ""
        for cluster in DisplayWidth.clusters(text) {
            if columns.contains(column) { piece += cluster.text }
            column += cluster.width
        }
        return piece
    }
}
