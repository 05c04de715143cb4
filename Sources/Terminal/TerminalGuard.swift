import CLinux
import CNcurses

/// Restores the terminal if the process ends without closing it: a crash, a call of `exit`, a trap. Everything is
/// prepared in advance; the handler only writes a fixed string and sets the saved modes.
@MainActor
package enum TerminalGuard {
    /// Seconds that a terminating signal leaves to code that may be blocked on the terminal.
    package nonisolated static let patience = 2

    /// Restores the terminal although a write to it is blocked; later writes have no effect. Call on a thread without
    /// signals.
    package nonisolated static func abandon() { foyer_abandon_terminal() }

    /// Call before changing the terminal's modes. False if standard input has no modes to save.
    static func remember() -> Bool { foyer_guard_remember() }

    /// Call once the terminal's description is loaded.
    static func prepare(reportsFocus: Bool) {
        foyer_guard_begin_reset()
        foyer_guard_append("\u{1B}[?2004l")
        if reportsFocus { foyer_guard_append(FocusReports.off) }
        if foyer_capability("kmous") != nil { foyer_guard_append("\u{1B}[?1006l\u{1B}[?1000l") }
        for capability in ["rmkx", "sgr0", "op", "cnorm", "rmcup"] {
            foyer_guard_append(foyer_capability(capability))
        }
        foyer_guard_append("\r\n")
    }

    static func arm() { foyer_guard_arm(true) }
    static func disarm() { foyer_guard_arm(false) }
}
