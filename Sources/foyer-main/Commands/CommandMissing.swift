import Identity

extension Failure {
    /// A command that was called alone, and does nothing without one of its own.
    ///
    /// - Parameters:
    ///   - words: the command's name, and before it the one that it belongs to.
    ///   - example: the command of its own that is wanted most.
    static func commandMissing(after words: [String], example: String? = nil) -> Failure {
        let name = (["foyer"] + words).joined(separator: " ")
        return Failure(
            .usage, "\(name) needs to know what to do",
            hint: .text((example.map { "run \"\(name) \($0)\", or " } ?? "") + "see \"\(name) --help\""))
    }
}
