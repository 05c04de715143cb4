import Identity

package enum AccountGrouping: String, CaseIterable, Sendable {
    case none, cloud, tenant, client, store

    var next: AccountGrouping { Self.allCases.next(after: self) }

    package var words: String? { self == .none ? nil : "by \(rawValue)" }
}

/// The headings of a list and the accounts under each. Computed once when accounts are loaded, so a key press compares
/// no strings. An account with several tenants or clients is in several groups.
package struct AccountGroups: Equatable, Sendable {
    package struct Group: Equatable, Sendable {
        let key: String
        package let title: String
        /// Shown next to the title, such as a tenant ID.
        package let detail: String
    }

    /// A heading of the arranged list, before the account at `start`.
    package struct Heading: Equatable, Sendable {
        package let group: Int
        package let start: Int
        package var count: Int
    }

    package private(set) var groups: [Group] = []
    private var memberships: [[Int]] = []

    init() {}

    init(_ list: AccountList, by grouping: AccountGrouping) {
        guard grouping != .none else { return }
        let accounts = list.accounts
        let keys = accounts.map { Self.keys($0, grouping, list) }
        let stores = accounts.compactMap(\.store).reduce(into: [:]) { $0[$1.name] = $1 }
        let found = Set(keys.joined()).map { key in
            switch grouping {
            case .client:
                key.isEmpty
                    ? Group(key: "", title: "no client", detail: "")
                    : Group(key: key, title: key, detail: "")
            case .store:
                Group(
                    key: key, title: stores[key].map { "in \($0.program)" } ?? "in foyer",
                    detail: stores[key]?.place ?? "")
            case .tenant:
                Group(key: key, title: list.tenantName(key) ?? shortened(key), detail: key.isGUID ? key : "")
            case .cloud, .none:
                Group(
                    key: key, title: key,
                    detail: Cloud.all.first { $0.name == key }.map { "Microsoft cloud, " + $0.preferredNetwork } ?? ""
                )
            }
        }
        // Foyer's own store has an empty key and comes first.
        groups = found.map { ($0.key.isEmpty && grouping == .store ? "" : $0.title.lowercased(), $0) }.sorted {
            ($0.0, $0.1.key) < ($1.0, $1.1.key)
        }.map(\.1)
        let places = Dictionary(uniqueKeysWithValues: groups.enumerated().map { ($0.element.key, $0.offset) })
        memberships = keys.map { $0.compactMap { places[$0] } }
    }

    /// Those that need the user, the ones that are ready, and those that need sign-in in another program; without
    /// headings if all accounts are of one kind.
    init(_ standings: AccountStatuses, of accounts: [AccountOverview]) {
        let (needy, elsewhere) = (standings.needSignIn, standings.needSignInElsewhere)
        let rest = accounts.count - needy.count - elsewhere.count
        guard [needy.count, elsewhere.count, rest].count(where: { $0 > 0 }) > 1 else { return }
        let commands = Set(elsewhere.compactMap { accounts[$0].store?.signIn }).sorted()
        groups = [
            Group(key: "needs you", title: "Needs you", detail: ""), Group(key: "ready", title: "Ready", detail: ""),
            Group(
                key: "elsewhere", title: "Need sign-in in other programs", detail: commands.joined(separator: ", ")),
        ]
        let (needs, ready, other) = ([0], [1], [2])
        memberships = accounts.indices.map {
            needy.contains($0) ? needs : elsewhere.contains($0) ? other : ready
        }
    }

    private static func keys(_ overview: AccountOverview, _ grouping: AccountGrouping, _ list: AccountList) -> [String]
    {
        let account = overview.account
        switch grouping {
        case .store: return [overview.store?.name ?? ""]
        case .none: return []
        case .cloud: return [Cloud.containing(host: account.environment)?.name ?? account.provider]
        case .client:
            if let use = overview.use { return [use.shownName] }
            let names = account.clients.flatMap { list.names(ofClient: $0, of: nil, in: "").prefix(1) }
            return names.isEmpty ? [""] : names
        case .tenant: return account.tenants.isEmpty ? [account.provider] : account.tenants
        }
    }

    /// Groups accounts by heading and keeps their order within each.
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
