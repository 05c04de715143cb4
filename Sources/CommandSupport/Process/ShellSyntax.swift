import Identity

/// A family of shells, by the syntax in which variables are set.
package enum ShellSyntax: String, CaseIterable, Sendable {
    /// POSIX, as in bash, dash and zsh.
    case sh
    case fish
    /// csh and tcsh.
    case csh

    /// A line that sets a variable for the programs that the shell starts, or unsets it.
    ///
    /// - Parameter value: without control characters, which csh cannot quote; nil to unset.
    package func line(_ name: String, _ value: String?) -> String {
        switch (self, value) {
        case (.sh, let value?): "export \(name)=\(value.shellWord)"
        case (.sh, nil): "unset \(name)"
        case (.fish, let value?): "set -gx \(name) '\(Self.escaping(value, ["\\", "'"]))'"
        case (.fish, nil): "set -e \(name)"
        case (.csh, let value?):
            // csh looks for its history inside of quotes, too.
            "setenv \(name) '\(value.replacing("'", with: "'\\''").replacing("!", with: "\\!"))'"
        case (.csh, nil): "unsetenv \(name)"
        }
    }

    private static func escaping(_ text: String, _ marks: [Character]) -> String {
        String(text.flatMap { marks.contains($0) ? ["\\", $0] : [$0] })
    }
}
