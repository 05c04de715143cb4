/// An option as other programs take it: `--name`, or `--name=value`.
struct OptionWord {
    let name: String
    let value: String?

    init(_ word: String) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        (name, value) = (parts[0], parts.count == 2 ? parts[1] : nil)
    }

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
