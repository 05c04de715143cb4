import CommandSupport
import Console
import Terminal

/// Lays out a page as plain lines: headings at the left, text indented and wrapped below them.
struct HelpPageLayout {
    struct Line: Equatable {
        var text: String
        var isHeading = false
    }

    let width: Int
    let text: MarkdownText

    /// For a narrower width, the terminal wraps the lines.
    private static let narrowest = 30

    init(width: Int, isASCII: Bool) {
        self.width = max(width, Self.narrowest)
        text = MarkdownText(isASCII: isASCII)
    }

    func lines(_ blocks: [MarkdownBlock]) -> [Line] {
        var lines: [Line] = []
        var indent = 2
        var isInList = false
        for block in blocks {
            if case .item = block {
                if !isInList { separate(&lines) }
                isInList = true
            } else {
                isInList = false
                separate(&lines)
            }
            switch block {
            case .heading(let level, let title):
                indent = level < 3 ? 2 : 4
                let plain = text.plain(title)
                lines.append(Line(text: level < 3 ? plain.uppercased() : "  " + plain, isHeading: true))
            case .paragraph(let paragraph):
                lines += wrapped(paragraph, first: "", indent: indent)
            case .item(let depth, let marker, let item):
                lines += wrapped(item, first: marker + " ", indent: indent + 2 * depth)
            case .code(let code):
                lines += code.map { Line(text: $0.isEmpty ? "" : spaces(indent + 2) + text.verbatim($0)) }
            case .table(let header, let rows):
                lines += HelpTable(header: header.map(text.plain), rows: rows.map { $0.map(text.plain) })
                    .lines(width: width - indent)
                    .map { Line(text: $0.text.isEmpty ? "" : spaces(indent) + $0.text, isHeading: $0.isHeading) }
            }
        }
        return lines
    }

    /// An empty line between two blocks, except after a heading.
    private func separate(_ lines: inout [Line]) {
        guard let last = lines.last else { return }
        if !last.isHeading || last.text.isEmpty { lines.append(Line(text: "")) }
    }

    private func wrapped(_ paragraph: String, first: String, indent: Int) -> [Line] {
        let hanging = indent + first.count
        let rows = DisplayWidth.wrap(text.plain(paragraph), columns: width - hanging)
        return rows.enumerated().map { Line(text: ($0 == 0 ? spaces(indent) + first : spaces(hanging)) + $1) }
    }

    private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
