/// A change that was saved in the settings file, and can be undone while the file is unchanged.
package struct UndoableSetting: Hashable, Sendable {
    /// The count of changes until then.
    package let number: Int
    /// Such as `theme nord`, `rule for kubectl`.
    package let words: String

    package init(_ number: Int, _ words: String) { (self.number, self.words) = (number, words) }
}
