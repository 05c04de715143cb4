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

    package private(set) var words: [String] = []
    package private(set) var conditions: [Condition] = []

    package static let hint = "name, or is:signin is:expiring client: tenant: store:"

    package init(_ text: String) {
        for word in text.split(whereSeparator: \.isWhitespace) {
            guard let colon = word.firstIndex(of: ":"), let condition = Self.names[word[..<colon].lowercased()] else {
                words.append(String(word))
                continue
            }
            // An incomplete value does not filter yet.
            let value = word[word.index(after: colon)...].lowercased()
            if !value.isEmpty, let condition = condition(value) { conditions.append(condition) }
        }
    }

    private static let names: [String: @Sendable (String) -> Condition?] = [
        "is": { value in
            if value == "signin" || value == "sign-in" { return .needsSignIn }
            if value == "expiring" { return .expiresSoon }
            return ["sign-in", "signin", "expiring"].contains { $0.hasPrefix(value) } ? nil : .unknown
        },
        "client": Condition.client, "tenant": Condition.tenant, "store": Condition.store,
    ]
}

extension AccountQuery {
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
