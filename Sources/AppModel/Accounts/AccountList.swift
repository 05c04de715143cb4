package import Identity

/// The accounts of a store in the order of their names, with what each is found by: made once for each reading of the
/// store, and not by who draws, as ten thousand accounts take a while to fold and sort.
package struct AccountList: Equatable, Sendable {
    package let accounts: [AccountOverview]
    /// In the same order.
    let searchKeys: [AccountFilter.SearchKey]
    /// Every client that any account has, the most common first.
    package let clients: [String]
    /// The names of these.
    let clientNames: [String: String]
    /// Nil where nothing can be asked for.
    let planner: CallPlanner?
    /// By tenant identifier: the domain of somebody who is at home there.
    private let tenantDomains: [String: String]
    /// For each account that shares its name: where those of this name are, itself among them.
    private let namesakes: [Int: Range<Int>]
    /// The length of the longest name, in bytes of UTF-8: no name takes more columns.
    package let longestLabel: Int

    /// - Parameters:
    ///   - clientName: the name for a client's identifier, see ``Context/clientName(_:)``.
    ///   - planner: of the same reading of the store.
    package init(_ overviews: [AccountOverview], clientName: (String) -> String, planner: CallPlanner? = nil) {
        self.planner = planner
        accounts = AccountSorting.byName(overviews)
        var uses: [String: Int] = [:]
        for client in accounts.flatMap(\.account.clients) { uses[client, default: 0] += 1 }
        clients = uses.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }.map(\.key)
        // Ten thousand accounts have a handful of clients.
        let names = uses.reduce(into: [:]) { $0[$1.key] = clientName($1.key) }
        clientNames = names
        tenantDomains = accounts.reduce(into: [:]) { names, overview in
            if let home = overview.account.homeTenantID, let domain = overview.account.domain, names[home] == nil {
                names[home] = domain
            }
        }
        namesakes = Self.namesakes(accounts)
        longestLabel = accounts.reduce(0) { max($0, $1.account.label.utf8.count) }
        searchKeys = accounts.map { overview in
            AccountFilter.SearchKey(overview.account, store: overview.store) { names[$0] ?? $0 }
        }
    }

    /// They are sorted by name: those with the same one are neighbours.
    private static func namesakes(_ accounts: [AccountOverview]) -> [Int: Range<Int>] {
        let names = accounts.map { $0.account.label.lowercased() }
        var found: [Int: Range<Int>] = [:]
        var start = 0
        for end in 1...max(1, names.count) where end >= names.count || names[end] != names[start] {
            if end - start > 1 { for index in start..<end { found[index] = start..<end } }
            start = end
        }
        return found
    }

    /// A tenant by the domain of somebody who is at home there, as no cache has a tenant's name; the tenants that
    /// belong to nobody by what they are. Nil for one that nothing is known of.
    package func tenantName(_ id: String) -> String? {
        switch id {
        case Account.personalTenant: "personal accounts"
        case "f8cdef31-a31e-4b4a-93e4-5f571e91255a": "Microsoft's own services"
        default: tenantDomains[id]
        }
    }

    /// What tells an account from others of the same name; empty where its name is its own.
    package func distinction(of index: Int) -> String {
        guard let range = namesakes[index] else { return "" }
        let own = accounts[index]
        let namesakes = range.clamped(to: max(0, index - 64)..<index + 65).filter { $0 != index }.map { accounts[$0] }
        let facts: [(AccountOverview) -> String] = [
            { $0.store?.program ?? "" }, { $0.account.provider },
            { $0.account.homeTenantID.map { tenantName($0) ?? shortened($0) } ?? "" }, { $0.account.name ?? "" },
            { shortened($0.account.homeAccountID) }, { $0.account.homeAccountID },
        ]
        // The first that no namesake shares, else all that differ from somebody's.
        if let fact = facts.first(where: { fact in !fact(own).isEmpty && !namesakes.contains { fact($0) == fact(own) } }
        ) {
            return fact(own)
        }
        return facts.map { fact in namesakes.contains { fact($0) != fact(own) } ? fact(own) : "" }
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Whether both were made of one reading of the store.
    package func isSameReading(as other: AccountList) -> Bool { planner != nil && planner == other.planner }

    static let empty = AccountList([], clientName: { $0 })
}
