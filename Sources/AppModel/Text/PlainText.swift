import Identity
import Keys

/// A text block as unwrapped lines.
package enum PlainText {
    /// - Parameter withMoving: includes parts that change with time.
    package static func lines(_ block: TextBlock, withMoving: Bool = true) -> [String] {
        zip(block.paragraphs.indices, block.paragraphs).flatMap { index, paragraph in
            withMoving || !block.moving.contains(index) ? lines(paragraph) : []
        }
    }

    /// For sharing: without tokens and without codes that could sign someone in.
    static func report(_ block: TextBlock) -> [String] {
        block.paragraphs.flatMap { paragraph -> [String] in
            switch paragraph {
            case .secret, .code, .views: []
            default: lines(paragraph)
            }
        }
    }

    /// The first line of each entry.
    package static func entries(_ block: TextBlock) -> [String] {
        var entries: [String] = []
        for (paragraph, entry) in zip(block.paragraphs, block.entries) where entry == entries.count {
            if let line = lines(paragraph).first { entries.append(line) }
        }
        return entries
    }

    private static func lines(_ paragraph: TextBlock.Paragraph) -> [String] {
        switch paragraph {
        case .blank, .lifetime, .present: []
        case .row(let spans): [words(spans)]
        case .text(let text, _, let indent): [spaces(indent) + text]
        case .item(let sign, _, let text, _, let indent): [spaces(indent) + prefix(sign) + text]
        case .pair(let label, _, let value, _, _, _): [label.isEmpty ? "  " + value : "\(label): \(value)"]
        case .keys(let binding): ["\(binding.keys.map(\.name).joined(separator: " ")): \(binding.help)"]
        case .meter(let spans, _, let words): [Self.words(spans) + "  " + words]
        case .bar(_, let words, let indent): [spaces(indent) + words]
        case .code(let code, _): ["code: \(code)"]
        case .roomy(let block): lines(block)
        case .characters(let text, let indent): [spaces(2 * indent) + text]
        case .secret(let secret): [token(secret)]
        case .option(let option):
            [
                (option.isChosen.map { prefix(.checkbox($0)) } ?? "") + "\(option.name): \(option.word)"
                    + ", \(option.risk) risk" + (option.consent == "admin" ? ", admin consent required" : "")
                    + "; \(option.explanation)"
            ]
        case .menuItem(let name, _, let facts, _):
            [[name, facts].map(\.text).filter { !$0.isEmpty }.joined(separator: ": ")]
        case .sides(let left, let right):
            [([left, right].filter { !$0.isEmpty }.map(words)).joined(separator: "; ")]
        case .spans(let spans, let indent): [spaces(2 * indent) + words(spans)]
        case .fact(let fact):
            [
                "\(fact.name.text): \(words([fact.value]))"
                    + (fact.meaning.text.isEmpty ? "" : "; \(fact.meaning.text)")
            ]
        // Length is unlimited.
        case .either(let long, _): lines(long)
        case .views(let names, let marked, _):
            [
                names.enumerated().map { $0.offset == marked ? "\($0.element) (shown)" : $0.element }.joined(
                    separator: ", ")
            ]
        }
    }

    private static func words(_ spans: [TextSpan]) -> String {
        spans.map { [$0.sign.map(mark) ?? "", $0.text].joined() }.joined()
    }

    /// Signs as text; empty for those whose meaning is in the text next to them.
    private static func mark(_ sign: Sign) -> String {
        switch sign {
        case .letter(let letter): letter
        case .checkbox(let isOn): isOn ? "[x]" : "[ ]"
        case .toggle(let key, let isOn): "\(key) \(isOn ? "[x]" : "[ ]")"
        // The selected entry is printed after the text.
        case .pointer, .none, .full, .half, .quarter, .empty, .renewal, .warning, .check, .cross, .bullet, .separator,
            .arrowRight, .busy:
            ""
        }
    }

    private static func prefix(_ sign: Sign) -> String {
        let mark = mark(sign)
        return mark.isEmpty ? "" : mark + " "
    }

    /// The whole token alone on its line; visible ASCII only.
    private static func token(_ secret: Secret) -> String {
        let text = secret.reveal()
        let isToken = !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isToken ? text : "invalid characters in the token"
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
