package struct TextPrompt: Hashable, Sendable {
    package let label: String
    package let hint: String
    package let isMasked: Bool
    /// Input that is usable for a while, such as a code: it must not stay in a terminal's scrollback.
    let isCredential: Bool
    /// Whether the text answers a question. False for a filter, which shows its effect while it is typed.
    let isAnswer: Bool
    /// The question that the text answers, if another one can follow at the same place.
    let subject: String
    package var field: TextField

    package init(
        _ label: String, hint: String, isMasked: Bool = false, isCredential: Bool = false, isAnswer: Bool = true,
        subject: String = "", text: String = ""
    ) {
        self.label = label
        self.hint = hint
        self.isMasked = isMasked
        self.isCredential = isCredential
        self.isAnswer = isAnswer
        self.subject = subject
        field = TextField(text)
    }

    /// Whether plain mode must not echo the input, because its lines stay on the screen.
    package var isUnseen: Bool { isMasked || isCredential }
}
