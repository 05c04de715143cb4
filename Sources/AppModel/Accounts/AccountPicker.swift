import FoundationEssentials
package import Identity
import Keys

package struct AccountPicker: Equatable, Sendable {
    package private(set) var list = AccountList.empty
    /// The menu shown while there are no accounts.
    package internal(set) var firstRun = FirstRun()
    /// Indexes into `accounts` in the chosen order.
    private var sorted: [Int] = []
    /// Indexes into `accounts` of those that match, without duplicates.
    private var matching: [Int] = []
    /// Indexes into `accounts` of the visible rows. Stored, so drawing costs only the rows on the screen.
    package private(set) var order: [Int] = []
    /// A position in `order`; its first row includes the headings.
    package private(set) var cursor = ListCursor()
    package private(set) var query = TextField()
    package internal(set) var isFiltering = false
    package var scroll = 0
    /// The name of the only client whose rows are shown.
    private(set) var clientInView: String?
    package private(set) var sorting = AccountSorting.frequent
    package private(set) var grouping = AccountGrouping.none
    package private(set) var groups = AccountGroups()
    /// The headings by their position in `order`, the first at zero; empty without grouping.
    package private(set) var headings: [AccountGroups.Heading] = []
    package private(set) var marked: Set<AccountOverview.ID> = []
    /// The last marked position: the other end of a range.
    private var anchor: Int?
    /// A long range that the next press of the key marks.
    var confirmedRange: ClosedRange<Int>?
    /// Usage of each account when the interface was opened, so rows do not move while the user works.
    let uses: AccountUses
    private let openedAt: Date
    /// An account that has just signed in, to be selected once it is loaded.
    private var wanted: AccountOverview.ID?
    private(set) var standings = AccountStatuses()
    /// None before the first frame, which does not wait for the programs' record.
    private var programs = AccountPrograms()
    /// Rows of the list on the screen.
    private var rows = 0
    private var turn = DecisionTurn()
    private var decidedAt = Date.distantPast
    private(set) var lettersRead = 0

    init(uses: AccountUses, openedAt: Date) { (self.uses, self.openedAt) = (uses, openedAt) }

    /// Sorted by name.
    package var accounts: [AccountOverview] { list.accounts }
    /// The names of all clients, most common first.
    package var clients: [String] { list.clients }
    /// The number of accounts, each once; it can have several rows.
    package var accountCount: Int { list.accountCount }
    /// The number of accounts that match, each once.
    package private(set) var matchCount = 0
    var isNarrowed: Bool { !query.isEmpty || clientInView != nil }
    package var hasFilterLine: Bool { isFiltering || !query.isEmpty }
    package var selected: Int { cursor.selected }
    package var selectedAccount: AccountOverview? { order.indices.contains(selected) ? accounts[order[selected]] : nil }

    /// Shows a new read of the store; the selection stays on its account.
    mutating func show(_ new: AccountList, in context: Context) {
        let kept = place
        let isSame = list.isSameReading(as: new)
        let before = list
        list = new
        if let clientInView, !clients.contains(clientInView) { self.clientInView = nil }
        if isDecidedHere {
            decideAll(in: context)
        } else if !isSame {
            // Accounts keep their previous status until they are decided again.
            let known = Dictionary(
                zip(before.accounts.map(\.id), standings.statuses), uniquingKeysWith: { first, _ in first })
            standings = AccountStatuses(accounts.map { known[$0.id] ?? nil }, of: accounts, context.clock)
            turn = DecisionTurn(left: accounts.count)
        }
        rows = context.list.rows
        groups = AccountGroups(list, by: grouping)
        sort()
        if !marked.isEmpty { marked.formIntersection(accounts.map(\.id)) }
        narrow()
        select(kept)
        // Enter applies to the most used account even if others need sign-in.
        if kept == nil, let first = order.firstIndex(where: { !standings.needsSignIn($0) }) {
            cursor.select(first, count: order.count)
        }
        if let wanted { show(wanted) }
        wanted = nil
    }

    // MARK: How they stand

    /// Above this number, accounts are decided in the background: one slice at a time, later a few at intervals.
    private static let (mostDecidedHere, slice, few) = (50, 250, 25)
    /// Seconds between later decisions: only the passing of time changes a status then.
    private static let pause: TimeInterval = 5
    /// A longer range is marked only after a second press.
    private static let longestRange = 50
    /// Below this number of rows there is no room for headings that the user did not ask for.
    private static let fewRows = 10
    private var isDecidedHere: Bool { accounts.count <= Self.mostDecidedHere || list.planner == nil }

    /// The status of the account at a position; decided immediately if it is drawn before its turn.
    package func status(at position: Int, in context: Context) -> RowStatus {
        let place = order[position]
        guard let status = standings.statuses[place] else { return context.status(accounts[place]) }
        return context.noting(status, accounts[place])
    }

    private mutating func decideAll(in context: Context) {
        decidedAt = context.now
        standings = AccountStatuses(accounts.map { context.status($0) }, of: accounts, context.clock)
    }

    /// Whether accounts are listed under "Needs you", "Ready" and a heading for those of other programs.
    private var isByNeed: Bool { grouping == .none && sorting == .frequent && rows >= Self.fewRows }

    /// Decides visible accounts and some of the others in turn. The order is kept until the store is read again.
    mutating func decideSome(in context: Context) -> [Action] {
        guard !isDecidedHere else {
            guard abs(context.now.timeIntervalSince(decidedAt)) >= Self.pause else { return [] }
            let before = standings
            decideAll(in: context)
            // A row is under the heading that it belongs to.
            if isByNeed, !standings.isOfSameNeed(as: before) { rearrange { $0.sort() } }
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
                    StatusesRequest(
                        planner: planner, places: places, accounts: chosen,
                        uses: chosen.map { context.use(of: $0) }, now: context.now)))
        ]
    }

    /// Stores decided statuses; sorts once every account has one.
    mutating func take(_ decided: [RowStatus], of request: StatusesRequest, in context: Context) -> [Action] {
        guard request.planner == list.planner else { return [] }
        var statuses = standings.statuses
        for (number, status) in decided.enumerated() {
            statuses[request.places[number]] = context.noting(status, request.accounts[number])
        }
        standings = AccountStatuses(statuses, of: accounts, context.clock)
        turn.isWaiting = false
        if turn.left > 0 { return decideSome(in: context) }
        if turn.isLast { rearrange { $0.sort() } }
        return []
    }

    /// In the default order, accounts that need sign-in come first, those that need it in another program last.
    private mutating func sort() {
        sorted = sorting.order(of: accounts, uses: uses, at: openedAt)
        let (needy, elsewhere) = (standings.needSignIn, standings.needSignInElsewhere)
        if sorting == .frequent, !needy.isEmpty || !elsewhere.isEmpty {
            sorted =
                sorted.filter(needy.contains) + sorted.filter { !needy.contains($0) && !elsewhere.contains($0) }
                + sorted.filter(elsewhere.contains)
        }
        if grouping == .none { groups = isByNeed ? AccountGroups(standings, of: accounts) : AccountGroups() }
    }

    mutating func want(_ id: AccountOverview.ID) { wanted = id }

    /// Selects the account if it is loaded, and clears a filter that hides it.
    mutating func show(_ id: AccountOverview.ID) {
        // The client can have got another name: any row of the account will do then.
        let id = accounts.contains { $0.isMeant(by: id) } ? id : id.whole
        select((id, nil))
        guard selectedAccount.map({ !$0.isMeant(by: id) }) ?? true, accounts.contains(where: { $0.isMeant(by: id) })
        else { return }
        query = TextField()
        clientInView = nil
        narrow()
        select((id, nil))
    }

    private var place: (id: AccountOverview.ID, group: String?)? {
        selectedAccount.map { ($0.id, heading(of: selected).map { groups.groups[$0.group].key }) }
    }

    private mutating func select(_ place: (id: AccountOverview.ID, group: String?)?) {
        guard let place else { return }
        // Where the row is gone, another of the account.
        let id = order.contains { accounts[$0].isMeant(by: place.id) } ? place.id : place.id.whole
        func isWanted(_ index: Int) -> Bool { accounts[index].isMeant(by: id) }
        let heading = place.group.flatMap { group in headings.first { groups.groups[$0.group].key == group } }
        let inGroup = heading.flatMap { order[$0.start..<$0.start + $0.count].firstIndex(where: isWanted) }
        if let found = inGroup ?? order.firstIndex(where: isWanted) { cursor.select(found, count: order.count) }
    }

    private mutating func narrow(within candidates: [Int]? = nil) {
        var filter = AccountFilter()
        var all = candidates ?? sorted
        if candidates == nil, let clientInView {
            all = all.filter { accounts[$0].isOf(client: clientInView, in: list) }
        }
        let query = AccountQuery(query.text)
        all = query.conditioned(all, of: list, standings, programs)
        matching = query.words.isEmpty ? all : filter.matches(query.words, among: all, of: list.searchKeys)
        matchCount = list.accountCount(of: matching)
        // Matches come best first.
        let isRanked = grouping == .none && !query.words.isEmpty
        (order, headings) = isRanked ? (matching, []) : groups.arrange(matching)
        anchor = nil
        lettersRead = filter.lettersRead
        cursor.select(selected, count: order.count)
    }

    // MARK: The filter

    mutating func editFilter(_ key: Key) {
        let before = query.text
        guard query.handle(key), query.text != before else { return }
        cursor.reset()
        // A longer word can only match fewer accounts, so only the current matches are searched.
        let isLonger = query.text.hasPrefix(before) && !before.isEmpty && !query.text.contains { ":!".contains($0) }
        narrow(within: isLonger ? inTheirOrder(matching) : nil)
    }

    /// Takes what programs used, as last recorded.
    mutating func note(_ programs: AccountPrograms) {
        defer { self.programs = programs }
        guard programs != self.programs, AccountQuery(query.text).asksForPrograms else { return }
        rearrange { $0.programs = programs }
    }

    mutating func completeFilter() {
        guard let text = AccountQuery.completed(query.text, in: list, programs) else { return }
        query = TextField(text)
        cursor.reset()
        narrow()
    }

    /// Matches come best first; the next filtering needs them in sorted order.
    private func inTheirOrder(_ places: [Int]) -> [Int] {
        let isByName =
            sorting == .name
            || sorting == .frequent && uses.isEmpty && standings.needSignIn.isEmpty
                && standings.needSignInElsewhere.isEmpty
        guard !isByName else { return places.sorted() }
        let kept = Set(places)
        return sorted.filter(kept.contains)
    }

    /// Changes the visible rows; the selection stays on its account.
    private mutating func rearrange(_ change: (inout AccountPicker) -> Void) {
        let kept = place
        change(&self)
        narrow()
        select(kept)
    }

    mutating func clear() {
        rearrange {
            if $0.hasFilterLine { $0.query = TextField() } else { $0.clientInView = nil }
            $0.isFiltering = false
        }
    }

    mutating func cycleClient() {
        rearrange { $0.clientInView = ([nil] + $0.clients).next(after: $0.clientInView) }
    }

    mutating func cycleSorting() {
        rearrange {
            $0.sorting = $0.sorting.next
            $0.sort()
        }
    }

    mutating func cycleGrouping() {
        rearrange {
            $0.grouping = $0.grouping.next
            // Skip grouping by store if there is only one.
            if $0.grouping == .store, $0.accounts.allSatisfy({ $0.store == nil }) { $0.grouping = $0.grouping.next }
            $0.groups = AccountGroups($0.list, by: $0.grouping)
            $0.sort()
        }
    }

    // MARK: Marks

    var markedAccounts: [AccountOverview] { marked.isEmpty ? [] : accounts.filter { marked.contains($0.id) } }

    mutating func mark() {
        guard let id = selectedAccount?.id else { return }
        if marked.remove(id) == nil { marked.insert(id) }
        anchor = selected
        move(.down, page: 1)
    }

    /// From the last mark to the selection; without a last mark only the selected account.
    var rangeToMark: ClosedRange<Int> {
        let start = anchor.map { min($0, order.count - 1) } ?? selected
        return min(start, selected)...max(start, selected)
    }

    /// Marks the range, a long one only when asked twice.
    ///
    /// - Returns: whether it was marked.
    mutating func markRange() -> Bool {
        let range = rangeToMark
        guard range.count <= Self.longestRange || confirmedRange == range else {
            confirmedRange = range
            return false
        }
        for place in range where accounts[order[place]].store == nil { marked.insert(accounts[order[place]].id) }
        (anchor, confirmedRange) = (selected, nil)
        return true
    }

    mutating func unmark(_ id: AccountOverview.ID? = nil) {
        anchor = nil
        if let id { marked.remove(id) } else { marked = [] }
    }

    /// The position of the next account that needs the user, after the last one again the first; nil if there is no
    /// other.
    var nextNeedingYou: Int? {
        guard standings.isAnyNeeding, order.indices.contains(selected) else { return nil }
        let others = [order.indices[(selected + 1)...], order.indices[..<selected]].joined()
        return others.first { standings.needsSignIn(order[$0]) }
    }

    mutating func selectNextNeedingYou() {
        if let nextNeedingYou { cursor.select(nextNeedingYou, count: order.count) }
    }

    // MARK: The mark in the list

    mutating func move(_ command: Command, page: Int) { cursor.move(command, count: order.count, page: page) }

    /// Selects the account in this row of the list; a heading cannot be selected.
    mutating func choose(row: Int) {
        if case .account(let place) = self.row(at: row) { cursor.select(place, count: order.count) }
    }

    /// Includes the account's heading if it is directly above.
    private var rowsAbove: Int { heading(of: selected)?.start == selected ? 1 : 0 }

    mutating func fit(_ extent: Face.ListExtent) {
        if (rows < Self.fewRows) != (extent.rows < Self.fewRows) {
            rows = extent.rows
            rearrange { $0.sort() }
        }
        rows = extent.rows
        cursor.show(row(of: selected), above: rowsAbove, of: rowCount, rows: extent.rows)
    }

    /// The first row to draw so that the selection is among `rows` rows.
    package func firstRow(rows: Int) -> Int {
        cursor.firstRow(showing: row(of: selected), above: rowsAbove, of: rowCount, rows: rows)
    }
}
