import FoundationEssentials

/// The sequence that sets the clipboard of the user's terminal, also over SSH (OSC 52). Written only when the user
/// presses the key for it; the clipboard is never read.
package enum Clipboard {
    /// The limit of xterm for one sequence; other terminals accept more.
    package static let largestEncoded = 74_994

    /// Nil if the text is empty or too long. For tmux, the sequence is wrapped to reach the outer terminal.
    package static func sequence(copying text: String, insideTmux: Bool = false) -> String? {
        let encoded = Data(text.utf8).base64EncodedString()
        guard !encoded.isEmpty, encoded.utf8.count <= largestEncoded else { return nil }
        return wrapped("\u{1B}]52;c;\(encoded)\u{07}", insideTmux: insideTmux)
    }

    /// Clears the clipboard, after overwriting it with a space because some terminals ignore the request to clear it.
    package static func clearing(insideTmux: Bool = false) -> String {
        wrapped("\u{1B}]52;c;IA==\u{07}", insideTmux: insideTmux)
            + wrapped("\u{1B}]52;c;!\u{07}", insideTmux: insideTmux)
    }

    /// Sends both forms: tmux handles the plain one (`set-clipboard`) and forwards the wrapped one
    /// (`allow-passthrough`).
    private static func wrapped(_ sequence: String, insideTmux: Bool) -> String {
        guard insideTmux else { return sequence }
        var doubled = ""
        for scalar in sequence.unicodeScalars {
            if scalar.value == 0x1B { doubled.unicodeScalars.append(scalar) }
            doubled.unicodeScalars.append(scalar)
        }
        return sequence + "\u{1B}Ptmux;" + doubled + "\u{1B}\\"
    }
}
