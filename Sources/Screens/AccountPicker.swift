import FoundationEssentials
import Identity
import Terminal

/// The opening screen's own state: all accounts, the order in which they are seen, and where the selection is.
struct AccountPicker: Equatable, Sendable {
    private var roster = Roster.empty
    /// Indexes into `accounts` in the order that the person chose.
    private var sorted: [Int] = []
    /// Indexes into `accounts` of those that match, each once.
    private var matching: [Int] = []
    /// Indexes into `accounts` of the rows that are seen. Kept, so that drawing costs what is on the screen and no
    /// more.
    private(set) var order: [Int] = []
    /// The position in `order`.
    private(set) var selected = 0
    /// The first row on the screen.
    private(set) var top = 0
    private(set) var query = TextField()
    private(set) var isFiltering = false
    private(set) var clientInView: String?
    private(set) var sorting = Sorting.frequent
    private(set) var grouping = Grouping.none
    private(set) var groups = AccountGroups()
    /// Where in `order` the headings are, the first at zero; none without grouping.
    private(set) var headings: [AccountGroups.Heading] = []
    /// Whom what is asked next is about, together.
    private(set) var marked: Set<AccountOverview.ID> = []
    /// Where the last mark was set: the other end of a range.
    private var anchor: Int?
    /// How often and how lately each account was used, as it was when the interface opened: rows must not jump under
    /// the hand.
    var uses = AccountUses()
    /// When that was.
    var openedAt = Date.distantPast
    /// Selected as soon as it is loaded: the account that has just signed in.
    var wanted: AccountOverview.ID?
    /// What the last filtering cost.
    private(set) var lettersRead = 0

    /// In the order of their names.
    var accounts: [AccountOverview] { roster.accounts }
    /// Every client that any account has, the most common first.
    var clients: [String] { roster.clients }
    /// How many accounts match, each counted once.
    var matchCount: Int { matching.count }
    var isNarrowed: Bool { !query.isEmpty || clientInView != nil }
    var hasFilterLine: Bool { isFiltering || !query.isEmpty }
    var selectedAccount: AccountOverview? { order.indices.contains(selected) ? accounts[order[selected]] : nil }

    /// Takes what the store holds; the selection stays on its account.
    mutating func show(_ new: Roster) {
        let kept = place
        roster = new
        sorted = sorting.order(of: accounts, uses: uses, at: openedAt)
        groups = AccountGroups(roster, by: grouping)
        if !marked.isEmpty { marked.formIntersection(accounts.map(\.id)) }
        if let clientInView, !clients.contains(clientInView) { self.clientInView = nil }
        narrow()
        select(kept)
        showWanted()
    }

    /// Selects the account that is wanted, as far as it is there.
    mutating func showWanted() {
        select(wanted.map { ($0, nil) })
        if let wanted, selectedAccount?.id != wanted, accounts.contains(where: { $0.id == wanted }) {
            // The new account must be seen, whatever was filtered before.
            query = TextField()
            clientInView = nil
            narrow()
            select((wanted, nil))
        }
        wanted = nil
    }

    /// The selected account and the heading that it is seen under.
    private var place: (id: AccountOverview.ID, group: String?)? {
        selectedAccount.map { ($0.id, heading(of: selected).map { groups.groups[$0.group].key }) }
    }

    private mutating func select(_ place: (id: AccountOverview.ID, group: String?)?) {
        guard let place else { return }
        if let group = place.group, let heading = headings.first(where: { groups.groups[$0.group].key == group }),
            let found = order[heading.start..<heading.start + heading.count].firstIndex(where: {
                accounts[$0].id == place.id
            })
        {
            selected = found
        } else if let found = order.firstIndex(where: { accounts[$0].id == place.id }) {
            selected = found
        }
    }

    private mutating func narrow(within candidates: [Int]? = nil) {
        var filter = AccountFilter()
        var all = candidates ?? sorted
        if candidates == nil, let clientInView {
            all = all.filter { accounts[$0].account.clients.contains(clientInView) }
        }
        matching = filter.matches(query.text, among: all, of: roster.entries)
        (order, headings) = groups.arrange(matching)
        anchor = nil
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
        narrow(within: isLonger ? inTheirOrder(matching) : nil)
    }

    /// Matches come best first; the next look wants them as they were sorted.
    private func inTheirOrder(_ places: [Int]) -> [Int] {
        guard sorting != .name, sorting != .frequent || !uses.isEmpty else { return places.sorted() }
        let kept = Set(places)
        return sorted.filter(kept.contains)
    }

    mutating func startFilter() { isFiltering = true }
    mutating func keepFilter() { isFiltering = false }

    /// First the filter goes, then the client.
    mutating func clear() {
        let kept = place
        if isFiltering || !query.isEmpty { query = TextField() } else { clientInView = nil }
        isFiltering = false
        narrow()
        select(kept)
    }

    mutating func cycleClient() {
        let kept = place
        let index = clientInView.flatMap(clients.firstIndex(of:)).map { $0 + 1 } ?? 0
        clientInView = index < clients.count ? clients[index] : nil
        narrow()
        select(kept)
    }

    /// The next order; the selection stays on its account.
    mutating func cycleSorting() {
        let kept = place
        sorting = sorting.next
        sorted = sorting.order(of: accounts, uses: uses, at: openedAt)
        narrow()
        select(kept)
    }

    /// The next kind of headings; the selection stays on its account.
    mutating func cycleGrouping() {
        let kept = place
        grouping = grouping.next
        // One store is no grouping.
        if grouping == .store, accounts.allSatisfy({ $0.store == nil }) { grouping = grouping.next }
        groups = AccountGroups(roster, by: grouping)
        narrow()
        select(kept)
    }

    // MARK: Marks

    var markedAccounts: [AccountOverview] { marked.isEmpty ? [] : accounts.filter { marked.contains($0.id) } }

    /// Marks the selected account or takes its mark away, and goes on to the next.
    mutating func mark() {
        guard let id = selectedAccount?.id else { return }
        if marked.remove(id) == nil { marked.insert(id) }
        anchor = selected
        move(.down, page: 1)
    }

    /// Marks everyone from the last mark to the selection; without one the selected account alone.
    mutating func markRange() {
        guard order.indices.contains(selected) else { return }
        let start = anchor.map { min($0, order.count - 1) } ?? selected
        for place in min(start, selected)...max(start, selected) where accounts[order[place]].store == nil {
            marked.insert(accounts[order[place]].id)
        }
        anchor = selected
    }

    mutating func unmark(_ id: AccountOverview.ID? = nil) {
        anchor = nil
        if let id { marked.remove(id) } else { marked = [] }
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

    /// Selects the account in a row of a list that shows so many; a heading cannot be selected.
    mutating func choose(row: Int, of rows: Int) -> Bool {
        guard row >= 0, case .account(let place) = self.row(at: firstRow(rows: rows) + row) else { return false }
        selected = place
        return true
    }

    mutating func showSelection(rows: Int) { top = firstRow(rows: rows) }

    /// Where the list begins when `rows` rows are drawn and the selection must be among them; its heading, too, where
    /// it stands right above.
    func firstRow(rows: Int) -> Int {
        let rows = max(1, rows)
        let chosen = row(of: selected)
        let isFirst = rows > 1 && heading(of: selected)?.start == selected
        let nearest = min(max(top, chosen - rows + 1), isFirst ? chosen - 1 : chosen)
        return max(0, min(nearest, rowCount - rows))
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
        case .cycleGrouping: picker.cycleGrouping()
        case .mark: picker.mark()
        case .markRange: picker.markRange()
        case .unmark: picker.unmark()
        case .reload:
            store = .loading
            return [.load]
        case .open:
            if let overview = selectedAccount, overview.store != nil {
                stack.append(.inspector(TokenInspector(account: overview.id)))
                return []
            }
            return acquire()
        case .signIn: stack.append(.form(SignInForm(context, offering: selectedAccount, clientID: picker.clientMeant)))
        case .inspect, .scopes:
            guard let account = selectedAccount else { return [] }
            let screen: Screen =
                command == .inspect
                ? .inspector(TokenInspector(account: account.id)) : .scopes(ScopeConsent(account: account.id))
            stack.append(screen)
        case .pasteToken:
            var inspector = TokenInspector(account: nil)
            inspector.line = .token(TextField())
            stack.append(.inspector(inspector))
        case .remove: return picker.marked.isEmpty ? ask(.remove) : askForMarked(.remove)
        case .signOut: return picker.marked.isEmpty ? ask(.signOut) : askForMarked(.signOut)
        default: break
        }
        return []
    }

    /// The client that is meant for an account: the one in view, the default one, else the first that it has.
    func client(for account: Account) -> String? {
        let meant = account.id == selectedAccount?.account.id ? picker.clientMeant : picker.clientInView
        let chosen = [meant, context.defaultClientID].compactMap { $0 }.first(where: account.clients.contains)
        return chosen ?? account.clients.first ?? context.defaultClientID ?? context.clients.first?.clientID
    }
}
