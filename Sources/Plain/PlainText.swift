// Plain shows AppModel as text: a page, then what can be done as a numbered list. Text is only ever added, nothing is
// drawn again, so that screen readers, dumb terminals and scripts can follow. It must not decide anything: what is
// shown and what a choice does is the model's.

import AppModel
import Identity
import Keys

/// A text block as lines, none of them broken: whoever reads them breaks them as they like.
enum PlainText {
    /// - Parameter withMoving: also what changes by itself as time goes by.
    static func lines(_ block: TextBlock, withMoving: Bool = true) -> [String] {
        zip(block.paragraphs.indices, block.paragraphs).flatMap { index, paragraph in
            withMoving || !block.moving.contains(index) ? lines(paragraph) : []
        }
    }

    /// The first line of each entry that can be marked.
    static func entries(_ block: TextBlock) -> [String] {
        var entries: [String] = []
        for (paragraph, entry) in zip(block.paragraphs, block.entries) where entry == entries.count {
            if let line = lines(paragraph).first { entries.append(line) }
        }
        return entries
    }

    private static func lines(_ paragraph: TextBlock.Paragraph) -> [String] {
        switch paragraph {
        case .blank, .lifetime, .present: []
        case .row(let spans):
            [spans.map { [$0.sign.map(mark) ?? "", $0.text].joined() }.joined()]
        case .text(let text, _, let indent): [spaces(indent) + text]
        case .item(let sign, _, let text, _, let indent): [spaces(indent) + prefix(sign) + text]
        case .pair(let label, _, let value, _, _, _): ["\(label): \(value)"]
        case .keys(let binding): ["\(binding.keys.map(\.name).joined(separator: " ")): \(binding.help)"]
        case .bar(_, let words, let indent): [spaces(indent) + words]
        case .code(let code): ["code: \(code)"]
        case .roomy(let text): [text]
        case .characters(let text, let indent): [spaces(2 * indent) + text]
        case .secret(let secret): [token(secret)]
        case .option(let option):
            [
                prefix(.checkbox(option.isChosen)) + "\(option.name): \(option.word)"
                    + (option.facts.isEmpty ? "" : ", \(option.facts)")
                    + "; \(option.explanation)"
            ]
        case .choice(let name, _): [name]
        }
    }

    /// What a sign says is in the words beside it, as far as it is no letter and no box.
    private static func mark(_ sign: Sign) -> String {
        switch sign {
        case .letter(let letter): letter
        case .checkbox(let isOn): isOn ? "[x]" : "[ ]"
        case .toggle(let key, let isOn): "\(key) \(isOn ? "[x]" : "[ ]")"
        // Which one is marked is told after the text.
        case .pointer, .none, .full, .half, .empty, .warning, .check, .cross, .bullet, .separator, .arrowRight: ""
        }
    }

    private static func prefix(_ sign: Sign) -> String {
        let mark = mark(sign)
        return mark.isEmpty ? "" : mark + " "
    }

    /// Whole and alone on its line, when it is a token: visible ASCII only.
    private static func token(_ secret: Secret) -> String {
        let text = secret.reveal()
        let isToken = !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isToken ? text : "it has characters that no token may have"
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
