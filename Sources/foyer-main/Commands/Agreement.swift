import CommandSupport
import Glibc

/// A yes/no question that defaults to no.
enum Agreement {
    static func canAsk(_ output: Output) -> Bool {
        !output.json && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    }

    /// - Returns: whether the user answered yes; false without a terminal.
    static func isGiven(to question: String, _ output: Output) async -> Bool {
        guard canAsk(output) else { return false }
        let line = await PlainInput().answer(to: "\(question) [y/N] ")
        return ["y", "yes"].contains(line?.lowercased() ?? "")
    }

    /// - Returns: whether the user typed the word; false without a terminal.
    static func isTyped(_ word: String, to question: String, _ output: Output) async -> Bool {
        guard canAsk(output) else { return false }
        Output.write("\(question) Type \"\(word)\": ", to: STDERR_FILENO)
        return await PlainInput().next()?.lowercased() == word
    }
}
