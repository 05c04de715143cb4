import CLinux
import Glibc

/// Catches the signals that end a program, for programs without a screen. Each becomes one byte in a pipe, so none is
/// lost and the handler does nothing else.
package struct EndingSignals: Sendable {
    /// Sent by other processes, timers or system limits. Crash signals are not included: an orderly exit is impossible
    /// then.
    package static let numbers: [Int32] = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGIO,
        SIGPWR, SIGSTKFLT,
    ]

    /// Read end with one byte per signal number. Never closed, as a handler may be writing.
    package let pipe: Int32
    private let writeEnd: Int32

    /// Nil if no pipe can be created.
    package init?() {
        var readEnd: Int32 = -1
        var writeEnd: Int32 = -1
        guard foyer_pipe(&readEnd, &writeEnd) else { return nil }
        pipe = readEnd
        self.writeEnd = writeEnd
    }

    /// - Returns: the signals now caught. An ignored signal, as under nohup, stays ignored.
    package func watch() -> [Int32] {
        Self.numbers.filter { !foyer_is_ignored($0) && foyer_catch_signal($0, writeEnd) }
    }

    /// Restores the previous handlers.
    package func release(_ numbers: [Int32]) {
        for number in numbers { foyer_release_signal(number) }
    }

    /// Signal numbers received since the last read.
    package func read() -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(pipe, &bytes, bytes.count)
        return count > 0 ? bytes[..<count].map { Int32($0) } : []
    }
}
