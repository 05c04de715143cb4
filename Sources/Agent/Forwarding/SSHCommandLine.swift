import Console

/// The host in an ssh(1) command line, for display only.
enum SSHCommandLine {
    private static let withValue = Set("BbcDEeFIiJLlmOoPpQRSWw")
    private static let longest = 100

    /// - Parameter arguments: the program name first. A master of shared connections replaces them with one string.
    /// - Returns: the destination as given, sanitized; nil if none is found.
    static func host(_ arguments: [String]) -> String? {
        if let title = arguments.first, title.hasPrefix("ssh: ") {
            return SafeText.line(String(title.dropFirst(5)), limit: longest)
        }
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument.count > 1 else { return SafeText.line(argument, limit: longest) }
            if argument == "--" { return rest.first.map { SafeText.line($0, limit: longest) } }
            // In combined letters, the first option with a value takes the remaining letters, or else the next
            // argument.
            let letters = argument.dropFirst()
            if let place = letters.firstIndex(where: withValue.contains),
                letters.index(after: place) == letters.endIndex
            {
                _ = rest.popFirst()
            }
        }
        return nil
    }
}
