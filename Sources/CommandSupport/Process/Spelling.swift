/// Finds the name that a mistyped or shortened one was meant to be.
package enum Spelling {
    /// Shorter words begin too many names.
    private static let shortestBeginning = 3

    /// - Returns: the known name with the fewest typing errors, else the shortest that begins with the word; nil if
    ///   none is close, or two are equally close. Case does not count, and a blank is a hyphen.
    package static func closest(to word: String, among known: [String]) -> String? {
        // Two typing errors in a long word, one in a short one.
        let most = word.count < 5 ? 1 : 2
        let letters = Self.letters(word)
        let names = known.map { (name: $0, distances: distances(of: letters, to: Self.letters($0))) }
        let whole = names.map { ($0.name, $0.distances.last ?? 0) }.filter { $0.1 <= most }
        if !whole.isEmpty { return only(whole) }
        guard letters.count >= shortestBeginning else { return nil }
        // A beginning with a typing error is farther than any without.
        let beginnings = names.compactMap { name, distances in
            distances.min().flatMap { $0 < most ? (name, $0 * 1000 + distances.count) : nil }
        }
        return only(beginnings)
    }

    /// "did you mean …" with the command's words around the closest name, for a hint; empty if there is none.
    package static func suggestion(
        for word: String, among known: [String], writing: (String) -> String = { $0 }
    ) -> String {
        closest(to: word, among: known).map { "did you mean \"\(writing($0))\"? " } ?? ""
    }

    private static func letters(_ word: String) -> [Character] { word.lowercased().map { $0 == " " ? "-" : $0 } }

    private static func only(_ found: [(name: String, distance: Int)]) -> String? {
        guard let least = found.map(\.distance).min() else { return nil }
        let closest = Set(found.filter { $0.distance == least }.map(\.name))
        return closest.count == 1 ? closest.first : nil
    }

    /// The number of wrong, missing, extra or swapped adjacent letters (optimal string alignment) between a word and
    /// each beginning of another; the last is that of the whole.
    private static func distances(of first: [Character], to second: [Character]) -> [Int] {
        var rows = [Array(0...second.count)]
        for row in 1..<(first.count + 1) {
            var line = [row]
            for column in 1..<(second.count + 1) {
                let change = first[row - 1] == second[column - 1] ? 0 : 1
                var least = min(rows[row - 1][column] + 1, line[column - 1] + 1, rows[row - 1][column - 1] + change)
                if row > 1, column > 1, first[row - 1] == second[column - 2], first[row - 2] == second[column - 1] {
                    least = min(least, rows[row - 2][column - 2] + 1)
                }
                line.append(least)
            }
            rows.append(line)
        }
        return rows[first.count]
    }
}
