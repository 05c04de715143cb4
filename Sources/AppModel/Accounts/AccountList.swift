package import Identity

/// The accounts of a store, sorted by name, with their search keys. Made once per read of the store and not while
/// drawing, because folding and sorting ten thousand accounts takes a while.
package struct AccountList: Equatable, Sendable {
    package let accounts: [AccountOverview]
    /// In the same order.
    let searchKeys: [AccountFilter.SearchKey]
    /// The names of all clients of any account, most common first.
    package let clients: [String]
    /// The names of each client ID.
    private let clientNames: [String: [String]]
    /// How each sign-in can be used, if its client ID has several names.
    private let severalUses: [SignIn: [ClientUse]]
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
    /// For each row the number of its account; the rows of an account are next to each other.
    private let accountNumbers: [Int]
    /// The number of accounts, each once however many rows it has.
    package let accountCount: Int

    /// - Parameters:
    ///   - clientName: the name for a client's identifier, see ``Context/clientName(_:of:in:)``.
    ///   - uses: how an account of foyer's own store can be used, each use with its client's name: a row for each.
    ///   - planner: from the same read of the store.
    package init(
        _ overviews: [AccountOverview], clientName: (String) -> String,
        uses: ((AccountOverview) -> [ClientUse])? = nil, planner: CallPlanner? = nil
    ) {
        self.planner = planner
        accounts = AccountSorting.byName(
            overviews.flatMap { overview in
                let found =
                    overview.store != nil
                    ? []
                    : uses?(overview) ?? overview.account.clients.map { ClientUse(clientID: $0, name: clientName($0)) }
                return found.isEmpty ? [overview] : found.map(overview.row(of:))
            })
        var counts: [String: Int] = [:]
        var names: [String: [String]] = [:]
        for (id, name) in accounts.flatMap({ $0.clientNames(clientName) }) {
            counts[name, default: 0] += 1
            if names[id]?.contains(name) != true { names[id, default: []].append(name) }
        }
        clients = counts.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }.map(\.key)
        clientNames = names
        severalUses = accounts.reduce(into: [:]) { uses, row in
            guard let use = row.use, names[use.clientID]?.count ?? 0 > 1 else { return }
            uses[SignIn(account: row.account.id, clientID: use.clientID), default: []].append(use)
        }
        tenantDomains = accounts.reduce(into: [:]) { names, overview in
            if let home = overview.account.homeTenantID, let domain = overview.account.domain, names[home] == nil {
                names[home] = domain
            }
        }
        namesakes = Self.namesakes(accounts)
        longestLabel = accounts.reduce(0) { max($0, $1.account.label.utf8.count) }
        longestName = accounts.reduce(0) { max($0, $1.account.name?.utf8.count ?? 0) }
        hasOtherStores = accounts.contains { $0.store != nil }
        var numbers: [Int] = []
        numbers.reserveCapacity(accounts.count)
        for (place, row) in accounts.enumerated() {
            let isSame = place > 0 && accounts[place - 1].isOfSameAccount(as: row)
            numbers.append(isSame ? numbers[place - 1] : (numbers.last.map { $0 + 1 } ?? 0))
        }
        accountNumbers = numbers
        accountCount = numbers.last.map { $0 + 1 } ?? 0
        searchKeys = accounts.map { AccountFilter.SearchKey($0, clients: $0.clientNames(clientName).map(\.name)) }
    }

    /// The names of a client for an account, the latest used first; of any account if it is nil.
    ///
    /// - Parameter realm: of a token; the names used in another directory are left out if one was used in this.
    package func names(ofClient id: String, of account: AccountID?, in realm: String) -> [String] {
        let names = clientNames[id] ?? []
        guard names.count > 1, let account else { return names }
        let uses = severalUses[SignIn(account: account, clientID: id)] ?? []
        let here = uses.filter { !realm.isEmpty && $0.directory.asciiLowercased == realm.asciiLowercased }
        return (here.isEmpty ? uses : here).map(\.shownName)
    }

    /// The number of accounts of these rows.
    func accountCount(of rows: [Int]) -> Int {
        guard accountCount < accounts.count else { return rows.count }
        var isCounted = Array(repeating: false, count: accountCount)
        return rows.count { row in
            defer { isCounted[accountNumbers[row]] = true }
            return !isCounted[accountNumbers[row]]
        }
    }

    /// Whether the account of a row has another row next to it, by another client.
    func hasSeveralRows(_ place: Int) -> Bool {
        [place - 1, place + 1].contains {
            accounts.indices.contains($0) && accounts[$0].isOfSameAccount(as: accounts[place])
        }
    }

    /// The rows of an account in foyer's own store.
    func rows(of account: AccountID) -> [AccountOverview] {
        accounts.filter { $0.store == nil && $0.account.id == account }
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
        // A sign-in is the same by whichever name of its client.
        func signIn(_ row: AccountOverview) -> SignIn {
            SignIn(account: row.account.id, clientID: row.use?.clientID ?? "")
        }
        func missing(_ some: [AccountOverview], in others: [AccountOverview]) -> [AccountOverview] {
            let known = Set(others.map(signIn))
            var told: Set<AccountID> = []
            return some.filter { !known.contains(signIn($0)) && told.insert($0.account.id).inserted }
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

extension AccountOverview {
    /// The IDs and names of the row's client; of all clients for an account without one.
    fileprivate func clientNames(_ name: (String) -> String) -> [(id: String, name: String)] {
        if let use { return [(use.clientID, use.shownName)] }
        return account.clients.map { ($0, name($0)) }
    }

    /// Whether the row is of a client of this name; the account's rows if it has none.
    func isOf(client name: String, in list: AccountList) -> Bool {
        if let use { return use.shownName == name }
        return account.clients.contains { list.names(ofClient: $0, of: nil, in: "").contains(name) }
    }
}
