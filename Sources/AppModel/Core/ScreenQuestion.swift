package import Keys

/// The question that the top page asks. An answer counts only for a question that was on the screen, so two questions
/// are equal only if an answer to one is an answer to the other.
package struct ScreenQuestion: Hashable, Sendable {
    package enum Form: Hashable, Sendable {
        /// Any key can be an answer: buttons, or a menu of answers.
        case choice
        /// A text is typed, and sent by another key.
        case text
    }

    package let form: Form
    /// The number of pages opened so far: the same question asked again is another one.
    let opening: Int
    /// The things that the answers concern.
    let subject: [String]
}

extension AppState {
    /// Nil if the top page asks nothing. It follows from what the page presents, so that no page can ask without it.
    package var question: ScreenQuestion? {
        let page = topPage
        if let confirmation = page.confirmation {
            return ScreenQuestion(form: .choice, opening: openings, subject: [page.title, confirmation.verb])
        }
        if let prompt = page.prompt, prompt.isAnswer {
            return ScreenQuestion(
                form: .text, opening: openings, subject: [page.title, prompt.label, prompt.hint, prompt.subject])
        }
        guard case .answer(_, let subject)? = page.marked else { return nil }
        return ScreenQuestion(form: .choice, opening: openings, subject: subject)
    }

    /// Commands that leave a question unanswered.
    private static let leaving: Set<Command> = [.back, .no, .help, .quit, .redraw, .suspend, .toggleMouse]

    /// Whether a key can answer the question on the screen, or select an answer.
    package func mayAnswer(_ key: Key) -> Bool {
        guard let question else { return false }
        guard let command = keys.bindings.first(where: { $0.keys.contains(key) })?.command else {
            return question.form == .choice && !key.isForProgram
        }
        if Self.leaving.contains(command) || Registry.opensPage(command) || Tab(command) != nil { return false }
        return question.form == .choice || !command.isMovement
    }
}

extension Key {
    /// Whether it is for the program, not for the page: Ctrl, Escape and the function keys.
    package var isForProgram: Bool {
        switch self {
        case .control, .escape, .function: true
        case .character, .enter, .tab, .backTab, .backspace, .delete, .insert, .up, .down, .left, .right, .home, .end,
            .pageUp, .pageDown, .alt, .paste, .mouse:
            false
        }
    }
}
