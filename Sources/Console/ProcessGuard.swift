import CProcess
import CStart
import Glibc

/// What a process that holds credentials says to the system about itself.
package enum ProcessGuard {
    /// No core file, and no look into the memory by another process of the same person. First thing in
    /// `main`. False when the system would not.
    @discardableResult
    package static func denyDumps() -> Bool { foyer_deny_dumps() }

    /// The environment as the process was started with it, for programs that are started from here. First in `main`,
    /// before anything changes the environment.
    package static func restoreEnvironment() { foyer_restore_environment() }

    /// What the process was started with, its own name first.
    package static var arguments: [String] {
        guard var place = foyer_arguments() else { return CommandLine.arguments }
        var words: [String] = []
        while let word = place.pointee {
            words.append(String(cString: word))
            place += 1
        }
        return words
    }

    /// Memory that one thread gives back serves all others. In `main`, before there is a second thread.
    package static func shareFreedMemory() { foyer_share_freed_memory() }

    /// A pipe that closes is an error to handle, not an end.
    package static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    /// Ends the process by `signal`, so that the parent sees what ended it. Returns only when the signal is blocked.
    package static func end(by signal: Int32) { foyer_die_of(signal) }

    /// Runs this program anew in the place of the process, with these arguments, the first its name. No signal is
    /// caught or ignored then.
    ///
    /// - Parameter program: the file of another program to run instead.
    /// - Returns: why that could not be, in the system's words.
    package static func become(_ arguments: [String], program: String = "/proc/self/exe") -> String {
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH, SIGPIPE] {
            signal(number, SIG_DFL)
        }
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        execv(program, &words)
        return String(cString: strerror(errno))
    }

    package static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }
}
