import Identity
import Terminal

// The picker's picture: title, filter, list, and the selected account's details beside or below.
extension State {
    /// How the room is divided; update needs the same figures for paging.
    private struct Layout {
        var filter: Rect?
        var columns: Rect?
        var list: Rect
        /// Below the list, one to four rows.
        var summary: Rect
        /// Beside it, where the screen is wide.
        var details: Rect?

        init(_ size: Size, hasFilter: Bool) {
            var body = State.body(of: size)
            if hasFilter { (filter, body) = body.splitTop(1) }
            if size.columns >= 110 {
                // A tenant's identifier fits beside its label.
                let parts = body.splitRight(min(72, size.columns * 2 / 5 + 4))
                details = parts.right
                body = parts.rest
            }
            let rows = details != nil ? 0 : size.rows >= 20 ? 4 : size.rows >= 14 ? 3 : 1
            (body, summary) = body.splitBottom(rows)
            if size.rows >= 14 { (columns, body) = body.splitTop(1) }
            list = body
        }
    }

    private func layout(_ size: Size) -> Layout { Layout(size, hasFilter: picker.hasFilterLine) }

    /// Where the accounts are drawn.
    var listArea: Rect { layout(size).list }

    /// How many accounts fit.
    var listRows: Int { max(1, layout(size).list.rows) }

    func drawPicker(in grid: inout Grid) {
        let layout = layout(grid.size)
        drawHeader(pickerTitle, in: &grid)
        if let filter = layout.filter { drawFilter(in: &grid, filter) }
        let list = layout.list
        if let words = emptyWords {
            var sheet = Sheet(width: list.columns - 4, glyphs: grid.glyphs)
            for (text, role) in words { sheet.text(text, role) }
            let area = Rect(
                row: list.row, column: list.column, rows: list.rows + layout.summary.rows, columns: list.columns)
            grid.draw(sheet, in: area.inset(rows: area.rows > 6 ? 1 : 0, columns: 2), scroll: 0)
            if !picker.isFiltering { grid.cursor = list.at(row: 0) }
            return
        }
        let plan = ColumnPlan(width: list.columns, showsClients: true)
        if let columns = layout.columns { drawColumnNames(plan, in: &grid, columns) }
        let first = picker.firstRow(rows: list.rows)
        for offset in 0..<min(list.rows, picker.rowCount - first) {
            switch picker.row(at: first + offset) {
            case .heading(let heading): drawHeading(heading, plan, in: &grid, list.at(row: offset))
            case .account(let place): drawRow(place, plan, in: &grid, list.at(row: offset))
            case nil: break
            }
        }
        if !picker.isFiltering { grid.cursor = list.at(row: picker.row(of: picker.selected) - first) }
        guard let overview = selectedAccount else { return }
        if let details = layout.details {
            grid.vline(at: details.origin, length: details.rows)
            let inner = Rect(
                row: details.row, column: details.column + 2, rows: details.rows, columns: details.columns - 3)
            grid.draw(self.details(overview, width: inner.columns, glyphs: grid.glyphs), in: inner, scroll: 0)
        } else {
            drawSummary(overview, in: &grid, layout.summary)
        }
    }

    private var pickerTitle: String {
        let total = picker.accounts.count
        let shown = picker.matchCount
        let marked = picker.marked.isEmpty ? "" : "\(picker.marked.count) marked of "
        let count = marked + (shown == total ? counted(total, "account") : "\(shown) of \(counted(total, "account"))")
        switch store {
        case .loading where total == 0: return "accounts"
        case .failed: return "accounts"
        case .loading, .loaded: break
        }
        return count + (picker.clientInView.map { " of " + context.clientName($0) } ?? "")
            + (picker.grouping.words.map { ", " + $0 } ?? "") + (picker.sorting.words.map { ", " + $0 } ?? "")
            + (store == .loading ? ", reading the store" : "")
    }

    /// What stands where the list would be.
    private var emptyWords: [(String, Role)]? {
        if case .failed(let message, let hint) = store {
            return [("the store cannot be used: " + message, .danger)] + (hint.map { [($0, Role.text)] } ?? []) + [
                ("r tries again", .muted)
            ]
        }
        if picker.accounts.isEmpty {
            if store == .loading { return [("reading the store", .muted)] }
            return [
                ("nobody is signed in here", .emphasis),
                (context.isReadOnly ? "this view only reads" : "a signs in", .text),
                ("\"foyer demo\" shows everything with made-up accounts", .muted),
            ]
        }
        if picker.order.isEmpty { return [("no account matches", .emphasis), ("Esc shows all", .muted)] }
        return nil
    }

    private func drawFilter(in grid: inout Grid, _ area: Rect) {
        let label = " filter: "
        let used = grid.put(label, at: area.origin, style: .role(.label))
        let count = "\(picker.matchCount) "
        let width = max(4, area.columns - used - count.count - 1)
        let cursor = picker.query.draw(
            in: &grid, at: area.at(row: 0, column: used), width: width,
            placeholder: "name, tenant, client or identifier",
            isFocused: picker.isFiltering)
        grid.putRight(count, at: area.at(row: 0, column: 0), style: .role(.muted), width: area.columns)
        if picker.isFiltering { grid.cursor = cursor }
    }

    // MARK: Rows

    /// Which columns there are, and how wide.
    private struct ColumnPlan {
        var username: Int
        var name = 0
        var tenant = 0
        var clients = 0
        var word = 15
        var expiry = 0

        /// Pointer, mark and glyph take four.
        var width: Int { 4 + word + username + name + tenant + clients + expiry }

        init(width: Int, showsClients: Bool) {
            var left = width - 4
            if width < 56 {
                word = 0
                expiry = 14
                username = max(8, left - 15)
                return
            }
            expiry = 13
            left -= word + expiry
            switch left {
            case ..<44:
                tenant = left >= 34 ? 15 : 0
                username = left - tenant
            case ..<80:
                name = 13
                tenant = left >= 48 ? 11 : 0
                username = left - name - tenant
            default:
                name = 20
                tenant = 18
                clients = showsClients ? min(28, left - 66) : 0
                username = left - name - tenant - clients
            }
        }
    }

    private func drawColumnNames(_ plan: ColumnPlan, in grid: inout Grid, _ area: Rect) {
        var column = 4
        for (title, width) in [
            ("state", plan.word), ("account", plan.username), ("name", plan.name), ("tenant", plan.tenant),
            ("clients", plan.clients),
            (plan.word == 0 ? "state" : "ends", plan.expiry),
        ] where width > 0 {
            grid.put(title, at: area.at(row: 0, column: column), style: .role(.label), width: width - 1)
            column += width
        }
    }

    private func drawHeading(
        _ heading: AccountGroups.Heading, _ plan: ColumnPlan, in grid: inout Grid, _ place: Position
    ) {
        let group = picker.groups.groups[heading.group]
        let detail = group.detail.isEmpty ? "" : "  " + group.detail
        let count = "  \(heading.count)"
        let title = grid.glyphs.expanded + " " + SafeText.line(group.title, glyphs: grid.glyphs, limit: 200)
        let width = plan.width - DisplayWidth.columns(count)
        grid.put([Span(title, .title, bold: true), Span(detail, .muted)], at: place, width: width)
        let used = min(width, DisplayWidth.columns(title + detail))
        grid.put(
            count, at: Position(row: place.row, column: place.column + used), style: .role(.muted),
            width: plan.width - used)
    }

    private func drawRow(_ position: Int, _ plan: ColumnPlan, in grid: inout Grid, _ place: Position) {
        let overview = picker.accounts[picker.order[position]]
        let isSelected = position == picker.selected
        let account = overview.account
        let standing = Standing(overview, clientID: picker.client(at: position), clock: clock, glyphs: grid.glyphs)
        let width = plan.width
        let ground: Style = isSelected ? .role(.selection) : .text
        if isSelected {
            grid.fill(Rect(row: place.row, column: place.column, rows: 1, columns: width), style: ground)
            grid.put(grid.glyphs.pointer, at: place, style: ground, width: 1)
        }
        func style(_ role: Role) -> Style { isSelected ? ground : .role(role) }
        if picker.marked.contains(overview.id) {
            grid.put(
                grid.glyphs.check, at: Position(row: place.row, column: place.column + 1), style: style(.emphasis),
                width: 1)
        }
        grid.put(
            standing.glyph, at: Position(row: place.row, column: place.column + 2), style: style(standing.role),
            width: 1)
        var column = place.column + 4
        let end = standing.ends
        // Whose store it is in matters more than the person's name, which the details tell.
        let elsewhere = overview.store.map { "in " + $0.program }
        let cells: [(text: String, width: Int, role: Role, isSearched: Bool)] = [
            (standing.word, plan.word, standing.role, false),
            (
                plan.name + plan.tenant == 0 ? account.label + (elsewhere.map { " " + $0 } ?? "") : account.label,
                plan.username, .text, true
            ),
            (elsewhere ?? account.name ?? "", plan.name, elsewhere == nil ? .muted : .info, true),
            (
                plan.name == 0 && elsewhere != nil
                    ? elsewhere ?? "" : tenantWords(account, columns: plan.tenant - 1, glyphs: grid.glyphs),
                plan.tenant, .muted, true
            ),
            (account.clients.map(context.clientName).joined(separator: ", "), plan.clients, .muted, true),
            (plan.word == 0 ? standing.shortWord : end, plan.expiry, plan.word == 0 ? standing.role : .muted, false),
        ]
        for cell in cells where cell.width > 0 {
            let at = Position(row: place.row, column: column)
            let used = grid.put(cell.text, at: at, style: style(cell.role), width: cell.width - 1)
            if cell.isSearched { highlight(cell.text, at: at, width: used, in: &grid) }
            column += cell.width
        }
    }

    private func highlight(_ text: String, at place: Position, width: Int, in grid: inout Grid) {
        guard !picker.query.isEmpty else { return }
        let shown = SafeText.line(text, glyphs: grid.glyphs)
        // Where the text was cut, its last column is the ellipsis.
        let room = DisplayWidth.columns(shown) > width ? width - DisplayWidth.columns(grid.glyphs.ellipsis) : width
        for columns in AccountFilter.matchedColumns(picker.query.text, in: shown) where columns.upperBound <= room {
            grid.restyle(
                Rect(row: place.row, column: place.column + columns.lowerBound, rows: 1, columns: columns.count),
                style: .role(.match))
        }
    }

    /// The home tenant by the username's domain, as its own name is not in any cache; the others as a number.
    private func tenantWords(_ account: Account, columns: Int, glyphs: Glyphs) -> String {
        let guests = account.tenantProfiles.count { !$0.isHome }
        let first = account.domain ?? account.homeTenantID.map(shortened) ?? account.provider
        guard guests > 0 else { return first }
        let suffix = " +\(guests)"
        return DisplayWidth.clip(
            SafeText.line(first, glyphs: glyphs), columns: columns - suffix.count, ellipsis: glyphs.ellipsis) + suffix
    }

    private func drawSummary(_ overview: AccountOverview, in grid: inout Grid, _ area: Rect) {
        guard !area.isEmpty else { return }
        var sheet = Sheet(width: area.columns - 2, glyphs: grid.glyphs)
        let account = overview.account
        let forecast = forecast(overview)
        let next =
            storeWords(overview) ?? forecast.map { "Enter \($0.what)" + ($0.why.isEmpty ? "" : ": " + $0.why) }
            ?? "no client is known for this account"
        guard area.rows > 1 else {
            sheet.row([Span(next, .muted)])
            grid.draw(sheet, in: area.inset(rows: 0, columns: 1), scroll: 0)
            return
        }
        grid.hline(at: area.origin, length: area.columns)
        sheet.row([
            Span(account.label, .emphasis), Span("  " + (account.name ?? "")),
            Span("  " + counted(max(1, account.tenantProfiles.count), "tenant") + " at \(account.provider)", .muted),
        ])
        let clients = account.clients.map(context.clientName).joined(separator: ", ")
        if area.rows > 3 { sheet.row([Span("clients ", .label), Span(clients.isEmpty ? "none" : clients)]) }
        sheet.row([Span(next + (forecast.map { " (\(context.clientName($0.clientID)))" } ?? ""), .muted)])
        grid.draw(
            sheet, in: Rect(row: area.row + 1, column: area.column + 1, rows: area.rows - 1, columns: area.columns - 2),
            scroll: 0)
    }
}
