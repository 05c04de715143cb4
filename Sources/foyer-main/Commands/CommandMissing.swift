import Identity

extension Failure {
    /// The error for a command that was run without the subcommand it needs.
    ///
    /// - Parameter example: the most common subcommand.
    static func commandMissing(after words: [String], example: String? = nil) -> Failure {
        let name = (["foyer"] + words).joined(separator: " ")
        return Failure(
            .usage, "\(name): missing subcommand",
            hint: .text((example.map { "run \"\(name) \($0)\", or " } ?? "") + "see \"\(name) --help\""))
    }
}
