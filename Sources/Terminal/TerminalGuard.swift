import CNcurses
import CProcess

/// Gives the terminal back when the process ends without closing it: a crash, an `exit` somewhere, a trap. Everything
/// is prepared while all is well; the handler only writes a ready string and sets the remembered modes.
@MainActor
package enum TerminalGuard {
    /// For how many seconds a signal that ends the program leaves it a terminal that it may be waiting for.
    package nonisolated static let patience = 2

    /// Gives the terminal back though a write to it waits because nobody reads it; from now on nothing is written to
    /// it. Call on a thread that no signal comes to.
    package nonisolated static func abandon() { foyer_abandon_terminal() }

    /// Call before the terminal's modes are touched. False when standard input has no modes to remember.
    static func remember() -> Bool { foyer_guard_remember() }

    /// Call when the terminal's description is known.
    static func prepare() {
        foyer_guard_begin_reset()
        foyer_guard_append("\u{1B}[?2004l")
        if foyer_capability("kmous") != nil { foyer_guard_append("\u{1B}[?1006l\u{1B}[?1000l") }
        for capability in ["rmkx", "sgr0", "op", "cnorm", "rmcup"] {
            foyer_guard_append(foyer_capability(capability))
        }
        foyer_guard_append("\r\n")
    }

    static func arm() { foyer_guard_arm(true) }
    static func disarm() { foyer_guard_arm(false) }
}
