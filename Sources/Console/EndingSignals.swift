import CProcess
import Glibc

/// The signals that end a program which does not catch them, caught for one that has no screen. Each is one byte in a
/// pipe, so that none is lost and nothing is done in the handler.
package struct EndingSignals: Sendable {
    /// Those that another process, a timer or a limit of the system sends. A crash's are not among them: nothing can be
    /// ended in good order then.
    package static let numbers: [Int32] = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGIO,
        SIGPWR, SIGSTKFLT,
    ]

    /// Where their numbers are read, a byte each; open as long as the process lives, since a handler may be in the
    /// middle of writing.
    package let pipe: Int32
    private let writeEnd: Int32

    /// Nil when the system has no pipe left.
    package init?() {
        var readEnd: Int32 = -1
        var writeEnd: Int32 = -1
        guard foyer_pipe(&readEnd, &writeEnd) else { return nil }
        pipe = readEnd
        self.writeEnd = writeEnd
    }

    /// - Returns: those that are caught from now on. A signal that is ignored, as by nohup, stays so.
    package func watch() -> [Int32] {
        Self.numbers.filter { !foyer_is_ignored($0) && foyer_catch_signal($0, writeEnd) }
    }

    /// Restores their previous handlers.
    package func release(_ numbers: [Int32]) {
        for number in numbers { foyer_release_signal(number) }
    }

    /// The numbers that came and were not read before.
    package func read() -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(pipe, &bytes, bytes.count)
        return count > 0 ? bytes[..<count].map { Int32($0) } : []
    }
}
