import Identity
import Terminal

/// Which accounts answer to what was typed, best first. Names match fuzzily, letter after letter; identifiers only in one piece, as
/// every few hexadecimal digits are somewhere in a long one.
struct AccountFilter: Equatable, Sendable {
    /// What one account is found by, folded once when it is loaded.
    struct Entry: Equatable, Sendable {
        let names: [[Unicode.Scalar]]
        let identifiers: [[Unicode.Scalar]]

        init(_ account: Account, clientName: (String) -> String) {
            let profiles = account.tenantProfiles
            names = ([account.username, account.name ?? ""] + profiles.map(\.username) + account.clients.map(clientName))
                .filter { !$0.isEmpty }.map(AccountFilter.fold)
            identifiers =
                ([account.homeAccountID, account.environment] + profiles.flatMap { [$0.tenantID, $0.localAccountID] } + account.clients)
                .filter { !$0.isEmpty }.map(AccountFilter.fold)
        }
    }

    /// How many letters were compared with: what a keystroke costs.
    private(set) var lettersRead = 0

    /// - Parameter candidates: indexes into `entries`; an index stays when every word of the query is found in it.
    mutating func matches(_ query: String, among candidates: [Int], of entries: [Entry]) -> [Int] {
        let words = query.split(whereSeparator: \.isWhitespace).prefix(8).map { Self.fold(String($0)) }
        guard !words.isEmpty else { return candidates }
        var found: [(rank: Int, index: Int)] = []
        for index in candidates {
            var worst = 0
            for word in words where worst < Self.missed { worst = max(worst, rank(word, in: entries[index])) }
            if worst < Self.missed { found.append((worst, index)) }
        }
        return found.sorted { $0.rank != $1.rank ? $0.rank < $1.rank : $0.index < $1.index }.map(\.index)
    }

    private static let missed = 4

    /// 0 at the beginning of a name, 1 at the beginning of a word, 2 in one piece, 3 letter after letter.
    private mutating func rank(_ word: [Unicode.Scalar], in entry: Entry) -> Int {
        var best = Self.missed
        for name in entry.names {
            lettersRead += name.count
            best = min(best, Self.rank(word, in: name))
            if best == 0 { return 0 }
        }
        guard best > 2 else { return best }
        for identifier in entry.identifiers {
            lettersRead += identifier.count
            if let start = Self.piece(word, in: identifier) { return start == 0 ? 1 : 2 }
        }
        return best
    }

    private static func rank(_ word: [Unicode.Scalar], in name: [Unicode.Scalar]) -> Int {
        if let start = piece(word, in: name) {
            if start == 0 { return 0 }
            return name[start - 1].properties.isAlphabetic ? 2 : 1
        }
        return positions(word, in: name) == nil ? missed : 3
    }

    private static func piece(_ word: [Unicode.Scalar], in text: [Unicode.Scalar]) -> Int? {
        guard let first = word.first, word.count <= text.count else { return nil }
        return (0...(text.count - word.count)).first { start in
            text[start] == first && text[start..<start + word.count].elementsEqual(word)
        }
    }

    private static func positions(_ word: [Unicode.Scalar], in text: [Unicode.Scalar]) -> [Int]? {
        var found: [Int] = []
        for (index, scalar) in text.enumerated() where found.count < word.count && scalar == word[found.count] { found.append(index) }
        return found.count == word.count ? found : nil
    }

    /// Lower case, at most 512 scalars: a name without end must not cost without end.
    static func fold(_ text: String) -> [Unicode.Scalar] { Array(String(text.prefix(256)).lowercased().unicodeScalars.prefix(512)) }

    /// The columns of `text`, as it is drawn, that the query's words are found at.
    static func matchedColumns(_ query: String, in text: String) -> [Range<Int>] {
        var starts: [(column: Int, width: Int)] = []
        var folded: [Unicode.Scalar] = []
        var column = 0
        for cluster in DisplayWidth.clusters(text) {
            // One scalar stands for the cluster, so that letters and columns stay in step.
            folded.append(cluster.text.lowercased().unicodeScalars.first ?? " ")
            starts.append((column, cluster.width))
            column += cluster.width
        }
        var columns: [Range<Int>] = []
        for word in query.split(whereSeparator: \.isWhitespace).prefix(8).map({ fold(String($0)) }) {
            let hits = piece(word, in: folded).map { Array($0..<$0 + word.count) } ?? positions(word, in: folded) ?? []
            columns += hits.map { starts[$0].column..<starts[$0].column + starts[$0].width }
        }
        return columns
    }
}
