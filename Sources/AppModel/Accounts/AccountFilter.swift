import Identity

/// Rows, such as accounts, that match the typed words, best first. Names match fuzzily, letter by letter. Identifiers
/// match only as a substring, because any few hexadecimal digits occur somewhere in a long one.
package struct AccountFilter: Equatable, Sendable {
    /// The searchable text of one row, folded once at load: UTF-8 with a zero before each name and after the last,
    /// so one pass searches all of them.
    package struct SearchKey: Equatable, Sendable {
        fileprivate let names: [UInt8]
        fileprivate let identifiers: [UInt8]
        /// A bit for each value of a byte's lower six bits that occurs. It rules out most words.
        fileprivate let letters: UInt64

        init(_ overview: AccountOverview, clients: [String]) {
            let (account, store) = (overview.account, overview.store)
            let profiles = account.tenantProfiles
            self.init(
                names: [account.username, account.name ?? ""] + profiles.map(\.username) + clients
                    + [store?.name ?? "", store?.program ?? ""],
                identifiers: [account.homeAccountID, account.provider]
                    + profiles.flatMap { [$0.tenantID, $0.localAccountID] }
                    + (overview.use.map { [$0.clientID] } ?? account.clients))
        }

        init(names: [String], identifiers: [String]) {
            self.names = Self.joined(names)
            self.identifiers = Self.joined(identifiers)
            letters = AccountFilter.letters(of: self.names) | AccountFilter.letters(of: self.identifiers)
        }

        private static func joined(_ texts: [String]) -> [UInt8] {
            var joined: [UInt8] = [0]
            joined.reserveCapacity(texts.reduce(1) { $0 + $1.utf8.count + 1 })
            for text in texts where !text.isEmpty {
                AccountFilter.append(text, to: &joined)
                joined.append(0)
            }
            return joined
        }
    }

    /// The number of bytes compared: the cost of a keystroke.
    private(set) var lettersRead = 0

    /// - Parameter candidates: indexes into `entries`; an index stays if its entry matches every word.
    /// - Returns: best matches first, equal ones in the order of `candidates`.
    mutating func matches(_ words: [FilterWord], among candidates: [Int], of entries: [SearchKey]) -> [Int] {
        let all = words.prefix(8).map { (word: $0, bytes: Self.bytes($0.text)) }.filter { !$0.bytes.isEmpty }
        guard !all.isEmpty else { return candidates }
        let words = all.filter { !$0.word.isExcluded }
        let excluded = all.filter(\.word.isExcluded)
        let needed = words.reduce(0) { $0 | Self.letters(of: $1.bytes) }
        var found: [[Int]] = Array(repeating: [], count: Self.missed)
        for index in candidates where entries[index].letters & needed == needed {
            var worst = 0
            for (word, bytes) in words where worst < Self.missed {
                worst = max(worst, rank(bytes, word.form, in: entries[index]))
            }
            for (word, bytes) in excluded where worst < Self.missed {
                if rank(bytes, word.form, in: entries[index]) < Self.missed { worst = Self.missed }
            }
            if worst < Self.missed { found[worst].append(index) }
        }
        return Array(found.joined())
    }

    private static let missed = 4

    /// 0 at the start of a name, 1 at the start of a word, 2 for a substring, 3 for letters in sequence.
    private mutating func rank(_ word: [UInt8], _ form: FilterWord.Form, in entry: SearchKey) -> Int {
        lettersRead += entry.names.count
        if form == .beginning {
            // A zero precedes each name and each identifier.
            return Self.begins(word, in: entry.names) || Self.begins(word, in: entry.identifiers) ? 0 : Self.missed
        }
        var best = Self.missed
        var start = 0
        while best > 0, let place = Self.piece(word, in: entry.names, from: start) {
            let before = entry.names[place - 1]
            best = min(best, before == 0 ? 0 : Self.isLetter(before) ? 2 : 1)
            start = place + 1
        }
        guard best == Self.missed else { return best }
        lettersRead += entry.identifiers.count
        if let place = Self.piece(word, in: entry.identifiers, from: 0) {
            return entry.identifiers[place - 1] == 0 ? 1 : 2
        }
        return form == .fuzzy && Self.follows(word, in: entry.names) ? 3 : Self.missed
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte >= 0x80 || (0x61...0x7A).contains(byte) }

    /// The position of a word as a substring. A word has no zero, so a match never spans two names.
    private static func piece(_ word: [UInt8], in text: [UInt8], from start: Int) -> Int? {
        guard text.count - word.count >= max(start, 1) else { return nil }
        let first = word[0]
        for place in max(start, 1)...(text.count - word.count) where text[place] == first {
            var length = 1
            while length < word.count, text[place + length] == word[length] { length += 1 }
            if length == word.count { return place }
        }
        return nil
    }

    private static func begins(_ word: [UInt8], in text: [UInt8]) -> Bool {
        var start = 0
        while let place = piece(word, in: text, from: start) {
            if text[place - 1] == 0 { return true }
            start = place + 1
        }
        return false
    }

    /// Whether a word's letters occur in sequence within one name, possibly with others in between.
    private static func follows(_ word: [UInt8], in names: [UInt8]) -> Bool {
        var matched = 0
        for place in names.indices {
            if names[place] == 0 {
                matched = 0
            } else if names[place] == word[matched] {
                // The lead byte of a character: its continuation bytes must follow directly.
                var length = 1
                while matched + length < word.count, word[matched + length] & 0xC0 == 0x80,
                    names[place + length] == word[matched + length]
                {
                    length += 1
                }
                guard matched + length == word.count || word[matched + length] & 0xC0 != 0x80 else { continue }
                matched += length
                if matched == word.count { return true }
            }
        }
        return false
    }

    fileprivate static func letters(of bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0) { $1 == 0 ? $0 : $0 | 1 << UInt64($1 & 63) }
    }

    private static func bytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return bytes
    }

    fileprivate static func append(_ text: String, to bytes: inout [UInt8]) {
        let start = bytes.count
        if text.utf8.count <= 256 {
            bytes.append(contentsOf: text.utf8)
            let isPlain = bytes.withUnsafeMutableBufferPointer { bytes in
                var isPlain = true
                for place in start..<bytes.count {
                    let byte = bytes[place]
                    isPlain = isPlain && byte > 0 && byte < 0x80
                    if byte >= 0x41, byte <= 0x5A { bytes[place] = byte | 0x20 }
                }
                return isPlain
            }
            if isPlain { return }
            bytes.removeSubrange(start...)
        }
        bytes += String(text.prefix(256)).lowercased().utf8.prefix(1024).filter { $0 != 0 }
    }

    /// Lower case, at most 512 scalars, so an endless name has a bounded cost.
    package static func fold(_ text: String) -> [Unicode.Scalar] {
        Array(String(text.prefix(256)).lowercased().unicodeScalars.prefix(512))
    }
}
