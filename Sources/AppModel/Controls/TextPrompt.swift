package struct TextPrompt: Hashable, Sendable {
    package let label: String
    package let hint: String
    package let isMasked: Bool
    /// Input that is usable for a while, such as a code: it must not stay in a terminal's scrollback.
    let isCredential: Bool
    package var field: TextField

    package init(_ label: String, hint: String, isMasked: Bool = false, isCredential: Bool = false, text: String = "") {
        self.label = label
        self.hint = hint
        self.isMasked = isMasked
        self.isCredential = isCredential
        field = TextField(text)
    }

    /// Whether plain mode must not echo the input, because its lines stay on the screen.
    package var isUnseen: Bool { isMasked || isCredential }
}
