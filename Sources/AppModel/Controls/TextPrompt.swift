/// A line that a person types or pastes something into.
package struct TextPrompt: Hashable, Sendable {
    package let label: String
    /// Stands where nothing has been typed yet.
    package let hint: String
    /// What is typed must not be seen.
    package let isMasked: Bool
    package var field: TextField

    package init(_ label: String, hint: String, isMasked: Bool = false, text: String = "") {
        self.label = label
        self.hint = hint
        self.isMasked = isMasked
        field = TextField(text)
    }
}
