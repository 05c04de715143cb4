import CommandSupport
import Glibc
import TokenCache

/// The user's pager, for text longer than the screen, as in git. Shorter text, a pipe and a terminal without cursor
/// movement get the text itself.
struct Pager {
    /// A shell command, and the variables added to those of the process.
    struct Command: Equatable {
        var line: String
        var variables: [String: String]
    }

    /// - Returns: nil if no pager is wanted or available.
    static func command(value: (String) -> String?, hasLess: Bool) -> Command? {
        guard let kind = value("TERM"), !kind.isEmpty, kind != "dumb", kind != "unknown" else { return nil }
        // git's settings: quit if it fits, show bold, leave the text on the screen.
        var variables = ["LESS": "FRX", "LV": "-c"]
        variables = variables.filter { value($0.key) == nil }
        guard let wanted = value("PAGER") else { return hasLess ? Command(line: "less", variables: variables) : nil }
        return wanted.allSatisfy(\.isWhitespace) || wanted == "cat" ? nil : Command(line: wanted, variables: variables)
    }

    /// - Returns: after the user leaves the pager; false if it could not be started and nothing was shown.
    static func show(_ text: String, with command: Command) -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        // Ctrl-C is for the pager: less uses it to stop a search. The pager need not read all text.
        let interrupt = signal(SIGINT, SIG_IGN)
        let quit = signal(SIGQUIT, SIG_IGN)
        defer {
            _ = signal(SIGINT, interrupt)
            _ = signal(SIGQUIT, quit)
        }
        guard let child = start(command, input: ends[0]) else {
            close(ends[0])
            close(ends[1])
            return false
        }
        close(ends[0])
        Output.write(text, to: ends[1])
        close(ends[1])
        var status: Int32 = 0
        _ = uninterrupted { waitpid(child, &status, 0) }
        // The shell's statuses for a program that does not exist or cannot be run.
        return status & 0x7F != 0 || ![126, 127].contains(status >> 8 & 0xFF)
    }

    private static func start(_ command: Command, input: Int32) -> pid_t? {
        try? ChildProcess.start(
            "/bin/sh", ["sh", "-c", command.line], variables: command.variables.map { "\($0.key)=\($0.value)" },
            attributes: { ChildProcess.resetSignals(&$0) },
            files: { posix_spawn_file_actions_adddup2(&$0, input, STDIN_FILENO) })
    }
}
