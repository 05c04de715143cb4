/// Reads the command lines that scripts run in loops, `foyer token …` and plain `foyer`, without the argument parser,
/// whose look at every command's types costs more than the whole answer from the cache.
///
/// It knows the exact names of ``RequestField``'s table and nothing else: whatever it does not know, wrong usage
/// included, is the argument parser's.
package enum FastPathArguments {
    /// - Returns: nil when the argument parser must look.
    package static func token(_ arguments: [String]) -> TokenOptions? {
        guard arguments.first == "token" else { return nil }
        return read(arguments.dropFirst()) { $0.group == .common || $0.group == .token || $0.option == "tenant" }
    }

    /// The interface: no command, and none but the common options.
    package static func interface(_ arguments: [String]) -> TokenOptions? {
        read(arguments[...]) { $0.group == .common || $0.group == .interface }
    }

    /// Takes `--name value`, `--name=value` and flags apart; a value that looks like an option is for the argument
    /// parser to judge.
    private static func read(_ arguments: ArraySlice<String>, _ isTaken: (RequestField) -> Bool) -> TokenOptions? {
        var options = TokenOptions()
        var rest = arguments
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else { return nil }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first,
                let field = RequestField.all.first(where: { $0.option.map { $0 == name } ?? false }),
                isTaken(field)
            else { return nil }
            func value() -> String? {
                if parts.count == 2 { return String(parts[1]) }
                return rest.popFirst().flatMap { $0.hasPrefix("-") ? nil : $0 }
            }
            switch field.member {
            case .flag(let member):
                guard parts.count == 1 else { return nil }
                options[member] = true
            case .text(let member):
                guard let text = value() else { return nil }
                options[member] = text
            case .texts(let member):
                guard let text = value() else { return nil }
                options[member].append(text)
            case .seconds, .number, .method, .prompt, .responseMode: return nil
            }
        }
        return options
    }
}
