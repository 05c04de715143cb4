/// Reads the command lines that scripts run in loops, `foyer token …` and plain `foyer`, without the argument parser,
/// whose look at every command's types costs more than the whole answer from the cache.
///
/// It knows exact option names and nothing else: whatever it does not know, wrong usage included, is the argument
/// parser's.
package enum FastPathArguments {
    /// - Returns: nil when the argument parser must look.
    package static func token(_ arguments: [String]) -> TokenOptions? {
        guard arguments.first == "token" else { return nil }
        var choices = TokenOptions()
        let isRead = read(arguments.dropFirst()) { name, value in
            switch (name, value) {
            case ("--silent", nil): choices.silent = true
            case ("--force-refresh", nil): choices.forceRefresh = true
            case ("--dry-run", nil): choices.dryRun = true
            case ("--tenant", let value?): choices.asking.tenant = value
            case ("--pop", let value?): choices.pop = value
            case ("--pop-nonce", let value?): choices.popNonce = value
            default: return common(name, value, &choices.common)
            }
            return true
        }
        return isRead ? choices : nil
    }

    /// The interface: no command, and none but the common options.
    package static func interface(_ arguments: [String]) -> CommonOptions? {
        var choices = CommonOptions()
        let isRead = read(arguments[...]) { name, value in
            if name == "--plain", value == nil {
                choices.plain = true
                return true
            }
            return common(name, value, &choices)
        }
        return isRead ? choices : nil
    }

    private static func common(_ name: String, _ value: String?, _ choices: inout CommonOptions) -> Bool {
        switch (name, value) {
        case ("--json", nil): choices.json = true
        case ("--verbose", nil): choices.verbose = true
        case ("--no-color", nil): choices.noColor = true
        case ("--client", let value?): choices.client = value
        case ("--client-id", let value?): choices.clientID = value
        case ("--authority", let value?): choices.authority = value
        case ("--scope", let value?): choices.scopes.append(value)
        case ("--account", let value?): choices.account = value
        case ("--store", let value?): choices.store = value
        case ("--config", let value?): choices.config = value
        default: return false
        }
        return true
    }

    private static func isFlag(_ name: String) -> Bool {
        switch name {
        case "--json", "--verbose", "--no-color", "--silent", "--force-refresh", "--plain", "--dry-run": true
        default: false
        }
    }

    /// Takes `--name value`, `--name=value` and flags apart; a value that looks like an option is for the argument
    /// parser to judge.
    private static func read(_ arguments: ArraySlice<String>, _ take: (String, String?) -> Bool) -> Bool {
        var rest = arguments
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else { return false }
            if isFlag(argument) {
                guard take(argument, nil) else { return false }
            } else if let equals = argument.firstIndex(of: "=") {
                guard take(String(argument[..<equals]), String(argument[argument.index(after: equals)...])) else {
                    return false
                }
            } else {
                guard let value = rest.popFirst(), !value.hasPrefix("-"), take(argument, value) else { return false }
            }
        }
        return true
    }
}
