import Console

/// Reasons that the terminal interface cannot start.
package enum TerminalError: Error, Equatable, Sendable {
    case notATerminal
    case noTerminalType
    case unknownTerminalType(String)
    /// A known type without a movable cursor: `dumb`, or a printer.
    case incapableTerminal(String)
    case unusable

    package var message: String {
        switch self {
        case .notATerminal: "standard input and output are not a terminal"
        case .noTerminalType: "TERM is not set"
        case .unknownTerminalType(let name):
            "the terminal type \"\(SafeText.line(name, limit: 40))\" is unknown on this system"
        case .incapableTerminal(let name):
            "a terminal of type \"\(SafeText.line(name, limit: 40))\" cannot show screens"
        case .unusable: "cannot set up the terminal"
        }
    }

    package var hint: String {
        switch self {
        case .notATerminal:
            "run it in a terminal, or use the commands \"foyer sign-in\", \"foyer token\" and \"foyer accounts\""
        case .noTerminalType, .unknownTerminalType, .incapableTerminal, .unusable:
            "set TERM to the terminal's type, for example TERM=xterm-256color"
        }
    }
}
