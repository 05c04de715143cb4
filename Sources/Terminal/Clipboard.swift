import FoundationEssentials

/// The sequence that asks the terminal to put text on the clipboard of the person in front of it, over SSH too (OSC
/// 52). Only written when someone pressed the key for it; nothing is ever read back.
package enum Clipboard {
    /// What xterm takes in one sequence, and others more.
    package static let largestEncoded = 74_994

    /// Nil when the text is empty or too long. Within tmux the sequence is wrapped, so that it reaches the terminal
    /// outside.
    package static func sequence(copying text: String, insideTmux: Bool = false) -> String? {
        let encoded = Data(text.utf8).base64EncodedString()
        guard !encoded.isEmpty, encoded.utf8.count <= largestEncoded else { return nil }
        return wrapped("\u{1B}]52;c;\(encoded)\u{07}", insideTmux: insideTmux)
    }

    /// Takes what is on the clipboard off it: overwritten with a space, as not every terminal clears it when asked to,
    /// and cleared.
    package static func clearing(insideTmux: Bool = false) -> String {
        wrapped("\u{1B}]52;c;IA==\u{07}", insideTmux: insideTmux)
            + wrapped("\u{1B}]52;c;!\u{07}", insideTmux: insideTmux)
    }

    /// tmux takes the sequence itself (`set-clipboard`), and passes the wrapped one on where `allow-passthrough` is on:
    /// both.
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
