import FoundationEssentials
package import Identity
import Keys

/// The accounts: all of them, the order in which they are seen, and where the mark is.
package struct AccountPicker: Equatable, Sendable {
    package private(set) var list = AccountList.empty
    /// The menu that stands where there is no account.
    package internal(set) var firstRun = FirstRun()
    /// Indexes into `accounts` in the order that the person chose.
    private var sorted: [Int] = []
    /// Indexes into `accounts` of those that match, each once.
    private var matching: [Int] = []
    /// Indexes into `accounts` of the rows that are seen. Kept, so that drawing costs what is on the screen and no
    /// more.
    package private(set) var order: [Int] = []
    /// Marks a position in `order`; its first row counts the headings.
    package private(set) var cursor = ListCursor()
    package private(set) var query = TextField()
    package private(set) var isFiltering = false
    package private(set) var clientInView: String?
    package private(set) var sorting = AccountSorting.frequent
    package private(set) var grouping = AccountGrouping.none
    package private(set) var groups = AccountGroups()
    /// Where in `order` the headings are, the first at zero; none without grouping.
    package private(set) var headings: [AccountGroups.Heading] = []
    /// Accounts marked for the next bulk action.
    package private(set) var marked: Set<AccountOverview.ID> = []
    /// Where the last mark was set: the other end of a range.
    private var anchor: Int?
    /// How often and how lately each account was used, as it was when the interface opened: rows must not jump under
    /// the hand.
    let uses: AccountUses
    /// When that was.
    private let openedAt: Date
    /// Selected as soon as it is loaded: the account that has just signed in.
    private var wanted: AccountOverview.ID?
    private(set) var standings = AccountStandings()
    private var turn = DecisionTurn()
    /// What the last filtering cost.
    private(set) var lettersRead = 0

    init(uses: AccountUses, openedAt: Date) { (self.uses, self.openedAt) = (uses, openedAt) }

    /// In the order of their names.
    package var accounts: [AccountOverview] { list.accounts }
    /// Every client that any account has, the most common first.
    package var clients: [String] { list.clients }
    /// How many accounts match, each counted once.
    package var matchCount: Int { matching.count }
    package var isNarrowed: Bool { !query.isEmpty || clientInView != nil }
    package var hasFilterLine: Bool { isFiltering || !query.isEmpty }
    package var selected: Int { cursor.selected }
    package var selectedAccount: AccountOverview? { order.indices.contains(selected) ? accounts[order[selected]] : nil }

    /// Takes what the store holds; the selection stays on its account.
    mutating func show(_ new: AccountList, in context: Context) {
        let kept = place
        let isSame = list.isSameReading(as: new)
        let before = list
        list = new
        if let clientInView, !clients.contains(clientInView) { self.clientInView = nil }
        if isDecidedHere {
            decideAll(in: context)
        } else if !isSame {
            // Until they are decided again, they stand as before.
            let known = Dictionary(
                zip(before.accounts.map(\.id), standings.statuses), uniquingKeysWith: { first, _ in first })
            standings = AccountStandings(accounts.map { known[$0.id] ?? nil }, of: accounts, context.clock)
            turn = DecisionTurn(left: accounts.count)
        }
        sort()
        groups = AccountGroups(list, by: grouping)
        if !marked.isEmpty { marked.formIntersection(accounts.map(\.id)) }
        narrow()
        select(kept)
        // Enter is for the account that is used most, whoever else has to sign in.
        if kept == nil, let first = order.firstIndex(where: { !standings.needSignIn.contains($0) }) {
            cursor.select(first, count: order.count)
        }
        if let wanted { show(wanted) }
        wanted = nil
    }

    // MARK: How they stand

    /// Above this number, accounts are decided in the background: a slice at a time, then a few now and then.
    private static let (mostDecidedHere, slice, few) = (50, 250, 25)
    /// Seconds between these: what makes another standing is time alone.
    private static let pause: TimeInterval = 5
    private var isDecidedHere: Bool { accounts.count <= Self.mostDecidedHere || list.planner == nil }

    /// How the account at a position stands; decided for the frame if it is drawn before its turn.
    package func status(at position: Int, in context: Context) -> AccountStatus {
        let (place, clientID) = (order[position], client(at: position))
        guard clientID == clientInView, let status = standings.statuses[place] else {
            return context.status(accounts[place], clientID: clientID)
        }
        return context.noting(status, accounts[place], context.clientToPlan(accounts[place], clientID: clientID))
    }

    private mutating func decideAll(in context: Context) {
        standings = AccountStandings(
            accounts.map { context.status($0, clientID: clientInView) }, of: accounts, context.clock)
    }

    /// Visible accounts and some of the others in turn. The order stays until the store is read again.
    mutating func decideSome(in context: Context) -> [Action] {
        guard !isDecidedHere else {
            decideAll(in: context)
            return []
        }
        guard let planner = list.planner, turn.isDue(at: context.now, after: Self.pause) else { return [] }
        let rows = context.list.rows <= Self.slice ? context.list.rows : 0
        let seen = Array(order.dropFirst(cursor.first).prefix(rows))
        let places = seen + turn.take(turn.left > 0 ? Self.slice : Self.few, of: accounts.count, at: context.now)
        let chosen = places.map { accounts[$0] }
        return [
            .perform(
                .decide(
                    StandingsRequest(
                        planner: planner, places: places, accounts: chosen,
                        clientIDs: chosen.map { context.clientToPlan($0, clientID: clientInView) },
                        clientInView: clientInView, now: context.now)))
        ]
    }

    /// Keeps what was decided; sorts once every account is.
    mutating func take(_ decided: [AccountStatus], of request: StandingsRequest, in context: Context) -> [Action] {
        guard request.planner == list.planner, request.clientInView == clientInView else { return [] }
        var statuses = standings.statuses
        for (number, status) in decided.enumerated() {
            statuses[request.places[number]] = context.noting(
                status, request.accounts[number], request.clientIDs[number])
        }
        standings = AccountStandings(statuses, of: accounts, context.clock)
        turn.isWaiting = false
        if turn.left > 0 { return decideSome(in: context) }
        if turn.isLast { rearrange { $0.sort() } }
        return []
    }

    /// In the usual order those who have to sign in come first.
    private mutating func sort() {
        sorted = sorting.order(of: accounts, uses: uses, at: openedAt)
        let needy = standings.needSignIn
        if sorting == .frequent, !needy.isEmpty {
            sorted = sorted.filter(needy.contains) + sorted.filter { !needy.contains($0) }
        }
    }

    /// Selects the account as soon as it is there.
    mutating func want(_ id: AccountOverview.ID) { wanted = id }

    /// Selects the account, as far as it is there; it must be seen, whatever was filtered before.
    mutating func show(_ id: AccountOverview.ID) {
        select((id, nil))
        guard selectedAccount?.id != id, accounts.contains(where: { $0.id == id }) else { return }
        query = TextField()
        clientInView = nil
        narrow()
        select((id, nil))
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
            cursor.select(found, count: order.count)
        } else if let found = order.firstIndex(where: { accounts[$0].id == place.id }) {
            cursor.select(found, count: order.count)
        }
    }

    private mutating func narrow(within candidates: [Int]? = nil) {
        var filter = AccountFilter()
        var all = candidates ?? sorted
        if candidates == nil, let clientInView {
            all = all.filter { accounts[$0].account.clients.contains(clientInView) }
        }
        let query = AccountQuery(query.text)
        all = query.conditioned(all, of: list, standings)
        matching = query.words.isEmpty ? all : filter.matches(query.words, among: all, of: list.searchKeys)
        (order, headings) = groups.arrange(matching)
        anchor = nil
        lettersRead = filter.lettersRead
        cursor.select(selected, count: order.count)
    }

    // MARK: The filter

    mutating func editFilter(_ key: Key) {
        let before = query.text
        guard query.handle(key), query.text != before else { return }
        cursor.reset()
        // One letter more at the end of a word can only take away: what is already out needs no second look.
        let isLonger = query.text.hasPrefix(before) && !before.isEmpty && !query.text.contains(":")
        narrow(within: isLonger ? inTheirOrder(matching) : nil)
    }

    /// Matches come best first; the next look wants them as they were sorted.
    private func inTheirOrder(_ places: [Int]) -> [Int] {
        let isByName = sorting == .name || sorting == .frequent && uses.isEmpty && standings.needSignIn.isEmpty
        guard !isByName else { return places.sorted() }
        let kept = Set(places)
        return sorted.filter(kept.contains)
    }

    mutating func startFilter() { isFiltering = true }
    mutating func keepFilter() { isFiltering = false }

    /// Changes what is seen; the selection stays on its account.
    private mutating func rearrange(_ change: (inout AccountPicker) -> Void) {
        let kept = place
        change(&self)
        narrow()
        select(kept)
    }

    /// First the filter goes, then the client.
    mutating func clear() {
        rearrange {
            if $0.hasFilterLine { $0.query = TextField() } else { $0.clientInView = nil }
            $0.isFiltering = false
        }
    }

    mutating func cycleClient(in context: Context) {
        rearrange {
            let index = $0.clientInView.flatMap($0.clients.firstIndex(of:)).map { $0 + 1 } ?? 0
            $0.clientInView = index < $0.clients.count ? $0.clients[index] : nil
            // Each client has credentials of its own.
            $0.standings = AccountStandings($0.accounts.map { _ in nil }, of: $0.accounts, context.clock)
            $0.turn = DecisionTurn(left: $0.accounts.count)
            if $0.isDecidedHere { $0.decideAll(in: context) }
        }
    }

    /// The next order.
    mutating func cycleSorting() {
        rearrange {
            $0.sorting = $0.sorting.next
            $0.sort()
        }
    }

    /// The next kind of headings.
    mutating func cycleGrouping() {
        rearrange {
            $0.grouping = $0.grouping.next
            // One store is no grouping.
            if $0.grouping == .store, $0.accounts.allSatisfy({ $0.store == nil }) { $0.grouping = $0.grouping.next }
            $0.groups = AccountGroups($0.list, by: $0.grouping)
        }
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

    // MARK: The mark in the list

    mutating func move(_ command: Command, page: Int) { cursor.move(command, count: order.count, page: page) }

    /// Selects the account in this row of the list; a heading cannot be selected.
    mutating func choose(row: Int) {
        if case .account(let place) = self.row(at: row) { cursor.select(place, count: order.count) }
    }

    /// Its heading, too, where it stands right above.
    private var rowsAbove: Int { heading(of: selected)?.start == selected ? 1 : 0 }

    mutating func fit(_ extent: Face.ListExtent) {
        cursor.show(row(of: selected), above: rowsAbove, of: rowCount, rows: extent.rows)
    }

    /// Where the list begins when `rows` rows are drawn and the selection must be among them.
    package func firstRow(rows: Int) -> Int {
        cursor.firstRow(showing: row(of: selected), above: rowsAbove, of: rowCount, rows: rows)
    }
}
