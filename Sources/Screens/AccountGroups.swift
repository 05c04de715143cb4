import Identity

/// Under which headings accounts are listed.
enum Grouping: String, CaseIterable, Sendable {
    case none, cloud, tenant, client, store

    var next: Grouping {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }

    /// Said in the title.
    var words: String? { self == .none ? nil : "by \(rawValue)" }
}

/// The headings of a list and who stands under which: worked out once when accounts are loaded, so that a key costs no
/// comparison of texts. An account of several tenants or clients stands under each.
struct AccountGroups: Equatable, Sendable {
    struct Group: Equatable, Sendable {
        let key: String
        let title: String
        /// Said beside the title, such as a tenant's identifier.
        let detail: String
    }

    /// A heading of the arranged list, before the account at `start`.
    struct Heading: Equatable, Sendable {
        let group: Int
        let start: Int
        var count: Int
    }

    private(set) var groups: [Group] = []
    /// For each account the groups it is in.
    private var memberships: [[Int]] = []

    init() {}

    init(_ roster: Roster, by grouping: Grouping) {
        guard grouping != .none else { return }
        let accounts = roster.accounts
        let keys = accounts.map { Self.keys($0, grouping) }
        let stores = accounts.compactMap(\.store).reduce(into: [:]) { $0[$1.name] = $1 }
        var domains: [String: String] = [:]
        if grouping == .tenant {
            for account in accounts.map(\.account) {
                if let home = account.homeTenantID, let domain = account.domain, domains[home] == nil {
                    domains[home] = domain
                }
            }
        }
        let found = Set(keys.joined()).map { key in
            switch grouping {
            case .client:
                key.isEmpty
                    ? Group(key: "", title: "no client", detail: "")
                    : Group(key: key, title: roster.clientNames[key] ?? shortened(key), detail: "")
            case .store:
                Group(
                    key: key, title: stores[key].map { "in \($0.program)" } ?? "in foyer",
                    detail: stores[key]?.place ?? "")
            case .tenant:
                Group(
                    key: key, title: Self.tenantName(key) ?? domains[key] ?? shortened(key),
                    detail: key.isGUID ? key : "")
            case .cloud, .none:
                Group(
                    key: key, title: key,
                    detail: Cloud.all.first { $0.name == key }.map { "Microsoft cloud, " + $0.preferredNetwork } ?? ""
                )
            }
        }
        // Foyer's own store has no name, and comes first.
        groups = found.map { ($0.key.isEmpty && grouping == .store ? "" : $0.title.lowercased(), $0) }.sorted {
            ($0.0, $0.1.key) < ($1.0, $1.1.key)
        }.map(\.1)
        let places = Dictionary(uniqueKeysWithValues: groups.enumerated().map { ($0.element.key, $0.offset) })
        memberships = keys.map { $0.compactMap { places[$0] } }
    }

    private static func keys(_ overview: AccountOverview, _ grouping: Grouping) -> [String] {
        let account = overview.account
        switch grouping {
        case .store: return [overview.store?.name ?? ""]
        case .none: return []
        case .cloud: return [Cloud.containing(host: account.environment)?.name ?? account.provider]
        case .client: return account.clients.isEmpty ? [""] : account.clients
        case .tenant: return tenants(of: account)
        }
    }

    /// Each once, the home tenant first; where there are none, the provider stands for them.
    private static func tenants(of account: Account) -> [String] {
        var tenants: [String] = []
        for tenant in [account.homeTenantID ?? ""] + account.tenantProfiles.map(\.tenantID)
        where !tenant.isEmpty && !tenants.contains(tenant) {
            tenants.append(tenant)
        }
        return tenants.isEmpty ? [account.provider] : tenants
    }

    /// The two tenants that belong to nobody.
    private static func tenantName(_ id: String) -> String? {
        switch id {
        case Account.personalTenant: "personal accounts"
        case "f8cdef31-a31e-4b4a-93e4-5f571e91255a": "Microsoft's own services"
        default: nil
        }
    }

    /// Puts accounts under their headings, within each in the order in which they come.
    func arrange(_ accounts: [Int]) -> (order: [Int], headings: [Heading]) {
        guard !groups.isEmpty else { return (accounts, []) }
        var buckets = Array(repeating: [Int](), count: groups.count)
        for account in accounts { for group in memberships[account] { buckets[group].append(account) } }
        var order: [Int] = []
        var headings: [Heading] = []
        for (group, members) in buckets.enumerated() where !members.isEmpty {
            headings.append(Heading(group: group, start: order.count, count: members.count))
            order += members
        }
        return (order, headings)
    }
}

extension Account {
    /// What follows the last `@` of the username.
    var domain: String? {
        username.lastIndex(of: "@").map { String(username[username.index(after: $0)...]) }.flatMap {
            $0.isEmpty ? nil : $0
        }
    }
}

extension AccountPicker {
    /// What a row of the list shows.
    enum Row: Equatable, Sendable {
        case heading(AccountGroups.Heading)
        /// The position in ``order``.
        case account(Int)
    }

    var rowCount: Int { order.count + headings.count }

    /// The number of headings that begin before the account at a position or right above it.
    private func headingsUpTo(_ position: Int) -> Int {
        var low = 0
        var high = headings.count
        while low < high {
            let middle = (low + high) / 2
            if headings[middle].start <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func heading(of position: Int) -> AccountGroups.Heading? {
        let index = headingsUpTo(position) - 1
        return headings.indices.contains(index) ? headings[index] : nil
    }

    func row(of position: Int) -> Int { position + headingsUpTo(position) }

    func row(at row: Int) -> Row? {
        guard (0..<rowCount).contains(row) else { return nil }
        // The heading number n stands in the row `start + n`.
        var low = 0
        var high = headings.count
        while low < high {
            let middle = (low + high) / 2
            if headings[middle].start + middle <= row { low = middle + 1 } else { high = middle }
        }
        if low > 0, headings[low - 1].start + low - 1 == row { return .heading(headings[low - 1]) }
        return .account(row - low)
    }

    /// The client whose view of an account is shown in a row.
    func client(at position: Int) -> String? {
        if let clientInView { return clientInView }
        guard grouping == .client, let heading = heading(of: position) else { return nil }
        let key = groups.groups[heading.group].key
        return key.isEmpty ? nil : key
    }

    /// The client that the selected row is about, when it is about one.
    var clientMeant: String? { client(at: selected) }
}
