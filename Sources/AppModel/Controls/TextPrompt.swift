/// A line that a person types or pastes something into.
package struct TextPrompt: Hashable, Sendable {
    package let label: String
    /// Stands where nothing has been typed yet.
    package let hint: String
    /// What is typed must not be seen.
    package let isMasked: Bool
    /// What is typed is worth something for a while: it must not be left behind where lines stay.
    package let isCredential: Bool
    package var field: TextField

    package init(_ label: String, hint: String, isMasked: Bool = false, isCredential: Bool = false, text: String = "") {
        self.label = label
        self.hint = hint
        self.isMasked = isMasked
        self.isCredential = isCredential
        field = TextField(text)
    }

    /// Whether a face on which lines stay shows it.
    package var isUnseen: Bool { isMasked || isCredential }
}
