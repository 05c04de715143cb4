import AppModel
import Identity
import Keys
import Terminal

// The rows of the list, and the summary below it.
extension AccountPickerView {
    // MARK: Rows

    /// Which columns there are, and how wide.
    struct ColumnPlan {
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

    func drawColumnNames(_ plan: ColumnPlan, in grid: inout Grid, _ area: Rect) {
        var column = 4
        for (title, width) in [
            ("state", plan.word), ("account", plan.username), ("name", plan.name), ("tenant", plan.tenant),
            ("clients", plan.clients),
            (plan.word == 0 ? "state" : "expires", plan.expiry),
        ] where width > 0 {
            grid.put(title, at: area.at(row: 0, column: column), style: .role(.label), width: width - 1)
            column += width
        }
    }

    func drawHeading(_ heading: AccountGroups.Heading, _ plan: ColumnPlan, in grid: inout Grid, _ place: Position) {
        let group = picker.groups.groups[heading.group]
        let detail = group.detail.isEmpty ? "" : "  " + group.detail
        let count = "  \(heading.count)"
        let title = grid.glyphs.expanded + " " + SafeText.line(group.title, glyphs: grid.glyphs, limit: 200)
        let width = plan.width - DisplayWidth.columns(count)
        grid.put([CellSpan(title, .title, bold: true), CellSpan(detail, .muted)], at: place, width: width)
        let used = min(width, DisplayWidth.columns(title + detail))
        grid.put(
            count, at: Position(row: place.row, column: place.column + used), style: .role(.muted),
            width: plan.width - used)
    }

    func drawRow(_ position: Int, _ plan: ColumnPlan, in context: Context, on grid: inout Grid, _ place: Position) {
        let overview = picker.accounts[picker.order[position]]
        let isSelected = position == picker.selected
        let account = overview.account
        let status = AccountStatusLabel(overview, clientID: picker.client(at: position), clock: context.clock)
        let width = plan.width
        let style = grid.ground(isSelected, at: place, width: width)
        if picker.marked.contains(overview.id) {
            grid.put(
                grid.glyphs.check, at: Position(row: place.row, column: place.column + 1), style: style(.emphasis),
                width: 1)
        }
        grid.put(
            status.sign.glyph(grid.glyphs), at: Position(row: place.row, column: place.column + 2),
            style: style(status.tone.role), width: 1
        )
        var column = place.column + 4
        let end = status.expires
        // Whose store it is in matters more than the person's name, which the details tell.
        let elsewhere = overview.store.map { "in " + $0.program }
        let cells: [(text: String, width: Int, role: Role, isSearched: Bool)] = [
            (status.word, plan.word, status.tone.role, false),
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
            (plan.word == 0 ? status.shortWord : end, plan.expiry, plan.word == 0 ? status.tone.role : .muted, false),
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

    func drawSummary(_ overview: AccountOverview, in context: Context, on grid: inout Grid, _ area: Rect) {
        guard !area.isEmpty else { return }
        var rows: [[CellSpan]] = []
        let account = overview.account
        let call = picker.plannedCall(overview, in: context)
        let next = picker.next(overview, call, in: context)
        guard area.rows > 1 else {
            grid.put([CellSpan(next, .muted)], at: area.at(row: 0, column: 1), width: area.columns - 2)
            return
        }
        grid.hline(at: area.origin, length: area.columns)
        rows.append([
            CellSpan(account.label, .emphasis), CellSpan("  " + (account.name ?? "")),
            CellSpan(
                "  " + counted(max(1, account.tenantProfiles.count), "tenant") + " at \(account.provider)", .muted),
        ])
        let clients = account.clients.map(context.clientName).joined(separator: ", ")
        if area.rows > 3 { rows.append([CellSpan("clients ", .label), CellSpan(clients.isEmpty ? "none" : clients)]) }
        rows.append([CellSpan(next + (call.map { " (\(context.clientName($0.clientID)))" } ?? ""), .muted)])
        for (offset, row) in rows.prefix(area.rows - 1).enumerated() {
            grid.put(row, at: area.at(row: offset + 1, column: 1), width: area.columns - 2)
        }
    }
}
