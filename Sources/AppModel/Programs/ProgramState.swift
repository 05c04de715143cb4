/// Whether a program is set up to ask foyer for its tokens.
package struct ProgramState: Equatable, Sendable {
    /// Such as `git`.
    package var name: String
    package var isSetUp: Bool
    /// What was found, or what to do; each a line.
    package var findings: [String]

    package init(_ name: String, isSetUp: Bool, findings: [String] = []) {
        self.name = name
        self.isSetUp = isSetUp
        self.findings = findings
    }
}
