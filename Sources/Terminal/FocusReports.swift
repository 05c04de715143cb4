import CNcurses

/// Reports of the terminal that it has got or lost the focus (xterm mode 1004). tmux sends them as well when a pane is
/// hidden, if its option `focus-events` is on.
enum FocusReports {
    static let on = "\u{1B}[?1004h"
    static let off = "\u{1B}[?1004l"

    /// Types whose descriptions rarely mention it.
    private static let types = [
        "alacritty", "contour", "foot", "gnome", "iterm2", "kitty", "konsole", "mintty", "mlterm", "rio", "screen",
        "st", "tmux", "vte", "wezterm", "xterm",
    ]

    /// Call once the terminal's description is loaded.
    static func areKnown(to type: String) -> Bool {
        foyer_capability("fe").map { String(cString: $0) } == on
            || types.contains { type == $0 || type.hasPrefix($0 + "-") }
    }

    /// Whether the terminal has the focus after `ESC [` and this byte; nil for another report.
    static func focus(final: UInt32) -> Bool? {
        switch final {
        case 0x49: true  // I
        case 0x4F: false  // O
        default: nil
        }
    }
}
