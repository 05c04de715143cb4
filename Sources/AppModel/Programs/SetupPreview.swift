/// The changes of setting a program up or undoing that, before they are applied. Text is not sanitized here; secrets in
/// other programs' files are masked.
package struct SetupPreview: Equatable, Sendable {
    package var lines: [String]
    /// Known problems after the change.
    package var warnings: [String] = []
    /// Further steps and information.
    package var notes: [String] = []
    /// Whether there is something to do, even if only to delete the record of a change.
    package var isOffered = false
}

extension SetupPreview { package init(_ lines: [String]) { self.init(lines: lines) } }
