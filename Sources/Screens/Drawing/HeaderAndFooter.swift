import AppModel
import Console
import Identity
import Keys
import Terminal

// The parts of every screen: tabs with the store's badge, the rule with the page's title, the notice, and the footer
// from the key table.
extension Grid {
    /// Draws the tabs with the open one highlighted; on low screens, the title instead.
    mutating func drawHeader(_ state: AppState, _ title: PageTitle, _ offered: [KeyBinding]) {
        let (bar, context) = (Rect(row: 0, column: 0, rows: 1, columns: size.columns), state.context)
        fill(bar, style: .role(.header))
        let isMissing = state.home.isFirstRun(in: context) && state.home.firstRun.hasNoStore
        let badge =
            isMissing
            ? "no store yet"
            : context.storeBadge.map { SafeText.line("\(glyphs.warning) \($0)", glyphs: glyphs) } ?? ""
        // The badge is always shown, the rest if there is room.
        let badgeWidth = min(DisplayWidth.columns(badge), max(0, bar.columns / 2))
        putRight(badge, at: bar.origin, style: .role(isMissing ? .muted : .attention), width: bar.columns - 1)
        let unread = context.activity.unread == 0 ? "" : " \(glyphs.full)\(context.activity.unread)"
        let gap = context.isDemo && !unread.isEmpty ? 1 : 2
        var end = bar.columns - 1 - badgeWidth - (badgeWidth > 0 ? gap : 0)
        if context.isDemo {
            putRight("demo", at: bar.origin, style: .role(.badge), width: end)
            end -= 6
        }
        guard ScreenArea.hasRule(size) else { return drawTitle(title, end: end) }
        var used = drawProductName()
        let open = state.tab
        // The number takes one of the two blanks at the end of the tabs.
        let spacing = TabSpacing(
            room: end - used - max(0, DisplayWidth.columns(unread) - 1), isFirstOpen: open == Tab.allCases.first)
        for tab in Tab.allCases {
            let isOpen = tab == open
            let name = spacing == .openNameOnly && !isOpen ? "" : " " + tab.title
            // The open tab has a background and needs a blank column before it.
            let isApart = spacing == .wide || spacing == .close && isOpen && tab != Tab.allCases.first
            let column = used + (isApart ? 1 : 0)
            defer {
                let command = tab.binding.command
                if let key = offered.first(where: { $0.command == command })?.keys.first {
                    setKey(key, in: Rect(row: 0, column: column, rows: 1, columns: used - column))
                }
            }
            if isOpen {
                used = column + put(" \(tab.rawValue)\(name) ", at: bar.at(row: 0, column: column), style: .role(.tab))
            } else {
                let digit = put(" \(tab.rawValue)", at: bar.at(row: 0, column: column), style: .role(.muted))
                let end = spacing == .close ? "" : " "
                used =
                    column + digit + put(name + end, at: bar.at(row: 0, column: column + digit), style: .role(.header))
            }
            if tab == .activity, !unread.isEmpty {
                // Other than in a close bar, the name has a blank after it.
                if spacing == .close { used += put(" ", at: bar.at(row: 0, column: used), style: .role(.header)) }
                let count = String(unread.dropFirst())
                used += put(count, at: bar.at(row: 0, column: used), style: .role(.danger))
            }
        }
        // The demo's store location is of no use to the user.
        let left = end - used
        if left >= 20, !context.isDemo {
            let label = DisplayWidth.clip(
                SafeText.line(context.storeLabel, glyphs: glyphs), columns: left - 4, ellipsis: glyphs.ellipsis)
            putRight(label, at: bar.at(row: 0, column: used), style: .role(.muted), width: left)
        }
    }

    /// - Returns: the column after it.
    private mutating func drawProductName() -> Int {
        1 + put("foyer", at: Position(row: 0, column: 1), style: Style(role: .header, bold: true)) + 1
    }

    /// Draws the title in the first line. Without room, the alert is left out first, then the program's name; the title
    /// is truncated last.
    private mutating func drawTitle(_ title: PageTitle, end: Int) {
        var short = title
        short.alert = ""
        let start = 1 + DisplayWidth.columns("foyer") + 2
        let whole = [title.line, short.line].first { DisplayWidth.columns($0) <= end - start }
        let column = whole == nil ? 1 : drawProductName() + 1
        let place = Position(row: 0, column: column)
        put(whole ?? short.line, at: place, style: .role(.header), width: max(0, end - column))
    }

    private enum TabSpacing {
        /// A blank column between them, and one on both sides of each.
        case wide
        case usual
        /// One blank column before each.
        case close
        case openNameOnly

        init(room: Int, isFirstOpen: Bool) {
            let titles = Tab.allCases.map(\.title)
            let names = titles.reduce(0) { $0 + DisplayWidth.columns($1) + 3 }
            self =
                names + 2 * titles.count <= room
                ? .wide
                : names + titles.count <= room ? .usual : names + (isFirstOpen ? 1 : 2) <= room ? .close : .openNameOnly
        }
    }

    /// Draws the title above the page, joined with the line between a list and its details.
    mutating func drawRule(_ title: PageTitle, divider: Int?, isReading: Bool, _ offered: [KeyBinding]) {
        guard ScreenArea.hasRule(size) else { return }
        let row = ScreenArea.body(of: size).row - 1
        hline(at: Position(row: row, column: 0), length: size.columns)
        let end = divider ?? size.columns
        var used = 1
        func put(_ text: String, _ role: Role, bold: Bool = false, room: Int) {
            guard !text.isEmpty, room > 4 else { return }
            used += self.put(
                " " + text + " ", at: Position(row: row, column: used), style: Style(role: role, bold: bold),
                width: room)
        }
        let notes = [(title.alert, Role.danger), (title.note, .muted)].filter { !$0.0.isEmpty }
        let separator = " \(glyphs.separator) "
        let noteColumns = notes.reduce(0) { $0 + DisplayWidth.columns($1.0) } + max(0, notes.count - 1) * 3 + 2
        let room = end - 2
        // Where the views take the room, the notes are above the details.
        let hasRoomAside = title.aside.isEmpty && divider.map { $0 + 2 + noteColumns < size.columns } ?? false
        var count = title.count
        let views = title.views.map { (view: $0, width: DisplayWidth.columns($0.words) + 2) }
        let viewColumns = views.reduce(used) { $0 + $1.width }
        let above = (title.crumbs.first ?? "") + " \(glyphs.crumb)"
        let aboveColumns = DisplayWidth.columns(above) + 2
        if !views.isEmpty, viewColumns + aboveColumns <= room {
            count = ""
            // The tab says it as well, so it makes room for a note.
            let whole = viewColumns + (notes.isEmpty ? 0 : noteColumns + 1)
            if whole + aboveColumns <= room || whole > room || hasRoomAside { put(above, .title, room: room) }
            for (view, width) in views {
                let place = Position(row: row, column: used)
                used += self.put(" \(view.title) ", at: place, style: .role(view.isOpen ? .tab : .muted))
                if !view.alert.isEmpty {
                    used += self.put(
                        view.alert, at: Position(row: row, column: used), style: .role(view.isOpen ? .tab : .danger))
                    used += self.put(
                        " ", at: Position(row: row, column: used), style: .role(view.isOpen ? .tab : .muted))
                }
                if let key = offered.first(where: { $0.command == view.command })?.keys.first {
                    setKey(key, in: Rect(row: row, column: place.column, rows: 1, columns: width))
                }
            }
        } else {
            put(title.crumbs.joined(by: " \(glyphs.crumb) "), isReading ? .emphasis : .title, room: room)
        }
        if !count.isEmpty, used + count.count + 2 < room {
            used -= 1
            put(count, .muted, room: room - used)
        }
        let fits = used + noteColumns + 1 <= room
        if !notes.isEmpty, fits || hasRoomAside {
            var column = (fits ? end : size.columns) - 1 - noteColumns
            column += self.put(" ", at: Position(row: row, column: column))
            for (index, note) in notes.enumerated() {
                if index > 0 {
                    column += self.put(separator, at: Position(row: row, column: column), style: .role(.muted))
                }
                column += self.put(note.0, at: Position(row: row, column: column), style: .role(note.1))
            }
            self.put(" ", at: Position(row: row, column: column))
        }
        let bottom = ScreenArea.bottomRule(of: size)
        if let bottom { hline(at: bottom.origin, length: bottom.columns) }
        guard let divider else { return }
        self.put(.teeTop, at: Position(row: row, column: divider))
        vline(at: Position(row: row + 1, column: divider), length: ScreenArea.body(of: size).rows)
        if let bottom { self.put(.teeBottom, at: bottom.at(row: 0, column: divider)) }
        used = divider + 2
        put(title.aside, isReading ? .title : .emphasis, bold: true, room: size.columns - used - 1)
    }

    /// Draws the available keys, as many as fit.
    mutating func drawFooter(_ offered: [KeyBinding]) {
        let bar = Rect(row: size.rows - 1, column: 0, rows: 1, columns: size.columns)
        fill(bar, style: .role(.footer))
        var entries = offered.filter { !$0.label.isEmpty && !$0.keys.isEmpty }
        // Help lists the rest and the exit must be visible, so both keep their places.
        let kept = entries.filter { $0.keys.contains(.escape) || [.quit, .help].contains($0.command) }
        entries.removeAll(where: kept.contains)
        func columns(_ entry: KeyBinding) -> Int {
            DisplayWidth.columns(footerKey(entry)) + 1 + DisplayWidth.columns(entry.label) + 2
        }
        var room = bar.columns - 1 - kept.map(columns).reduce(0, +)
        var used = 1
        for entry in entries.prefix(while: {
            room -= columns($0)
            return room >= 0
        }) + kept {
            let start = used
            used += put(footerKey(entry), at: bar.at(row: 0, column: used), style: .role(.key))
            used += put(" " + entry.label, at: bar.at(row: 0, column: used), style: .role(.footer))
            if let key = entry.keys.first {
                setKey(key, in: Rect(row: bar.row, column: start, rows: 1, columns: used - start))
            }
            used += 2
        }
    }

    private func footerKey(_ binding: KeyBinding) -> String { binding.keys.first?.name(isASCII: glyphs.isASCII) ?? "" }

    /// Draws the notice right-aligned on a rule, preferably the one above the footer; without rules on the footer.
    /// Never covers a page.
    mutating func drawNotice(_ notice: String) {
        let top = ScreenArea.hasRule(size) ? ScreenArea.body(of: size).row - 1 : nil
        let row = ScreenArea.bottomRule(of: size)?.row ?? top
        let line = Rect(row: row ?? size.rows - 1, column: 0, rows: 1, columns: size.columns)
        let words = DisplayWidth.clip(
            SafeText.line(notice, glyphs: glyphs), columns: line.columns - 4, ellipsis: glyphs.ellipsis)
        if row == nil { fill(line, style: .role(.footer)) }
        let start = line.columns - 3 - DisplayWidth.columns(words)
        let isCutting = row == top && hasText(row: line.row, acrossColumn: start)
        putRight(" " + words + " ", at: line.origin, style: .role(.info), width: line.columns - 1)
        guard isCutting else { return }
        // Without a sign, the rest of the title and the notice would read as one sentence.
        let place = line.at(row: 0, column: max(0, start - DisplayWidth.columns(glyphs.ellipsis)))
        put(glyphs.ellipsis, at: place, style: self[place].style)
    }

    /// Whether a text on a rule begins before a column and continues there.
    private func hasText(row: Int, acrossColumn column: Int) -> Bool {
        guard column > 0, self[row, column - 1].line == nil else { return false }
        let rest = (column..<max(column, size.columns)).prefix { self[row, $0].line == nil }
        return rest.contains { self[row, $0].text != " " }
    }

    mutating func drawTooSmall() {
        let smallest = ScreenArea.smallest
        let words = "terminal too small: needs \(smallest.columns)x\(smallest.rows), has \(size.columns)x\(size.rows)"
        for (row, line) in DisplayWidth.wrap(words, columns: max(1, size.columns)).enumerated() where row < size.rows {
            put(line, at: Position(row: row, column: 0), style: .role(.attention))
        }
    }

    // MARK: What is typed

    mutating func draw(_ prompt: TextPrompt) {
        let row = ScreenArea.line(of: size)
        fill(row, style: .role(.overlay))
        let used = put(" " + prompt.label + " ", at: row.origin, style: .role(.key))
        cursor = draw(
            prompt.field, at: row.at(row: 0, column: used), width: max(4, row.columns - used - 1),
            placeholder: prompt.hint, isFocused: true, isMasked: prompt.isMasked)
    }

    /// Draws the text around the cursor and returns the cursor's position.
    @discardableResult
    mutating func draw(
        _ field: TextField, at place: Position, width: Int, placeholder: String = "", isFocused: Bool,
        isMasked: Bool = false
    ) -> Position {
        fill(Rect(row: place.row, column: place.column, rows: 1, columns: width), style: .role(.input))
        guard !field.isEmpty else {
            put(placeholder, at: place, style: .role(.placeholder), width: width)
            return place
        }
        // Masked input reveals only its length.
        let characters = isMasked ? field.characters.map { _ in Character(glyphs.mask) } : field.characters
        // Scrolled so that the cursor is in the last column at most.
        var start = isFocused ? field.cursor : 0
        var before = 0
        while start > 0 {
            let step = DisplayWidth.columns(SafeText.line(String(characters[start - 1]), glyphs: glyphs))
            if before + step > width - 1 { break }
            before += step
            start -= 1
        }
        put(String(characters[start...]), at: place, style: .role(.input), width: width)
        return place.moved(min(before, max(0, width - 1)))
    }
}

extension PageTitle.View {
    fileprivate var words: String { alert.isEmpty ? title : "\(title) \(alert)" }
}
