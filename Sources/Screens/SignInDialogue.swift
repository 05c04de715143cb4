import Identity
import Terminal

/// A question of a sign-in without a browser, and the answer as far as it is typed.
struct AskedQuestion: Equatable, Sendable {
    let question: SignInQuestion
    var field = TextField()
    /// Where the answer is one of several.
    var selected = 0

    init(_ question: SignInQuestion) { self.question = question }

    var choices: [String] {
        guard case .choose(let choices) = question else { return [] }
        return choices
    }

    var reply: SignInReply {
        choices.isEmpty ? .text(Secret(field.text)) : .choice(selected)
    }

    mutating func move(_ command: Command) {
        guard !choices.isEmpty else { return }
        selected = min(max(selected + (command == .up ? -1 : 1), 0), choices.count - 1)
    }
}

extension State {
    /// The keys of a question.
    mutating func answer(_ command: Command, _ asked: AskedQuestion, _ given: SignInProgress) -> [Effect] {
        var progress = given
        switch command {
        case .open:
            progress.question = nil
            replaceTop(.progress(progress))
            return [.answer(asked.reply, progress.flight)]
        case .openBrowser:
            progress.question = nil
            replaceTop(.progress(progress))
            return [.answer(.browser, progress.flight)]
        case .up, .down:
            progress.question?.move(command)
            replaceTop(.progress(progress))
            return []
        default: return []
        }
    }

    func addQuestion(_ asked: AskedQuestion, to sheet: inout Sheet) {
        sheet.text("The provider asks; what you type goes to it alone.", .emphasis)
        if let problem = asked.question.problem { sheet.item(sheet.glyphs.warning, .attention, problem) }
        sheet.text(asked.question.words, .text)
        for (index, choice) in asked.choices.enumerated() {
            let isSelected = index == asked.selected
            sheet.item(isSelected ? sheet.glyphs.pointer : " ", .selection, choice, isSelected ? .selection : .text)
        }
        sheet.text("F2 goes on in a browser instead; Esc gives the sign-in up.", .muted)
    }

    /// The line at the bottom in which an answer is typed; secrets are never drawn.
    func drawAnswer(_ asked: AskedQuestion, in grid: inout Grid, _ line: Rect) {
        guard asked.choices.isEmpty else { return }
        grid.fill(line, style: .role(.input))
        let used = grid.put(asked.question.isSecret ? " unseen: " : " answer: ", at: line.origin, style: .role(.label))
        grid.cursor = asked.field.draw(
            in: &grid, at: line.at(row: 0, column: used), width: line.columns - used - 1, placeholder: "type it here",
            isFocused: true,
            isMasked: asked.question.isSecret)
    }
}
