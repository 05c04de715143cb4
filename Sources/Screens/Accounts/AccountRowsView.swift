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
        enum Column { case account, name, tenant, client, resource, status, lastUse, store }

        let width: Int
        /// In the order of the screen.
        private(set) var columns: [(column: Column, start: Int, width: Int)] = []

        /// The width of the account column.
        var account: Int { width(of: .account) }
        func width(of column: Column) -> Int { columns.first { $0.column == column }?.width ?? 0 }

        /// Edge, mark and sign.
        private static let marks = 4
        /// From this width on there is room for more than the account's state.
        private static let wide = 90
        /// A longer name or guest tenants' number does not keep other columns out.
        private static let mostOfAccount = 60

        /// - Parameter hasStores: whether accounts of other programs are in the list.
        init(width: Int, _ list: AccountList, hasUses: Bool) {
            self.width = width
            let isWide = width >= Self.wide
            // For `needs sign-in`.
            var widths: [Column: Int] = [.status: isWide ? 16 : 14]
            var room = width - Self.marks - (isWide ? 16 : 14)
            // Columns are added, most important first, as long as no name is truncated for them.
            var wanted: [(Column, Int)] = [(.client, 14), (.resource, 11)]
            if isWide {
                wanted += [(.name, min(20, list.longestName + 1)), (.tenant, 16)]
                wanted += [(.lastUse, hasUses ? 13 : 0), (.store, list.hasOtherStores ? 14 : 0)]
            }
            let account = min(list.longestLabel + 1, Self.mostOfAccount)
            for (column, columns) in wanted where columns > 2 && width >= 52 && room - columns >= account {
                widths[column] = columns
                room -= columns
            }
            // Columns that are left go to names; on a wide screen all share them.
            let extra = isWide ? max(0, room - account - 10) : 0
            let sharing = [Column.name, .tenant, .client, .resource].filter { widths[$0] != nil }
            for column in sharing { widths[column, default: 0] += min(10, extra / max(1, sharing.count)) }
            widths[.account] = isWide ? min(max(8, room), account + 10) : max(8, room)
            var start = Self.marks
            for column in [Column.account, .name, .tenant, .client, .resource, .status, .lastUse, .store] {
                guard let columns = widths[column] else { continue }
                self.columns.append((column, start, columns))
                start += columns
            }
        }
    }

    private static func title(_ column: ColumnPlan.Column) -> String {
        switch column {
        case .account: "account"
        case .name: "name"
        case .tenant: "tenant"
        case .client: "client"
        case .resource: "gets"
        case .status: "access token"
        case .lastUse: "last used"
        case .store: "store"
        }
    }

    func drawColumnNames(_ plan: ColumnPlan, in grid: inout Grid, _ area: Rect) {
        for (column, start, width) in plan.columns {
            grid.put(
                Self.title(column), at: area.at(row: 0, column: start), style: .role(.label), width: width - 1)
        }
    }

    func drawRows(_ rows: Range<Int>, _ plan: ColumnPlan, on grid: inout Grid, _ area: Rect) {
        let places = rows.map { row in if case .account(let place) = picker.row(at: row) { place } else { Int?.none } }
        let glyphs = grid.glyphs
        let tags = places.map { place in
            place.map { place in
                tag(of: picker.order[place], beside: clientShown(place, plan), plan)
            } ?? ""
        }
        // A tag takes its room from the name, but leaves it its beginning.
        let taken = tags.map { $0.isEmpty ? 0 : min(DisplayWidth.columns($0) + 1, max(0, plan.account - 1 - 12)) }
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
    /// of guest tenants. Text of the name or of another column is not repeated.
    ///
    /// - Parameter client: the name in the client column, which marks those of another program's store.
    private func tag(of index: Int, beside client: @autoclosure () -> String, _ plan: ColumnPlan) -> String {
        let overview = picker.accounts[index]
        let known = picker.list.distinction(of: index)
        func isSaid(_ text: String?) -> Bool { text?.isSameIgnoringCase(as: known) == true }
        // Most accounts have no tag, so the other columns are not looked up for them.
        let distinction = known.isEmpty || isSaid(overview.account.domain) || isSaid(client()) ? "" : known
        var program = ""
        if let store = overview.store, plan.width(of: .store) == 0, store.program != distinction,
            store.program != client()
        {
            program = "in " + store.program
        }
        let guests = overview.account.tenantProfiles.count { !$0.isHome }
        let whole = [distinction, program, guests > 0 ? "+" + counted(guests, "guest") : ""].filter { !$0.isEmpty }
            .joined(by: " ")
        let fits = overview.account.label.utf8.count + 1 + whole.utf8.count <= plan.account - 1
        return fits ? whole : distinction
    }

    private func clientShown(_ place: Int, _ plan: ColumnPlan) -> String {
        guard plan.width(of: .client) > 0 else { return "" }
        return context.client(shownFor: picker.accounts[picker.order[place]])
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
        let shown = picker.status(at: position, in: context)
        let status = AccountStatusLabel(shown.status, clock: context.clock)
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
        for (column, start, width) in plan.columns {
            func put(_ text: String, _ role: Role = .muted) -> Int {
                grid.put(text, at: at(start), style: style(role), width: width - 1)
            }
            switch column {
            case .account: break
            case .name: _ = put(overview.account.name ?? "")
            case .tenant: _ = put(context.homeTenant(of: overview.account))
            case .client:
                let client = clientShown(position, plan)
                let used = put(client)
                highlight(client, at: at(start), width: used, in: &grid)
                guard overview.store != nil else { break }
                let end = at(start + min(used, width - 2))
                grid.put(grid.glyphs.foreign, at: end, style: style(.muted), width: 1)
            case .resource: _ = put(shown.resource)
            case .status: _ = put(status.word, status.wordTone.role)
            case .lastUse:
                let last = context.uses.use(of: overview.account.id)?.at
                _ = put(last.map(context.clock.relative) ?? "")
            case .store: _ = put(overview.store?.program ?? "foyer")
            }
        }
    }

    /// Explains the mark of other programs' accounts in the last row, if the list leaves it free.
    func drawForeignNote(_ plan: ColumnPlan, below rows: Int, in grid: inout Grid, _ area: Rect) {
        guard picker.list.hasOtherStores, plan.width(of: .client) > 0, rows < area.rows - 1 else { return }
        grid.put(
            grid.glyphs.foreign + " in another program's store", at: area.at(row: area.rows - 1, column: 4),
            style: .role(.muted), width: plan.width - 5)
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
        let call = context.plannedCall(overview)
        grid.hline(at: area.origin, length: area.columns)
        grid.put(" \(account.label) ", at: area.at(row: 0, column: 1), style: .role(.emphasis), width: area.columns - 4)
        let status = AccountStatusLabel(picker.status(at: picker.selected, in: context).status, clock: context.clock)
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
