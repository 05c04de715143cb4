import Glibc

/// What Swift's run-time is told about backtraces by the environment. They print memory, and there are tokens in it;
/// and the run-time's handler survives an abort that another process sends.
///
/// A run-time that is a shared library, as in a build for debugging, reads the setting before any code of the program
/// that uses it. So `foyer` sets it for `foyer-main`, which sets it back for what it starts.
package enum BacktraceSetting {
    private static let name = "SWIFT_BACKTRACE"
    private static let before = "FOYER_SWIFT_BACKTRACE"

    /// None in the program that this process becomes.
    package static func forbid() {
        if let value = getenv(name) { setenv(before, value, 1) } else { unsetenv(before) }
        setenv(name, "enable=no", 1)
    }

    /// As it was before ``forbid()``.
    package static func restore() {
        if let value = getenv(before) { setenv(name, value, 1) } else { unsetenv(name) }
        unsetenv(before)
    }
}
