/// Parses `foyer token …`, which scripts run in loops, and plain `foyer`. The argument parser's reflection over all
/// commands takes longer than a token from the cache. It still gets everything but the names in ``RequestField/all``.
package enum FastPathArguments {
    /// - Returns: nil if the argument parser is needed.
    package static func token(_ arguments: [String]) -> TokenOptions? {
        guard arguments.first == "token" else { return nil }
        return read(arguments.dropFirst()) { $0.group == .common || $0.group == .token || $0.option == "tenant" }
    }

    package static func interface(_ arguments: [String]) -> TokenOptions? {
        read(arguments[...]) { $0.group == .common || $0.group == .interface }
    }

    /// Parses `--name value`, `--name=value` and flags. A value that looks like an option needs the argument parser.
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
