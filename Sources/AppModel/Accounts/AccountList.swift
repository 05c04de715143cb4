package import Identity

/// The accounts of a store, sorted by name, with their search keys. Made once per read of the store and not while
/// drawing, because folding and sorting ten thousand accounts takes a while.
package struct AccountList: Equatable, Sendable {
    package let accounts: [AccountOverview]
    /// In the same order.
    let searchKeys: [AccountFilter.SearchKey]
    /// Every client of any account, most common first.
    package let clients: [String]
    let clientNames: [String: String]
    /// Nil if no token can be requested.
    let planner: CallPlanner?
    /// By tenant ID: the domain of an account whose home tenant it is.
    private let tenantDomains: [String: String]
    /// For each account with a shared name: the range of accounts with this name, itself included.
    private let namesakes: [Int: Range<Int>]
    /// The longest name's length in UTF-8 bytes, an upper bound for its columns.
    package let longestLabel: Int
    /// Likewise of the names of people.
    package let longestName: Int
    package let hasOtherStores: Bool

    /// - Parameters:
    ///   - clientName: the name for a client's identifier, see ``Context/clientName(_:)``.
    ///   - planner: from the same read of the store.
    package init(_ overviews: [AccountOverview], clientName: (String) -> String, planner: CallPlanner? = nil) {
        self.planner = planner
        accounts = AccountSorting.byName(overviews)
        var uses: [String: Int] = [:]
        for client in accounts.flatMap(\.account.clients) { uses[client, default: 0] += 1 }
        clients = uses.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }.map(\.key)
        let names = uses.reduce(into: [:]) { $0[$1.key] = clientName($1.key) }
        clientNames = names
        tenantDomains = accounts.reduce(into: [:]) { names, overview in
            if let home = overview.account.homeTenantID, let domain = overview.account.domain, names[home] == nil {
                names[home] = domain
            }
        }
        namesakes = Self.namesakes(accounts)
        longestLabel = accounts.reduce(0) { max($0, $1.account.label.utf8.count) }
        longestName = accounts.reduce(0) { max($0, $1.account.name?.utf8.count ?? 0) }
        hasOtherStores = accounts.contains { $0.store != nil }
        searchKeys = accounts.map { overview in
            AccountFilter.SearchKey(overview.account, store: overview.store) { names[$0] ?? $0 }
        }
    }

    /// Accounts are sorted by name, so those with the same name are adjacent.
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

    /// The domain of an account whose home tenant this is, as caches store no tenant names; a fixed name for tenants of
    /// personal accounts and of Microsoft. Nil if unknown.
    package func tenantName(_ id: String) -> String? {
        switch id {
        case Account.personalTenant: "personal accounts"
        case "f8cdef31-a31e-4b4a-93e4-5f571e91255a": "Microsoft's own services"
        default: tenantDomains[id]
        }
    }

    /// A detail that distinguishes an account from others with its name; empty if the name is unique.
    package func distinction(of index: Int) -> String {
        guard let range = namesakes[index] else { return "" }
        let own = accounts[index]
        let namesakes = range.clamped(to: max(0, index - 64)..<index + 65).filter { $0 != index }.map { accounts[$0] }
        let facts: [(AccountOverview) -> String] = [
            { $0.store?.program ?? "" }, { $0.account.provider },
            { $0.account.homeTenantID.map { tenantName($0) ?? shortened($0) } ?? "" }, { $0.account.name ?? "" },
            { shortened($0.account.homeAccountID) }, { $0.account.homeAccountID },
        ]
        // The first fact that no namesake shares, else all facts that differ from at least one namesake's.
        if let fact = facts.first(where: { fact in !fact(own).isEmpty && !namesakes.contains { fact($0) == fact(own) } }
        ) {
            return fact(own)
        }
        return facts.map { fact in namesakes.contains { fact($0) != fact(own) } ? fact(own) : "" }
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    package func isSameReading(as other: AccountList) -> Bool { planner != nil && planner == other.planner }

    /// Such as `ada@contoso.example signed in`; nil if foyer's own store has the same accounts.
    func changes(since before: AccountList) -> String? {
        guard !accounts.lazy.map(\.id).elementsEqual(before.accounts.lazy.map(\.id)) else { return nil }
        func own(_ list: AccountList) -> [AccountOverview] { list.accounts.filter { $0.store == nil } }
        func missing(_ some: [AccountOverview], in others: [AccountOverview]) -> [AccountOverview] {
            let known = Set(others.map(\.id))
            return some.filter { !known.contains($0.id) }
        }
        func words(_ accounts: [AccountOverview], _ what: String) -> String? {
            guard let first = accounts.first else { return nil }
            return (accounts.count == 1 ? first.account.label : counted(accounts.count, "account")) + " " + what
        }
        let parts = [
            words(missing(own(self), in: own(before)), "signed in"),
            words(missing(own(before), in: own(self)), "removed"),
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    static let empty = AccountList([], clientName: { $0 })
}
