import CommandSupport

extension OptionWord {
    /// The values of kubelogin's options, in both of its forms; those of a flag are `true` and `false`.
    ///
    /// - Returns: nil for another command than `get-token`, an unknown option or a missing value.
    static func ofKubelogin(
        _ words: [String], taking: [String], flags: [String], short: [String: String] = [:]
    ) -> [String: [String]]? {
        guard words.first == "get-token" else { return nil }
        var values: [String: [String]] = [:]
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            let option = OptionWord(word)
            let name = short[option.name] ?? option.name
            if flags.contains(name) {
                guard ["true", "false", nil].contains(option.value) else { return nil }
                values[name, default: []].append(option.value ?? "true")
            } else {
                guard taking.contains(name), let value = option.value ?? rest.popFirst() else { return nil }
                values[name, default: []].append(value)
            }
        }
        return values
    }
}
