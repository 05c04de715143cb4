import AppModel
import Console
import Identity
import Keys
import Terminal

// The rows of the list, and the summary below it.
extension AccountPickerView {
    // MARK: Rows

    /// The columns and their widths.
    struct ColumnPlan {
        /// For `23 h 52 min`, and a space.
        static let status = 14
        let width: Int
        var account: Int
        var client = 0

        /// Edge, mark and sign take four columns.
        ///
        /// - Parameter longest: the list's longest name; the client column is left out before a name is truncated.
        init(width: Int, longest: Int) {
            self.width = width
            account = max(8, width - 4 - Self.status)
            let wanted = width >= 90 ? 24 : 14
            if width >= 52, account - wanted >= min(longest + 2, 60) {
                client = wanted
                account -= wanted
            }
        }
    }

    func drawColumnNames(_ plan: ColumnPlan, in grid: inout Grid, _ area: Rect) {
        var column = 4
        for (title, width) in [
            ("account", plan.account), ("client", plan.client), ("access token", ColumnPlan.status),
        ] where width > 0 {
            grid.put(title, at: area.at(row: 0, column: column), style: .role(.label), width: width - 1)
            column += width
        }
    }

    func drawRows(_ rows: Range<Int>, _ plan: ColumnPlan, on grid: inout Grid, _ area: Rect) {
        let places = rows.map { row in if case .account(let place) = picker.row(at: row) { place } else { Int?.none } }
        let glyphs = grid.glyphs
        let tags = places.map { place in
            place.map { place in
                tag(of: picker.order[place], beside: clientShown(place, plan, context), plan.account - 1)
            } ?? ""
        }
        // A tag takes its room from the name.
        let taken = tags.map { $0.isEmpty ? 0 : DisplayWidth.columns($0) + 1 }
        let labels = places.map { place in
            place.map { SafeText.line(picker.accounts[picker.order[$0]].account.label, glyphs: glyphs) } ?? ""
        }
        // Skip truncation if all names fit.
        let fits = picker.list.longestLabel <= plan.account - 1
        let cut =
            fits ? labels : MiddleTruncation.distinct(labels, columns: plan.account - 1, ellipsis: glyphs.ellipsis)
        let names = cut.indices.map { index in
            taken[index] == 0
                ? cut[index]
                : MiddleTruncation.cut(
                    labels[index], columns: plan.account - 1 - taken[index], ellipsis: glyphs.ellipsis)
        }
        for (offset, row) in rows.enumerated() {
            switch picker.row(at: row) {
            case .heading(let heading): drawHeading(heading, plan, in: &grid, area.at(row: offset))
            case .account(let place):
                drawRow(place, names[offset], tags[offset], plan, on: &grid, area.at(row: offset))
            case nil: break
            }
        }
    }

    /// The tag after a name: what distinguishes it from the same name; and if there is room, its store and the number
    /// of guest tenants.
    ///
    /// - Parameter client: the text of the client column, not repeated here. The store's program is shown even if
    ///   equal, because a client can have a program's name.
    private func tag(of index: Int, beside client: @autoclosure () -> String, _ room: Int) -> String {
        let overview = picker.accounts[index]
        let known = picker.list.distinction(of: index)
        let isSaid = !known.isEmpty && overview.store == nil && known == client()
        let distinction = isSaid ? "" : known
        let program = overview.store.map { $0.program == distinction ? "" : "in " + $0.program } ?? ""
        let guests = overview.account.tenantProfiles.count { !$0.isHome }
        let whole = [distinction, program, guests > 0 ? "+" + counted(guests, "guest") : ""].filter { !$0.isEmpty }
            .joined(by: " ")
        let fits = overview.account.label.utf8.count + 1 + whole.utf8.count <= room
        return fits ? whole : distinction
    }

    private func clientShown(_ place: Int, _ plan: ColumnPlan, _ context: Context) -> String {
        guard plan.client > 0 else { return "" }
        return context.client(shownFor: picker.accounts[picker.order[place]], clientID: picker.client(at: place))
    }

    func drawHeading(_ heading: AccountGroups.Heading, _ plan: ColumnPlan, in grid: inout Grid, _ place: Position) {
        let group = picker.groups.groups[heading.group]
        let detail = group.detail.isEmpty ? "" : "  " + group.detail
        let count = "  \(heading.count)"
        let title = grid.glyphs.expanded + " " + SafeText.line(group.title, glyphs: grid.glyphs, limit: 200)
        let width = plan.width - DisplayWidth.columns(count)
        grid.put([CellSpan(title, .title, bold: true), CellSpan(detail, .muted)], at: place, width: width)
        let used = min(width, DisplayWidth.columns(title + detail))
        grid.put(count, at: place.moved(used), style: .role(.muted), width: plan.width - used)
    }

    private func drawRow(
        _ position: Int, _ name: String, _ tag: String, _ plan: ColumnPlan, on grid: inout Grid, _ place: Position
    ) {
        let overview = picker.accounts[picker.order[position]]
        let isSelected = position == picker.selected
        let clientID = picker.client(at: position)
        let status = AccountStatusLabel(picker.status(at: position, in: context), clock: context.clock)
        let style = grid.ground(isSelected, at: place, width: plan.width)
        let at = place.moved
        if picker.marked.contains(overview.id) {
            grid.put(grid.glyphs.check, at: at(1), style: style(.emphasis), width: 1)
        }
        grid.put(status.sign.glyph(grid.glyphs), at: at(2), style: style(status.tone.role), width: 1)
        let used = grid.put(name, at: at(4), style: style(isSelected ? .emphasis : .text), width: plan.account - 1)
        highlight(name, at: at(4), width: used, in: &grid)
        if !tag.isEmpty {
            grid.put(tag, at: at(5 + used), style: style(.muted), width: max(0, plan.account - 2 - used))
        }
        if plan.client > 0 {
            let client = context.client(shownFor: overview, clientID: clientID)
            let shown = grid.put(client, at: at(4 + plan.account), style: style(.muted), width: plan.client - 1)
            highlight(client, at: at(4 + plan.account), width: shown, in: &grid)
        }
        grid.put(
            status.word, at: at(4 + plan.account + plan.client), style: style(status.wordTone.role),
            width: min(ColumnPlan.status, plan.width - 4 - plan.account - plan.client))
    }

    private func highlight(_ text: String, at place: Position, width: Int, in grid: inout Grid) {
        guard !picker.query.isEmpty else { return }
        let shown = SafeText.line(text, glyphs: grid.glyphs)
        // The last column of truncated text is the ellipsis.
        let room = DisplayWidth.columns(shown) > width ? width - DisplayWidth.columns(grid.glyphs.ellipsis) : width
        for columns in AccountFilter.matchedColumns(picker.query.text, in: shown) where columns.upperBound <= room {
            grid.restyle(
                Rect(row: place.row, column: place.column + columns.lowerBound, rows: 1, columns: columns.count),
                style: .role(.match))
        }
    }

    /// Draws the summary below the list, if there is no room for details on the right.
    func drawSummary(_ overview: AccountOverview, on grid: inout Grid, _ area: Rect) {
        guard !area.isEmpty else { return }
        let account = overview.account
        let call = picker.plannedCall(overview, in: context)
        grid.hline(at: area.origin, length: area.columns)
        grid.put(" \(account.label) ", at: area.at(row: 0, column: 1), style: .role(.emphasis), width: area.columns - 4)
        let status = AccountStatusLabel(picker.status(at: picker.selected, in: context), clock: context.clock)
        let scopes = call?.scopeNames ?? ""
        let next: [CellSpan] = [
            CellSpan(status.sign.glyph(grid.glyphs) + " ", status.tone.role),
            CellSpan(picker.next(overview, call, in: context)), CellSpan("  " + scopes, .muted),
        ]
        let tenants = account.tenantProfiles.map { profile in
            context.tenantName(profile.tenantID, of: account) + (profile.isHome ? "" : " guest")
        }
        let about: [CellSpan] = [
            CellSpan(account.name ?? account.label),
            CellSpan("  " + (tenants.isEmpty ? account.provider : Array(tenants.prefix(3)).joined(by: ", ")), .muted),
        ]
        for (offset, row) in [next, about].prefix(area.rows - 1).enumerated() {
            grid.put(row, at: area.at(row: offset + 1, column: 1), width: area.columns - 2)
        }
    }
}
