enum Spelling {
    /// - Returns: nil if no word is close, or two are equally close.
    static func closest(to word: String, among known: [String]) -> String? {
        // Two typing errors in a long word, one in a short one.
        let most = word.count < 5 ? 1 : 2
        let distances = known.map { ($0, distance(Array(word.lowercased()), Array($0))) }.filter { $0.1 <= most }
        guard let least = distances.map(\.1).min() else { return nil }
        let closest = Set(distances.filter { $0.1 == least }.map(\.0))
        return closest.count == 1 ? closest.first : nil
    }

    /// The number of wrong, missing, extra or swapped adjacent letters (optimal string alignment).
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
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
        return rows[first.count][second.count]
    }
}
