import CommandSupport
import Glibc
import TokenCache

/// The person's pager: for a text that is longer than the screen, as git does it. A text that fits, a pipe and a
/// terminal that cannot move its cursor get the text itself.
struct Pager {
    /// A command line for the shell, and the variables that it is given beside those of the process.
    struct Command: Equatable {
        var line: String
        var variables: [String: String]
    }

    /// - Parameters:
    ///   - value: of an environment variable.
    ///   - hasLess: whether `less` is on the path.
    /// - Returns: nil when no pager is wanted or there is none.
    static func command(value: (String) -> String?, hasLess: Bool) -> Command? {
        guard let kind = value("TERM"), !kind.isEmpty, kind != "dumb", kind != "unknown" else { return nil }
        // git's: quit when it fits, show bold as bold, leave the text on the screen.
        var variables = ["LESS": "FRX", "LV": "-c"]
        variables = variables.filter { value($0.key) == nil }
        guard let wanted = value("PAGER") else { return hasLess ? Command(line: "less", variables: variables) : nil }
        return wanted.allSatisfy(\.isWhitespace) || wanted == "cat" ? nil : Command(line: wanted, variables: variables)
    }

    /// Shows a text and waits until the person leaves the pager.
    ///
    /// - Returns: false when the pager could not be started and nothing was shown.
    static func show(_ text: String, with command: Command) -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        // Its Ctrl-C is not ours: less stops a search by it. What it is given, it reads to the end or not.
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
        // The shell's word for a program that is not there or cannot be run.
        return status & 0x7F != 0 || ![126, 127].contains(status >> 8 & 0xFF)
    }

    private static func start(_ command: Command, input: Int32) -> pid_t? {
        var variables: [UnsafeMutablePointer<CChar>?] = []
        var inherited = environ
        while let variable = inherited.pointee {
            variables.append(strdup(variable))
            inherited += 1
        }
        variables += command.variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for variable in variables { free(variable) } }
        return try? ChildProcess.start(
            "/bin/sh", ["sh", "-c", command.line], variables: variables, attributes: { ChildProcess.resetSignals(&$0) },
            files: { posix_spawn_file_actions_adddup2(&$0, input, STDIN_FILENO) })
    }
}
