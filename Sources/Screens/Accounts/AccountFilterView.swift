import AppModel
import Console
import Terminal

extension AccountFilter {
    /// The columns of the drawn `text` that match the query's words.
    static func matchedColumns(_ query: String, in text: String) -> [Range<Int>] {
        let (letters, places) = Grid.letters(of: text)
        return AccountQuery(query).words.prefix(8).map(AccountFilter.fold).flatMap { word in
            let hits = letters.place(of: word).map { Array($0..<$0 + word.count) } ?? letters.places(inOrder: word)
            return (hits ?? []).map { places[$0] }
        }
    }
}
