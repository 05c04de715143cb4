import Identity

/// A condition on an account, such as `is:signin`, `client:azure` or `tenant:contoso`.
package enum AccountCondition: FilterCondition {
    case needsSignIn
    case expiresSoon
    /// Part of the name or ID of a client, tenant or store; folded.
    case client(String)
    case tenant(String)
    case store(String)
    /// Part of the name of a program that got a token of it lately; in lower case.
    case who(String)
    /// Unknown condition: matches nothing.
    case unknown

    package static let names: [String: @Sendable (String) -> AccountCondition?] = [
        "is": { value in
            if ["signin", "sign-in"].contains(where: { $0.hasPrefix(value) }) { return .needsSignIn }
            return "expiring".hasPrefix(value) ? .expiresSoon : .unknown
        },
        "client": AccountCondition.client, "tenant": AccountCondition.tenant, "store": AccountCondition.store,
        "who": AccountCondition.who,
    ]
}

package typealias AccountQuery = FilterQuery<AccountCondition>

extension FilterQuery<AccountCondition> {
    package static var hint: String { "name, or is:signin is:expiring client: tenant: store: who:" }

    static func completed(_ text: String, in list: AccountList, _ programs: AccountPrograms) -> String? {
        completed(
            text,
            values: [
                "is": ["signin", "expiring"], "client": list.clients,
                "store": ["foyer"] + list.accounts.compactMap { $0.store?.name }, "who": programs.names,
            ])
    }

    var asksForPrograms: Bool { conditions.contains { if case .who = $0 { true } else { false } } }

    /// - Parameter places: indexes into the list of accounts.
    /// - Returns: those that meet the conditions, in the same order.
    func conditioned(
        _ places: [Int], of list: AccountList, _ standings: AccountStatuses, _ programs: AccountPrograms
    ) -> [Int] {
        conditions.reduce(places) { places, condition in
            switch condition {
            case .unknown: return []
            case .needsSignIn: return places.filter(standings.needsSignIn)
            case .expiresSoon: return places.filter(standings.expireSoon.contains)
            case .client(let part):
                // Matching the few names is cheaper than matching the many accounts.
                let names = list.clients.filter { $0.lowercased().contains(part) }
                return places.filter { place in
                    let row = list.accounts[place]
                    let ids = row.use.map { [$0.clientID] } ?? row.account.clients
                    return names.contains { row.isOf(client: $0, in: list) }
                        || ids.contains { $0.asciiLowercased.contains(part) }
                }
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
            case .who(let part):
                let used = programs.accounts(of: part)
                return used.isEmpty ? [] : places.filter { used.contains(list.accounts[$0].account) }
            case .store(let part):
                return places.filter { place in
                    guard let store = list.accounts[place].store else { return "foyer".contains(part) }
                    return store.name.lowercased().contains(part) || store.program.lowercased().contains(part)
                }
            }
        }
    }
}
