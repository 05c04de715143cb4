package import Identity
import Keys

/// A question of a sign-in without a browser, and the answer typed so far.
package struct PendingQuestion: Equatable, Sendable {
    package let question: SignInQuestion
    /// For a choice of answers.
    private(set) var cursor = ListCursor()
    /// For a typed answer.
    private(set) var prompt: TextPrompt?

    init(_ question: SignInQuestion) {
        self.question = question
        if case .choose = question { return }
        prompt = TextPrompt(
            question.isSecret ? "password:" : "answer:", hint: "type it", isMasked: question.isSecret,
            subject: question.words)
    }

    var choices: [String] {
        guard case .choose(let choices) = question else { return [] }
        return choices
    }

    var answer: MarkedEntry? {
        choices.isEmpty ? nil : .answer(cursor.selected, of: [question.words] + choices)
    }

    var reply: SignInReply { prompt.map { .text(Secret($0.field.text)) } ?? .choice(cursor.selected) }

    mutating func move(_ command: Command) { cursor.move(command, count: choices.count, page: choices.count) }
    mutating func select(_ place: Int) { cursor.select(place, count: choices.count) }
    mutating func handle(_ key: Key) { prompt?.field.handle(key) }
}

extension TextBlock {
    mutating func add(_ pending: PendingQuestion, in context: Context) {
        text("Your answers are sent only to the provider.", .emphasis)
        if let problem = pending.question.problem { item(.warning, .attention, problem) }
        text(pending.question.words)
        for (index, choice) in pending.choices.enumerated() {
            let isSelected = index == pending.cursor.selected
            entry(index) {
                $0.item(isSelected ? .pointer : .none, .selection, choice, isSelected ? .selection : .text)
            }
        }
        let (browser, back) = (context.name(of: .openBrowser, at: .question), context.name(of: .back, at: .question))
        text("\(browser) continues in a browser; \(back) cancels the sign-in.", .muted)
    }
}
