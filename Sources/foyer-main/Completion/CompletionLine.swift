import CommandSupport

/// An unfinished command line from the shell: words with the quotes and backslashes that the user typed.
struct CompletionLine {
    private let words: [String]
    /// The word to complete, up to the cursor, without quotes.
    let beginning: String
    private static let mostWords = 256

    /// - Parameter index: of the word to complete, from 0.
    init(_ words: [String], at index: Int, beginning: String) {
        // The unfinished word has no meaning yet.
        var others = words.prefix(Self.mostWords).map(Self.bare)
        if others.indices.contains(index) { others[index] = "" }
        self.words = others
        self.beginning = Self.bare(beginning)
    }

    /// Words that are neither an option nor the value of one in ``TokenOptions``, without the program.
    var plainWords: [String] {
        var found: [String] = []
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            if Self.options.contains(word) {
                _ = rest.popFirst()
            } else if !word.isEmpty, !word.hasPrefix("-") {
                found.append(word)
            }
        }
        return found
    }

    /// The client and store named so far; never asks for a passphrase.
    var options: TokenOptions {
        let client = value(of: "--client")
        return TokenOptions {
            ($0.client, $0.clientID) = (client, client == nil ? value(of: "--client-id") : nil)
            ($0.store, $0.config, $0.neverAsks) = (value(of: "--store"), value(of: "--config"), true)
        }
    }

    private static let options = RequestField.all.filter { $0.group == .common && $0.value != nil }.compactMap {
        $0.option.map { "--" + $0 }
    }

    private func value(of option: String) -> String? {
        for (index, word) in words.enumerated() {
            if word == option, index + 1 < words.count, !words[index + 1].isEmpty { return words[index + 1] }
            if word.hasPrefix(option + "="), word.count > option.count + 1 {
                return String(word.dropFirst(option.count + 1))
            }
        }
        return nil
    }

    /// Removes quotes and backslashes as a shell does; expands nothing.
    private static func bare(_ word: String) -> String {
        var bare = ""
        var quote: Character?
        var isEscaped = false
        for character in word {
            if isEscaped {
                bare.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                bare.append(character)
            }
        }
        return bare
    }
}
