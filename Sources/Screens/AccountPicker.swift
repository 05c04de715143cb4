import Identity
import Terminal

/// The opening screen's own state: all accounts, the order in which they are seen, and where the selection is.
struct AccountPicker: Equatable, Sendable {
    private var roster = Roster.empty
    /// Indexes into `accounts` in the order that the person chose.
    private var sorted: [Int] = []
    /// Indexes into `accounts` of the rows that are seen. Kept, so that drawing costs what is on the screen and no more.
    private(set) var order: [Int] = []
    /// The position in `order`.
    private(set) var selected = 0
    /// The first row on the screen.
    private(set) var top = 0
    private(set) var query = TextField()
    private(set) var isFiltering = false
    private(set) var clientInView: String?
    private(set) var sorting = Sorting.name
    /// Selected as soon as it is loaded: the account that has just signed in.
    var wanted: AccountID?
    /// What the last filtering cost.
    private(set) var lettersRead = 0

    /// In the order of their names.
    var accounts: [AccountOverview] { roster.accounts }
    /// Every client that any account has, the most common first.
    var clients: [String] { roster.clients }
    var isNarrowed: Bool { !query.isEmpty || clientInView != nil }
    var hasFilterLine: Bool { isFiltering || !query.isEmpty }
    var selectedAccount: AccountOverview? { order.indices.contains(selected) ? accounts[order[selected]] : nil }

    /// Takes what the store holds; the selection stays on its account.
    mutating func show(_ new: Roster) {
        let kept = selectedAccount?.id
        roster = new
        sorted = sorting.order(of: accounts)
        if let clientInView, !clients.contains(clientInView) { self.clientInView = nil }
        narrow()
        select(wanted ?? kept)
        showWanted()
    }

    /// Selects the account that is wanted, as far as it is there.
    mutating func showWanted() {
        select(wanted)
        if let wanted, selectedAccount?.id != wanted, accounts.contains(where: { $0.id == wanted }) {
            // The new account must be seen, whatever was filtered before.
            query = TextField()
            clientInView = nil
            narrow()
            select(wanted)
        }
        wanted = nil
    }

    private mutating func select(_ id: AccountID?) {
        if let id, let place = order.firstIndex(where: { accounts[$0].id == id }) { selected = place }
    }

    private mutating func narrow(within candidates: [Int]? = nil) {
        var filter = AccountFilter()
        var all = candidates ?? sorted
        if candidates == nil, let clientInView { all = all.filter { accounts[$0].account.clients.contains(clientInView) } }
        order = filter.matches(query.text, among: all, of: roster.entries)
        lettersRead = filter.lettersRead
        selected = min(selected, max(0, order.count - 1))
    }

    mutating func editFilter(_ key: Key) {
        let before = query.text
        guard query.press(key), query.text != before else { return }
        selected = 0
        top = 0
        // One letter more at the end can only take away: what is already out needs no second look.
        let isLonger = query.text.hasPrefix(before) && !before.isEmpty
        narrow(within: isLonger ? inTheirOrder(order) : nil)
    }

    /// Matches come best first; the next look wants them as they were sorted.
    private func inTheirOrder(_ places: [Int]) -> [Int] {
        guard sorting != .name else { return places.sorted() }
        let kept = Set(places)
        return sorted.filter(kept.contains)
    }

    mutating func startFilter() { isFiltering = true }
    mutating func keepFilter() { isFiltering = false }

    /// First the filter goes, then the client.
    mutating func clear() {
        let kept = selectedAccount?.id
        if isFiltering || !query.isEmpty { query = TextField() } else { clientInView = nil }
        isFiltering = false
        narrow()
        select(kept)
    }

    mutating func cycleClient() {
        let kept = selectedAccount?.id
        let index = clientInView.flatMap(clients.firstIndex(of:)).map { $0 + 1 } ?? 0
        clientInView = index < clients.count ? clients[index] : nil
        narrow()
        select(kept)
    }

    /// The next order; the selection stays on its account.
    mutating func cycleSorting() {
        let kept = selectedAccount?.id
        sorting = sorting.next
        sorted = sorting.order(of: accounts)
        narrow()
        select(kept)
    }

    mutating func move(_ command: Command, page: Int) {
        let last = max(0, order.count - 1)
        switch command {
        case .up: selected -= 1
        case .down: selected += 1
        case .pageUp: selected -= max(1, page)
        case .pageDown: selected += max(1, page)
        case .halfUp: selected -= max(1, page / 2)
        case .halfDown: selected += max(1, page / 2)
        case .first: selected = 0
        case .last: selected = last
        default: break
        }
        selected = min(max(selected, 0), last)
    }

    /// Marks the account in a row of a list that shows so many.
    mutating func choose(row: Int, of rows: Int) -> Bool {
        let place = firstRow(rows: rows) + row
        guard row >= 0, order.indices.contains(place) else { return false }
        selected = place
        return true
    }

    mutating func showSelection(rows: Int) { top = firstRow(rows: rows) }

    /// Where the list begins when `rows` rows are drawn and the selection must be among them.
    func firstRow(rows: Int) -> Int {
        let rows = max(1, rows)
        let nearest = min(max(top, selected - rows + 1), selected)
        return max(0, min(nearest, order.count - rows))
    }
}

extension State {
    mutating func performPicker(_ command: Command) -> [Effect] {
        defer { picker.showSelection(rows: listRows) }
        switch command {
        case .up, .down, .pageUp, .pageDown, .halfUp, .halfDown, .first, .last: picker.move(command, page: listRows - 1)
        case .filter: picker.startFilter()
        case .keepFilter: picker.keepFilter()
        case .clearFilter: picker.clear()
        case .cycleClient: picker.cycleClient()
        case .cycleSorting: picker.cycleSorting()
        case .reload:
            store = .loading
            return [.load]
        case .open: return acquire()
        case .signIn: stack.append(.form(SignInForm(context, offering: selectedAccount, clientID: picker.clientInView)))
        case .inspect, .scopes:
            guard let account = selectedAccount else { return [] }
            let screen: Screen =
                command == .inspect ? .inspector(TokenInspector(account: account.id)) : .scopes(ScopeConsent(account: account.id))
            stack.append(screen)
        case .remove: return ask(.remove)
        case .signOut: return ask(.signOut)
        default: break
        }
        return []
    }

    /// The client that is meant for an account: the one in view, the default one, else the first that it has.
    func client(for account: Account) -> String? {
        let chosen = [picker.clientInView, context.defaultClientID].compactMap { $0 }.first(where: account.clients.contains)
        return chosen ?? account.clients.first ?? context.defaultClientID ?? context.clients.first?.clientID
    }
}
