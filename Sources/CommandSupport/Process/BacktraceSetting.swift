import Glibc

/// Turns off Swift's backtraces, which print memory, and so tokens. The runtime's handler would also survive an abort
/// that another process sends.
///
/// A shared runtime library, as in debug builds, reads the variable before any code of the program runs. So `foyer`
/// sets it for `foyer-main`, which restores it for its child processes.
package enum BacktraceSetting {
    private static let name = "SWIFT_BACKTRACE"
    private static let before = "FOYER_SWIFT_BACKTRACE"

    /// For the program that this process becomes with exec.
    package static func forbid() {
        if let value = getenv(name) { setenv(before, value, 1) } else { unsetenv(before) }
        setenv(name, "enable=no", 1)
    }

    /// Undoes ``forbid()``.
    package static func restore() {
        if let value = getenv(before) { setenv(name, value, 1) } else { unsetenv(name) }
        unsetenv(before)
    }
}
