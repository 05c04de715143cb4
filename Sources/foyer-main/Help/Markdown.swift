import CommandSupport

/// A Markdown page as a list of blocks, for the subset in the reference pages: headings, paragraphs, lists, fenced code
/// and tables. Comments are dropped; text inside a block keeps its markup.
enum MarkdownBlock: Equatable {
    case heading(level: Int, String)
    case paragraph(String)
    /// `depth` counts from zero.
    case item(depth: Int, marker: String, String)
    case code([String])
    case table(header: [String], rows: [[String]])

    static func parse(_ text: String) -> [MarkdownBlock] {
        var parser = MarkdownParser(lines: text.split(separator: "\n", omittingEmptySubsequences: false)[...])
        return parser.blocks()
    }
}

private struct MarkdownParser {
    var lines: ArraySlice<Substring>
    var found: [MarkdownBlock] = []

    mutating func blocks() -> [MarkdownBlock] {
        while let line = lines.popFirst() {
            let text = line.drop { $0 == " " }
            if text.isEmpty { continue }
            if text.hasPrefix("<!--") {
                skipComment(text)
            } else if text.hasPrefix("```") {
                found.append(.code(code()))
            } else if let level = Self.headingLevel(text) {
                found.append(.heading(level: level, String(text.dropFirst(level + 1))))
            } else if text.hasPrefix("|"), let next = lines.first, Self.isRule(next) {
                found.append(table(header: text))
            } else if let item = Self.item(text) {
                let depth = (line.count - text.count) / 2
                found.append(.item(depth: depth, marker: item.marker, joined(item.text)))
            } else {
                found.append(.paragraph(joined(text)))
            }
        }
        return found
    }

    private mutating func skipComment(_ first: Substring) {
        var line = first
        while !line.contains("-->"), let next = lines.popFirst() { line = next }
    }

    private mutating func code() -> [String] {
        var code: [String] = []
        while let line = lines.popFirst(), !line.hasPrefix("```") { code.append(String(line)) }
        return code
    }

    private mutating func table(header: Substring) -> MarkdownBlock {
        lines.removeFirst()
        var rows: [[String]] = []
        while let line = lines.first, line.hasPrefix("|") {
            lines.removeFirst()
            rows.append(Self.cells(line))
        }
        return .table(header: Self.cells(header), rows: rows)
    }

    /// A paragraph or an item continues until an empty line or another block.
    private mutating func joined(_ first: Substring) -> String {
        var text = String(first)
        while let line = lines.first {
            let next = line.drop { $0 == " " }
            let endsHere =
                next.isEmpty || next.hasPrefix("```") || next.hasPrefix("<!--") || next.hasPrefix("|")
                || Self.headingLevel(next) != nil || Self.item(next) != nil
            if endsHere { break }
            lines.removeFirst()
            text += " " + next
        }
        return text
    }

    private static func headingLevel(_ line: Substring) -> Int? {
        let level = line.prefix { $0 == "#" }.count
        return (1...6).contains(level) && line.dropFirst(level).first == " " ? level : nil
    }

    private static func item(_ line: Substring) -> (marker: String, text: Substring)? {
        if line.hasPrefix("- ") { return ("-", line.dropFirst(2)) }
        let number = line.prefix { $0.isASCII && $0.isNumber }
        guard !number.isEmpty, number.count < 4, line.dropFirst(number.count).hasPrefix(". ") else { return nil }
        return (number + ".", line.dropFirst(number.count + 2))
    }

    private static func isRule(_ line: Substring) -> Bool {
        line.hasPrefix("|") && line.contains("-") && line.allSatisfy { "|-: ".contains($0) }
    }

    /// The cells of a row; `\|` is a bar inside a cell.
    private static func cells(_ line: Substring) -> [String] {
        var cells: [String] = []
        var cell = ""
        var isEscaped = false
        for character in line.drop(while: { $0 == " " }).dropFirst() {
            if character == "|", !isEscaped {
                cells.append(trimmed(cell))
                cell = ""
            } else {
                if isEscaped, character != "|" { cell.append("\\") }
                if character != "\\" || isEscaped { cell.append(character) }
            }
            isEscaped = character == "\\" && !isEscaped
        }
        return cells
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...].drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
