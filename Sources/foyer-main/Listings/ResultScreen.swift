// Listings: decides the layout of tables, their colors and short identifiers; commands only provide the cells.

import AppModel
import CommandSupport
import Glibc
import Screens
import Terminal

/// Standard output for results: a terminal with its width, or a pipe.
struct ResultScreen: Sendable {
    /// Nil for a pipe or a file: everything is written untruncated.
    let columns: Int?
    /// Lines of the terminal; 24 if unknown.
    var rows = 24
    var glyphs = Glyphs.utf8
    var colors = TextColors()

    /// Whether a locale of this name uses UTF-8, as `de_DE.UTF-8` and `C.utf8` do.
    static func isUTF8(_ locale: String?) -> Bool {
        let name = (locale ?? "").prefix { $0 != "@" }.lowercased()
        return name.hasSuffix("utf-8") || name.hasSuffix("utf8")
    }
}

extension ResultScreen {
    /// - Parameter wantsColor: false if an option or a setting turns colors off.
    init(_ file: Int32, wantsColor: Bool, theme: () -> Theme?, environment: ProcessEnvironment) {
        let isTerminal = isatty(file) == 1
        var size = winsize()
        let isMeasured = isTerminal && ioctl(file, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        columns = isTerminal ? isMeasured ? Int(size.ws_col) : 80 : nil
        if isMeasured { rows = Int(size.ws_row) }
        glyphs = Self.isUTF8(environment.locale) ? .utf8 : .ascii
        let kind = environment["TERM"] ?? "dumb"
        let isColored =
            wantsColor && isTerminal && environment["NO_COLOR"] == nil && kind != "dumb" && kind != "unknown"
        if isColored {
            colors = TextColors(
                theme: theme() ?? .monochrome, depth: .named(kind, colorTerm: environment["COLORTERM"]))
        }
    }
}

extension CommandContext {
    var screen: ResultScreen { screen(STDOUT_FILENO) }

    var messageScreen: ResultScreen { screen(STDERR_FILENO) }

    private func screen(_ file: Int32) -> ResultScreen {
        ResultScreen(
            file, wantsColor: !shared.noColor,
            // An unreadable theme does not stop a list: the interface and the doctor report it.
            theme: { try? theme() }, environment: environment)
    }
}

/// A theme as terminal escape sequences; none if colors are off.
struct TextColors: Sendable {
    var theme: Theme?
    var depth = ColorDepth.none

    var isOn: Bool { theme != nil }

    /// The text with the escape sequences of a tone; unchanged if the tone looks like plain text.
    func painted(_ text: String, _ tone: Tone) -> String {
        guard let theme, !text.isEmpty else { return text }
        let codes = self.codes(theme[tone.role])
        return codes.isEmpty ? text : "\u{1B}[\(codes.joined(separator: ";"))m\(text)\u{1B}[0m"
    }

    /// The parameters of ECMA-48's SGR.
    private func codes(_ look: Look) -> [String] {
        var codes: [String] = []
        if look.bold { codes.append("1") }
        if look.dim { codes.append("2") }
        if look.underline { codes.append("4") }
        if look.reverse { codes.append("7") }
        return codes + color(look.foreground)
    }

    private func color(_ color: Color) -> [String] {
        if depth == .direct, case .rgb(let red, let green, let blue) = color {
            return ["38", "2", "\(red)", "\(green)", "\(blue)"]
        }
        let reduced = color.reduced(to: depth == .direct ? .palette : depth)
        switch reduced.number {
        case ..<0: return []
        case ..<8: return (reduced.bold ? ["1"] : []) + ["\(30 + reduced.number)"]
        case ..<16: return ["\(90 + reduced.number - 8)"]
        default: return ["38", "5", "\(reduced.number)"]
        }
    }
}

extension ColorDepth {
    /// Derived from the terminal's name and `COLORTERM`, without a terminal description.
    static func named(_ terminal: String, colorTerm: String?) -> ColorDepth {
        if colorTerm == "truecolor" || colorTerm == "24bit" || terminal.hasSuffix("-direct") { return .direct }
        if terminal.contains("256color") { return .palette }
        return terminal == "linux" || terminal.hasPrefix("vt") ? .eight : .sixteen
    }
}
