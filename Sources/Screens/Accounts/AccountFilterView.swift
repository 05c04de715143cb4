import AppModel
import Console
import Terminal

extension AccountFilter {
    /// The columns of the drawn `text` that match the query's words.
    static func matchedColumns(_ query: String, in text: String) -> [Range<Int>] {
        let (letters, places) = Grid.letters(of: text)
        return AccountQuery(query).words.prefix(8).filter { !$0.isExcluded }.flatMap { sought in
            let word = AccountFilter.fold(sought.text)
            let hits =
                letters.place(of: word).map { Array($0..<$0 + word.count) }
                ?? (sought.form == .fuzzy ? letters.places(inOrder: word) : nil)
            return (hits ?? []).map { places[$0] }
        }
    }
}
