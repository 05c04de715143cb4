/// What setting a program up, or taking that back, would change: nothing has been changed yet. Its texts come as they
/// are, those of others' files masked.
package struct SetupPreview: Equatable, Sendable {
    /// The exact change, line by line.
    package var lines: [String]
    /// What will not work as it is.
    package var warnings: [String]
    /// What else there is to do or to know.
    package var notes: [String]
    /// Whether there is anything to do, which may be no more than to forget what was changed.
    package var isOffered: Bool

    package init(lines: [String], warnings: [String] = [], notes: [String] = [], isOffered: Bool) {
        self.lines = lines
        self.warnings = warnings
        self.notes = notes
        self.isOffered = isOffered
    }
}
