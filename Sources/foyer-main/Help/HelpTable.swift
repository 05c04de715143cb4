import CommandSupport
import Console
import Terminal

/// A table as aligned columns, or if these were too narrow, a list for each row.
struct HelpTable {
    let header: [String]
    let rows: [[String]]

    private static let gap = 2
    /// Minimum width of a wrapped column: narrower text has one word per line.
    private static let narrowest = 18

    func lines(width: Int) -> [HelpPageLayout.Line] {
        guard let widths = columnWidths(width) else { return records(width: width) }
        let cells = rows.map { row in zip(row, widths).map { DisplayWidth.wrap($0, columns: $1) } }
        // If the first column wraps, an empty line shows where a row begins.
        let isLoose = cells.contains { ($0.first?.count ?? 0) > 1 }
        var lines = [HelpPageLayout.Line(text: aligned(header.map { [$0.uppercased()] }, widths)[0], isHeading: true)]
        for (index, row) in cells.enumerated() {
            if isLoose, index > 0 { lines.append(HelpPageLayout.Line(text: "")) }
            lines += aligned(row, widths).map { HelpPageLayout.Line(text: $0) }
        }
        return lines
    }

    /// - Returns: nil if the columns do not fit.
    private func columnWidths(_ width: Int) -> [Int]? {
        let columns = header.indices.map { column in rows.map { $0.indices.contains(column) ? $0[column] : "" } }
        let natural = zip(header, columns).map { title, cells in
            (cells + [title]).map { DisplayWidth.columns($0) }.max() ?? 0
        }
        let least = zip(zip(header, columns), natural).map { column, natural in
            let words = column.1.flatMap { $0.split(separator: " ") }.map { DisplayWidth.columns($0) }.max() ?? 0
            return min(natural, max(words, DisplayWidth.columns(column.0), Self.narrowest))
        }
        let available = width - Self.gap * (header.count - 1)
        guard least.reduce(0, +) <= available else { return nil }
        var widths = natural
        while widths.reduce(0, +) > available {
            let shrinkable = widths.indices.filter { widths[$0] > least[$0] }
            guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { return nil }
            widths[widest] -= 1
        }
        return widths
    }

    private func aligned(_ cells: [[String]], _ widths: [Int]) -> [String] {
        (0..<(cells.map(\.count).max() ?? 0)).map { line in
            var text = ""
            for (cell, width) in zip(cells, widths) {
                let part = line < cell.count ? cell[line] : ""
                text += part + String(repeating: " ", count: max(0, width - DisplayWidth.columns(part)) + Self.gap)
            }
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    private func records(width: Int) -> [HelpPageLayout.Line] {
        let labels = header.dropFirst()
        let indent = (labels.map { DisplayWidth.columns($0) }.max() ?? 0) + 2 + Self.gap
        var lines: [HelpPageLayout.Line] = []
        for (index, row) in rows.enumerated() {
            if index > 0 { lines.append(HelpPageLayout.Line(text: "")) }
            lines += DisplayWidth.wrap(row.first ?? "", columns: width).map { HelpPageLayout.Line(text: $0) }
            for (label, cell) in zip(labels, row.dropFirst()) where !cell.isEmpty {
                for (line, part) in DisplayWidth.wrap(cell, columns: max(width - indent, 10)).enumerated() {
                    let start = line == 0 ? "  " + label : ""
                    let fill = String(repeating: " ", count: max(0, indent - DisplayWidth.columns(start)))
                    lines.append(HelpPageLayout.Line(text: start + fill + part))
                }
            }
        }
        return lines
    }
}
