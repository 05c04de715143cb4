import Explain
import Identity
import Terminal

extension State {
    /// The text of the screen, and the rows of each choice in it.
    func consentPage(_ screen: ScopeConsent, width: Int, glyphs: Glyphs) -> (sheet: Sheet, places: [Range<Int>]) {
        var sheet = Sheet(width: width, glyphs: glyphs)
        guard let overview = overview(of: screen.account) else {
            sheet.text("this account is no longer in the store", .muted)
            return (sheet, [])
        }
        if let asked = screen.asked { addOutcome(asked, overview, to: &sheet) }
        if let comparison = screen.comparison {
            addComparison(comparison, overview, to: &sheet)
            return (sheet, [])
        }
        var places: [Range<Int>] = []
        let sections = sections(screen)
        for section in sections {
            sheet.blank()
            let isOnly = sections.count { $0.clientID == section.clientID } == 1
            sheet.heading(context.clientName(section.clientID) + (isOnly ? "" : " in tenant " + section.realm))
            if !section.groups.flatMap(\.entries).contains(where: { $0.standing == .granted }) {
                sheet.text("no access token in the store says what it was granted", .muted)
            }
            for group in section.groups {
                sheet.text(group.resource, .emphasis)
                for entry in group.entries {
                    let first = sheet.rows.count
                    add(
                        entry, isSelected: places.count == screen.selected,
                        isChosen: screen.chosen.contains(entry.choice), to: &sheet)
                    places.append(first..<sheet.rows.count)
                }
            }
        }
        addEnd(overview, to: &sheet)
        return (sheet, places)
    }

    private func add(_ entry: ConsentSection.Entry, isSelected: Bool, isChosen: Bool, to sheet: inout Sheet) {
        let glyphs = sheet.glyphs
        let (glyph, word, role) = entry.standing.sign(glyphs)
        let ground: Role? = isSelected ? .selection : nil
        var facts = ""
        if let meaning = entry.meaning {
            facts = "\(meaning.risk.word) risk" + (meaning.needsAdministrator ? ", an administrator's to grant" : "")
        }
        let marks = [
            Span(isSelected ? glyphs.pointer + " " : "  ", ground ?? .text),
            Span((isChosen ? glyphs.checkboxOn : glyphs.checkboxOff) + " ", ground ?? (isChosen ? .emphasis : .muted)),
            Span(glyph + " ", ground ?? role), Span(DisplayWidth.pad(word, columns: 10), ground ?? role),
        ]
        let used = marks.reduce(0) { $0 + DisplayWidth.columns($1.text) }
        let room = max(8, sheet.width - used)
        let name = DisplayWidth.clip(
            SafeText.line(ScopeNames.short(entry.choice.scope), glyphs: glyphs, limit: 200), columns: room,
            ellipsis: glyphs.ellipsis)
        let left = room - DisplayWidth.columns(name) - 2
        let fits = DisplayWidth.columns(facts) <= left
        sheet.row(
            marks + [
                Span(name, ground ?? .text),
                Span(
                    DisplayWidth.pad(fits && !facts.isEmpty ? "  " + facts : "", columns: max(0, left + 2)),
                    ground ?? entry.meaning?.risk.role ?? .muted),
            ])
        let indent = min(used, sheet.width / 4)
        if !fits { sheet.text(facts, entry.meaning?.risk.role ?? .muted, indent: indent) }
        sheet.text(
            entry.meaning?.sentence ?? "not known here; the provider's page says what it is", .muted, indent: indent)
    }

    private func addEnd(_ overview: AccountOverview, to sheet: inout Sheet) {
        sheet.blank()
        sheet.text("Only tokens in this store are counted; consent itself is kept by the provider.", .muted)
        let page = ConsentPage.of(overview.account)
        sheet.blank()
        sheet.heading("To take consent back")
        if let address = page.address { sheet.text(address.text, .link) }
        sheet.text(page.words, .muted)
        if let administrator = page.administrator { sheet.text(administrator, .muted) }
    }

    // MARK: What came of asking

    private func addOutcome(_ asked: ScopeConsent.Asked, _ overview: AccountOverview, to sheet: inout Sheet) {
        let now = grantedScopes(overview.id, clientID: asked.clientID, realm: asked.realm)
        let added = now.subtracting(asked.before)
        let gone = asked.before.subtracting(now)
        let missing = asked.wanted.declined(granted: now)
        let declined =
            overview.consent.first { $0.clientID == asked.clientID && $0.realm == asked.realm }?.declined ?? []
        sheet.blank()
        sheet.heading("What came of asking, for " + context.clientName(asked.clientID))
        for name in added.names { sheet.item("+", .ok, "\(ScopeNames.short(name)): newly granted") }
        for name in gone.names { sheet.item("-", .attention, "\(ScopeNames.short(name)): in no token any more") }
        for name in missing.names {
            sheet.item(
                sheet.glyphs.cross, .danger,
                "\(ScopeNames.short(name)): " + (declined.contains(name) ? "declined" : "not granted so far"))
        }
        if added.isEmpty, gone.isEmpty, missing.isEmpty {
            sheet.text("nothing changed: all of it had been granted before", .muted)
        }
    }

    // MARK: Two clients beside each other

    private func addComparison(
        _ comparison: ScopeConsent.Comparison, _ overview: AccountOverview, to sheet: inout Sheet
    ) {
        let names = [comparison.base, comparison.other].map(context.clientName)
        let compared = ScopeComparison(
            grantedScopes(overview.id, clientID: comparison.base),
            grantedScopes(overview.id, clientID: comparison.other))
        sheet.heading("\(names[0]) and \(names[1])")
        let parts = [
            ("both were granted", compared.both, "="), ("only \(names[0])", compared.onlyFirst, "-"),
            ("only \(names[1])", compared.onlySecond, "+"),
        ]
        for (title, scopes, sign) in parts {
            sheet.blank()
            sheet.text(title, .emphasis)
            if scopes.isEmpty { sheet.text("nothing", .muted, indent: 2) }
            for name in scopes.names {
                let meaning = ScopeNames.meaning(of: name, isMicrosoft: overview.isMicrosoft)
                sheet.item(
                    sign, .muted,
                    ScopeNames.short(name) + " of " + ScopeNames.resource(of: name, isMicrosoft: overview.isMicrosoft))
                if let meaning {
                    sheet.text("\(meaning.sentence) (\(meaning.risk.word) risk)", meaning.risk.role, indent: 2)
                }
            }
        }
        sheet.blank()
        sheet.text("c compares with the next client, and after the last one goes back", .muted)
    }

    // MARK: Drawing

    func drawScopes(_ screen: ScopeConsent, in grid: inout Grid) {
        drawHeader("scopes of " + name(screen.account), in: &grid)
        let area = Self.body(of: grid.size).inset(rows: 0, columns: 1)
        let page = consentPage(screen, width: area.columns, glyphs: grid.glyphs)
        grid.draw(page.sheet, in: area, scroll: screen.scroll)
        let first = min(max(screen.scroll, 0), max(0, page.sheet.rows.count - area.rows))
        let row = page.places.indices.contains(screen.selected) ? page.places[screen.selected].lowerBound - first : 0
        grid.cursor = area.at(row: (0..<area.rows).contains(row) ? row : 0)
        if let field = screen.field {
            drawLine("scopes", field, hint: "scopes to ask for, with spaces between", in: &grid)
        }
    }

    /// A line to type into, in the last row above the footer.
    func drawLine(_ label: String, _ field: TextField, hint: String, isMasked: Bool = false, in grid: inout Grid) {
        let row = Rect(row: grid.size.rows - 2, column: 0, rows: 1, columns: grid.size.columns)
        grid.fill(row, style: .role(.overlay))
        let used = grid.put(" " + label + " ", at: row.origin, style: .role(.key))
        grid.cursor = field.draw(
            in: &grid, at: row.at(row: 0, column: used), width: max(4, row.columns - used - 1), placeholder: hint,
            isFocused: true,
            isMasked: isMasked)
    }
}

extension Optional where Wrapped == ScopeStanding {
    fileprivate func sign(_ glyphs: Glyphs) -> (String, String, Role) {
        switch self {
        case .granted: (glyphs.check, "granted", .ok)
        case .declined: (glyphs.cross, "declined", .danger)
        case .requested: (glyphs.half, "not yet", .attention)
        case nil: (glyphs.empty, "not asked", .muted)
        }
    }
}
