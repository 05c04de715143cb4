import Console

/// The host in a command line of ssh(1), for a person: nothing is decided by it.
enum SSHCommandLine {
    /// Options with a value, as ssh(1) lists them.
    private static let withValue = Set("BbcDEeFIiJLlmOoPpQRSWw")
    private static let longest = 100

    /// - Parameter arguments: the program's name first. A master of shared connections has written one text there.
    /// - Returns: the destination as it was given, cleaned; nil when none can be found.
    static func host(_ arguments: [String]) -> String? {
        if let title = arguments.first, title.hasPrefix("ssh: ") {
            return SafeText.line(String(title.dropFirst(5)), limit: longest)
        }
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument.count > 1 else { return SafeText.line(argument, limit: longest) }
            if argument == "--" { return rest.first.map { SafeText.line($0, limit: longest) } }
            // Of letters that stand together the first with a value takes the rest, or else the next argument.
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
