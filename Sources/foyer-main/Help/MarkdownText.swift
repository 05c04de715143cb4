import CommandSupport
import Console
import Terminal

/// The text of a block without markup, for a terminal with UTF-8 or only ASCII.
struct MarkdownText {
    let isASCII: Bool

    /// Replaces code, emphasis and links by their text, and a link to a reference page by the command that shows it.
    func plain(_ text: String) -> String {
        var plain = ""
        var rest = text[...]
        while let character = rest.first {
            if character == "`" {
                plain += code(&rest)
            } else if rest.hasPrefix("**") {
                rest.removeFirst(2)
            } else if rest.hasPrefix("<doc:"), let end = rest.firstIndex(of: ">") {
                plain += Self.link(toPage: String(rest[rest.index(rest.startIndex, offsetBy: 5)..<end]))
                rest = rest[rest.index(after: end)...]
            } else if character == "[", let link = Self.link(rest) {
                plain += self.plain(link.text)
                rest = link.rest
            } else {
                plain += shown(String(rest.removeFirst()))
            }
        }
        return plain
    }

    /// A line of code or of a drawing: each box character keeps its column.
    func verbatim(_ line: String) -> String {
        guard isASCII else { return line }
        return SafeText.ascii(String(line.map { Self.frames[$0] ?? $0 }))
    }

    private func shown(_ text: String) -> String { isASCII ? SafeText.ascii(text) : text }

    /// Takes a code span, delimited by equal numbers of backticks.
    private func code(_ rest: inout Substring) -> String {
        let fence = rest.prefix { $0 == "`" }
        rest.removeFirst(fence.count)
        guard let end = rest.firstRange(of: fence) else { return String(fence) }
        let code = String(rest[..<end.lowerBound])
        rest = rest[end.upperBound...]
        if isASCII, let name = Self.arrowKeys[code] { return name }
        return shown(code.hasPrefix("\\") && code.count == 2 ? String(code.dropFirst()) : code)
    }

    private static func link(toPage page: String) -> String {
        guard let topic = HelpTopic.allCases.first(where: { $0.page == page }) else { return page }
        return "\"foyer help \(topic.rawValue)\""
    }

    /// `[text](address)`: drops the address, as the pages are complete without it.
    private static func link(_ rest: Substring) -> (text: String, rest: Substring)? {
        guard let close = rest.firstRange(of: "](") else { return nil }
        guard let end = rest[close.upperBound...].firstIndex(of: ")") else { return nil }
        let text = rest[rest.index(after: rest.startIndex)..<close.lowerBound]
        return text.contains("[") ? nil : (String(text), rest[rest.index(after: end)...])
    }

    /// The interface's names for these keys without UTF-8.
    private static let arrowKeys = ["↑": "Up", "↓": "Down", "←": "Left", "→": "Right"]

    private static let frames: [Character: Character] = [
        "─": "-", "│": "|", "┌": "+", "┐": "+", "└": "+", "┘": "+", "├": "+", "┤": "+", "┬": "+", "┴": "+", "┼": "+",
        "→": ">", "←": "<", "↑": "^", "↓": "v", "…": ".",
    ]
}
