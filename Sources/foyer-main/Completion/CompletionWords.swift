import ArgumentParser
import Console

/// Values made fit for a shell to offer. Names of accounts, scopes and files are anybody's: bash expands what it is
/// offered, commands in it included, and what is offered may be put into the command line.
enum CompletionWords {
    private static let most = 200
    private static let longest = 512

    /// - Parameters:
    ///   - values: in the order in which they are offered.
    ///   - beginning: of what is wanted; where there are too many values, those come first that begin so.
    ///   - shell: the one that asks, nil for plain lines.
    /// - Returns: at most 200, without those that a person could not type.
    static func fit(_ values: [String], beginning: String, for shell: CompletionShell?) -> [String] {
        var seen: Set<String> = []
        let fit = values.filter { isFit($0) && seen.insert($0).inserted }
        let wanted = fit.count > most ? fit.filter { $0.lowercased().hasPrefix(beginning.lowercased()) } : fit
        return wanted.prefix(most).map { escaped($0, for: shell) }
    }

    /// Shown as it is, no option, and nothing in it that makes a shell do something.
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

    /// bash reads the list as words of its own language, and zsh takes what is after a colon for an explanation.
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
