import ArgumentParser
import Console

/// Makes values safe for a shell to offer. Names of accounts, scopes and files are untrusted: bash expands offered
/// words, including commands in them, and can put them into the command line.
enum CompletionWords {
    private static let most = 200
    private static let longest = 512

    /// - Parameter beginning: of too many values, only those that begin with it are offered.
    /// - Returns: at most 200 values that can be typed.
    static func fit(_ values: [String], beginning: String, for shell: CompletionShell?) -> [String] {
        let fit = values.filter(isFit).uniqued(by: \.self)
        let wanted = fit.count > most ? fit.filter { $0.lowercased().hasPrefix(beginning.lowercased()) } : fit
        return wanted.prefix(most).map { escaped($0, for: shell) }
    }

    /// Visible as written, not an option, and harmless in a shell.
    private static func isFit(_ value: String) -> Bool {
        !value.isEmpty && !value.hasPrefix("-") && !value.hasPrefix("~") && value.utf8.count <= longest
            && SafeText.line(value, limit: longest) == value
            && value.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
                    || harmless.contains($0)
            }
    }

    private static let harmless: Set<Unicode.Scalar> = [
        "@", ".", "_", "-", "+", ":", "/", "#", ",", "=", "%", " ", "'", "~",
    ]

    /// bash parses the list as shell words, and zsh takes the text after a colon as a description.
    private static func escaped(_ value: String, for shell: CompletionShell?) -> String {
        func escaping(_ isSpecial: (Character) -> Bool) -> String {
            value.reduce(into: "") { text, character in text += isSpecial(character) ? "\\\(character)" : "\(character)"
            }
        }
        return switch shell {
        case .bash?: escaping { $0.isASCII && !$0.isLetter && !$0.isNumber }
        case .zsh?: escaping { $0 == ":" || $0 == "\\" }
        default: value
        }
    }
}
