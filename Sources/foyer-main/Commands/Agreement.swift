import CommandSupport
import Glibc

/// A question whose safe answer is the default.
enum Agreement {
    /// Whether somebody is there who can be asked.
    static func canAsk(_ output: Output) -> Bool {
        !output.json && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
    }

    /// - Returns: whether a person said yes; false where nobody can be asked.
    static func isGiven(to question: String, _ output: Output) async -> Bool {
        guard canAsk(output) else { return false }
        Output.write("\(question) [y/N] ", to: STDERR_FILENO)
        let line = await PlainInput().next()
        return ["y", "yes"].contains(line?.lowercased() ?? "")
    }
}
