/// An option as given on a command line: `--name`, or `--name=value`.
package struct OptionWord {
    /// Includes the dashes.
    package let name: String
    package let value: String?

    package init(_ word: String) {
        guard let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            (name, value) = (word, nil)
            return
        }
        (name, value) = (String(word[..<sign]), String(word[word.utf8.index(after: sign)...]))
    }
}
