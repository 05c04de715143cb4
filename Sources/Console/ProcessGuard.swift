import CLinux
import CStart
import Glibc

/// Process-wide protections for a process that holds credentials.
package enum ProcessGuard {
    /// Disables core dumps and memory access by the user's other processes. Call first in `main`. False if the system
    /// refuses.
    @discardableResult
    package static func denyDumps() -> Bool { foyer_deny_dumps() }

    /// Restores the environment that the process was started with, for its child processes. Call first in `main`,
    /// before anything changes the environment.
    package static func restoreEnvironment() { foyer_restore_environment() }

    /// The process's arguments, its name first.
    package static var arguments: [String] {
        guard var place = foyer_arguments() else { return CommandLine.arguments }
        var words: [String] = []
        while let word = place.pointee {
            words.append(String(cString: word))
            place += 1
        }
        return words
    }

    /// Lets all threads reuse memory freed by one. Call in `main`, before there is a second thread.
    package static func shareFreedMemory() { foyer_share_freed_memory() }

    /// A closed pipe becomes an error instead of ending the process.
    package static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    /// Ends the process with `signal`, so the parent sees the cause. Returns only if the signal is blocked.
    package static func end(by signal: Int32) { foyer_die_of(signal) }

    /// Replaces this process with `program`, with default signal handling.
    ///
    /// - Parameter arguments: the program's name first.
    /// - Returns: the system's error message; returns only on failure.
    package static func become(_ arguments: [String], program: String = "/proc/self/exe") -> String {
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH, SIGPIPE] {
            signal(number, SIG_DFL)
        }
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        return execute(arguments, program: program)
    }

    /// Replaces this process with `program`, as ``become(_:program:)`` does, but keeps what signals do.
    package static func execute(_ arguments: [String], program: String) -> String {
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        execv(program, &words)
        return String(cString: strerror(errno))
    }

    package static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }
}
