import Identity

/// The text typed to find accounts: words and conditions such as `is:signin`, `client:azure` or `tenant:contoso`.
/// An account must match all of them.
package struct AccountQuery: Equatable, Sendable {
    package enum Condition: Equatable, Sendable {
        case needsSignIn
        case expiresSoon
        /// Part of the name or ID of a client, tenant or store; folded.
        case client(String)
        case tenant(String)
        case store(String)
        /// Unknown condition: matches nothing.
        case unknown
    }

    /// A word to find in names and identifiers; with `'` exactly, with `^` at their beginning, with `!` nowhere.
    package struct Word: Equatable, Sendable {
        package enum Form: Equatable, Sendable { case fuzzy, exact, beginning }

        package let text: String
        package private(set) var form = Form.fuzzy
        package private(set) var isExcluded = false

        /// - Returns: nil for an operator alone: the word is not finished.
        init?(_ word: Substring) {
            var rest = word
            if rest.first == "!" {
                (form, isExcluded) = (.exact, true)
                rest.removeFirst()
            }
            if let first = rest.first, let form = [Character("'"): Form.exact, "^": .beginning][first] {
                self.form = form
                rest.removeFirst()
            }
            guard !rest.isEmpty else { return nil }
            text = String(rest)
        }
    }

    package private(set) var words: [Word] = []
    package private(set) var conditions: [Condition] = []

    package static let hint = "name, or is:signin is:expiring client: tenant: store:"

    package init(_ text: String) {
        for word in text.split(whereSeparator: \.isWhitespace) {
            guard let colon = word.firstIndex(of: ":"), let condition = Self.names[word[..<colon].lowercased()] else {
                if let word = Word(word) { words.append(word) }
                continue
            }
            // An incomplete value does not filter yet.
            let value = word[word.index(after: colon)...].lowercased()
            if !value.isEmpty, let condition = condition(value) { conditions.append(condition) }
        }
    }

    private static let names: [String: @Sendable (String) -> Condition?] = [
        "is": { value in
            if ["signin", "sign-in"].contains(where: { $0.hasPrefix(value) }) { return .needsSignIn }
            return "expiring".hasPrefix(value) ? .expiresSoon : .unknown
        },
        "client": Condition.client, "tenant": Condition.tenant, "store": Condition.store,
    ]
}

extension AccountQuery {
    /// The text with its last word completed: to the name of a condition, or to a condition's value.
    static func completed(_ text: String, in list: AccountList) -> String? {
        let start = text.lastIndex(where: \.isWhitespace).map(text.index(after:)) ?? text.startIndex
        let word = text[start...].lowercased()
        let values = [
            "is": ["signin", "expiring"], "client": list.clients.compactMap { list.clientNames[$0]?.lowercased() },
            "store": ["foyer"] + list.accounts.compactMap { $0.store?.name },
        ]
        let all = names.keys.map { $0 + ":" } + values.flatMap { name, values in values.map { name + ":" + $0 } }
        let found = all.filter { $0.hasPrefix(word) && $0 != word && !$0.contains(where: \.isWhitespace) }
        guard !word.isEmpty, let first = found.min(by: { ($0.count, $0) < ($1.count, $1) }) else { return nil }
        return text[..<start] + first
    }

    /// - Parameter places: indexes into the list of accounts.
    /// - Returns: those that meet the conditions, in the same order.
    func conditioned(_ places: [Int], of list: AccountList, _ standings: AccountStatuses) -> [Int] {
        conditions.reduce(places) { places, condition in
            switch condition {
            case .unknown: return []
            case .needsSignIn: return places.filter(standings.needSignIn.contains)
            case .expiresSoon: return places.filter(standings.expireSoon.contains)
            case .client(let part):
                // Matching the few clients is cheaper than matching the many accounts.
                let clients = Set(
                    list.clients.filter { id in
                        id.lowercased().contains(part) || list.clientNames[id]?.lowercased().contains(part) == true
                    })
                return places.filter { !clients.isDisjoint(with: list.accounts[$0].account.clients) }
            case .tenant(let part):
                var known: [String: Bool] = [:]
                return places.filter { place in
                    list.accounts[place].account.tenants.contains { tenant in
                        if let known = known[tenant] { return known }
                        let matches =
                            tenant.lowercased().contains(part)
                            || list.tenantName(tenant)?.lowercased().contains(part) == true
                        known[tenant] = matches
                        return matches
                    }
                }
            case .store(let part):
                return places.filter { place in
                    guard let store = list.accounts[place].store else { return "foyer".contains(part) }
                    return store.name.lowercased().contains(part) || store.program.lowercased().contains(part)
                }
            }
        }
    }
}
