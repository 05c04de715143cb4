package import Identity

/// The ranges of each account's tokens in a list of all tokens. It only needs their numbers; an account's tokens are
/// read when they become visible.
struct TokenTable: Equatable, Sendable {
    /// Indexes into the list of accounts, without accounts that have no tokens.
    private(set) var accounts: [Int] = []
    /// The index of each account's first token.
    private(set) var starts: [Int] = []
    private(set) var count = 0

    init(_ list: AccountList) {
        for (position, overview) in list.accounts.enumerated() {
            // The rows of an account are next to each other, and have the same tokens.
            guard position == 0 || !list.accounts[position - 1].isOfSameAccount(as: overview) else { continue }
            let own = overview.lives.count
            guard own > 0 else { continue }
            accounts.append(position)
            starts.append(count)
            count += own
        }
    }

    /// The account that owns a token, as an index into this table.
    func owner(of place: Int) -> Int? {
        guard (0..<count).contains(place) else { return nil }
        return TokenListing.lastStart(in: starts, upTo: place)
    }
}

/// The tokens as a list with headings. Rebuilt for each drawing, because it holds only visible rows.
package struct TokenListing {
    package enum Item {
        case heading(String)
        /// Its index and the token; nil if the store has changed in the meantime.
        case token(Int, CachedCredential?)
    }

    /// The index of each group's first token.
    private let starts: [Int]
    private let count: Int
    private let title: (_ group: Int) -> String
    private let tokens: (_ group: Int) -> [CachedCredential]

    init(starts: [Int], count: Int, title: @escaping (Int) -> String, tokens: @escaping (Int) -> [CachedCredential]) {
        (self.starts, self.count, self.title, self.tokens) = (starts, count, title, tokens)
    }

    package var rowCount: Int { count + starts.count }

    /// The last group that begins at or before a token.
    static func lastStart(in starts: [Int], upTo place: Int) -> Int? {
        let begun = starts.prefixCount { $1 <= place }
        return begun == 0 ? nil : begun - 1
    }

    package func row(of place: Int) -> Int { place + (Self.lastStart(in: starts, upTo: place) ?? -1) + 1 }

    package func items(_ rows: Range<Int>) -> [Item] {
        var items: [Item] = []
        var known: (group: Int, tokens: [CachedCredential])?
        for row in rows.clamped(to: 0..<rowCount) {
            // Heading number n is in the row of its group's first token, shifted by n other headings.
            let group = starts.prefixCount { number, start in start + number <= row } - 1
            guard group >= 0 else { continue }
            if starts[group] + group == row {
                items.append(.heading(title(group)))
                continue
            }
            if known?.group != group { known = (group, tokens(group)) }
            let place = row - group - 1
            let own = known?.tokens ?? []
            let index = place - starts[group]
            items.append(.token(place, own.indices.contains(index) ? own[index] : nil))
        }
        return items
    }
}

extension TokenInspector {
    /// The current list with its groups.
    package func listing(in context: Context) -> TokenListing {
        guard let table else {
            let own = credentials(in: context)
            let starts = own.indices.filter { $0 == 0 || own[$0].clientID != own[$0 - 1].clientID }
            func group(_ number: Int) -> Range<Int> {
                starts[number]..<(number + 1 < starts.count ? starts[number + 1] : own.count)
            }
            return TokenListing(
                starts: starts, count: own.count,
                title: {
                    own[starts[$0]].isPasted ? "pasted (not kept)" : context.clientName(own[starts[$0]])
                },
                tokens: { Array(own[group($0)]) })
        }
        let accounts = context.accounts.accounts
        let starts = pasted.isEmpty ? table.starts : table.starts + [table.count]
        return TokenListing(
            starts: starts, count: table.count + pasted.count,
            title: { $0 < table.accounts.count ? accounts[table.accounts[$0]].account.label : "pasted (not kept)" },
            tokens: { $0 < table.accounts.count ? Self.credentials(accounts[table.accounts[$0]]) : pasted })
    }

    /// The selected token's account; nil for a pasted token.
    func owner(in context: Context) -> AccountOverview? {
        guard let table else { return account.flatMap(context.overview) }
        guard let group = table.owner(of: selected), context.accounts.accounts.indices.contains(table.accounts[group])
        else { return nil }
        return context.accounts.accounts[table.accounts[group]]
    }

    func count(in context: Context) -> Int { table.map { $0.count + pasted.count } ?? credentials(in: context).count }

    package func chosen(in context: Context) -> CachedCredential? {
        let (all, place) = (credentials(in: context), placeAmongCredentials)
        return all.indices.contains(place) ? all[place] : nil
    }

    /// The selected token's index among those of its account and pasted ones.
    private var placeAmongCredentials: Int {
        guard let table else { return selected }
        guard let group = table.owner(of: selected) else { return selected - table.count }
        return selected - table.starts[group]
    }
}
