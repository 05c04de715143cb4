/// What is asked for on the command line.
struct Options: Equatable {
    /// Groups of figures that can be measured without the others, in the order in which they are measured.
    enum Part: String, CaseIterable {
        case hit, large, frame, refresh, instructions
    }

    enum Output: Equatable {
        /// Lines for a person, part by part.
        case text
        /// One JSON object at the end.
        case json
        /// The rows of the README's table, at the end.
        case readme
    }

    var output = Output.text
    var parts = Part.allCases
    /// Fewer runs, for trying the program itself.
    var isQuick = false

    /// A word of the command line that means nothing here.
    struct Misuse: Error, Equatable {
        let word: String
    }

    static let usage = """
        usage: Benchmarks [--json | --readme] [--only PART,...] [--quick]
        parts: \(Part.allCases.map(\.rawValue).joined(separator: ", "))
        measures the programs in .build/release of the repository, or in the folder that FOYER_BIN names
        """

    init(_ words: [String]) throws(Misuse) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--json": output = .json
            case "--readme": output = .readme
            case "--quick": isQuick = true
            case "--only":
                var parts: [Part] = []
                for name in (rest.popFirst() ?? "").split(separator: ",", omittingEmptySubsequences: false) {
                    guard let part = Part(rawValue: String(name)) else { throw Misuse(word: "--only \(name)") }
                    parts.append(part)
                }
                self.parts = Part.allCases.filter { parts.contains($0) }
            default: throw Misuse(word: word)
            }
        }
    }

    /// How often something is run: `full` times, or a fifth of that, at least 3.
    func runs(_ full: Int) -> Int { isQuick ? max(3, full / 5) : full }
}
