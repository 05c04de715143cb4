import AppModel
import Console
import Terminal

extension AccountFilter {
    private static func piece(_ word: [Unicode.Scalar], in text: [Unicode.Scalar]) -> Int? {
        guard let first = word.first, word.count <= text.count else { return nil }
        return (0...(text.count - word.count)).first { start in
            text[start] == first && text[start..<start + word.count].elementsEqual(word)
        }
    }

    private static func positions(_ word: [Unicode.Scalar], in text: [Unicode.Scalar]) -> [Int]? {
        var found: [Int] = []
        for (index, scalar) in text.enumerated() where found.count < word.count && scalar == word[found.count] {
            found.append(index)
        }
        return found.count == word.count ? found : nil
    }

    /// The columns of the drawn `text` that match the query's words.
    static func matchedColumns(_ query: String, in text: String) -> [Range<Int>] {
        var starts: [(column: Int, width: Int)] = []
        var folded: [Unicode.Scalar] = []
        var column = 0
        for cluster in DisplayWidth.clusters(text) {
            // One scalar for each cluster, so letters and columns stay in step.
            folded.append(cluster.text.lowercased().unicodeScalars.first ?? " ")
            starts.append((column, cluster.width))
            column += cluster.width
        }
        var columns: [Range<Int>] = []
        for word in AccountQuery(query).words.prefix(8).map(AccountFilter.fold) {
            let hits = piece(word, in: folded).map { Array($0..<$0 + word.count) } ?? positions(word, in: folded) ?? []
            columns += hits.map { starts[$0].column..<starts[$0].column + starts[$0].width }
        }
        return columns
    }
}
