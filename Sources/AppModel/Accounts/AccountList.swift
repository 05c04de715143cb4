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

    /// - Parameters:
    ///   - clientName: the name for a client's identifier, see ``Context/clientName(_:)``.
    ///   - planner: of the same reading of the store.
    package init(
        _ overviews: [AccountOverview], clientName: (String) -> String, planner: CallPlanner? = nil
    ) {
        self.planner = planner
        accounts = AccountSorting.byName(overviews)
        var uses: [String: Int] = [:]
        for client in accounts.flatMap(\.account.clients) { uses[client, default: 0] += 1 }
        clients = uses.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }.map(\.key)
        // Ten thousand accounts have a handful of clients.
        let names = uses.reduce(into: [:]) { $0[$1.key] = clientName($1.key) }
        clientNames = names
        searchKeys = accounts.map { AccountFilter.SearchKey($0.account, store: $0.store) { names[$0] ?? $0 } }
    }

    static let empty = AccountList([], clientName: { $0 })
}
