import Identity
import Terminal

/// Where programs keep tokens on this machine: what was looked for, what is usable, and what the person allows.
struct StoresScreen: Equatable, Sendable {
    /// What the look waits for.
    var flight: FlightID
    var isWaiting = true
    /// In the order in which they were looked for, foyer's own first.
    var lines: [StoreLine] = []
    /// The name of the one that is marked; nil is the first.
    var chosen: String?
    /// Those that are not there as well.
    var showsAbsent = false
    var isReading = false
    var scroll = 0

    /// Those in the list.
    var shown: [StoreLine] { lines.filter { showsAbsent || $0.isOwn || $0.state != .absent } }

    var marked: StoreLine? {
        let shown = shown
        return shown.first { $0.name == chosen } ?? shown.first
    }

    mutating func land(_ message: Message) {
        switch message {
        case .stores(let lines, _):
            self.lines = lines
            isWaiting = false
        case .failed: isWaiting = false
        default: break
        }
    }
}

extension State {
    var storesScreen: StoresScreen? {
        guard case .stores(let screen) = top else { return nil }
        return screen
    }

    mutating func openStores() -> [Effect] {
        let flight = newFlight()
        stack.append(.stores(StoresScreen(flight: flight)))
        return [.lookForStores(flight)]
    }

    mutating func perform(_ command: Command, _ given: StoresScreen) -> [Effect] {
        var screen = given
        var effects: [Effect] = []
        switch command {
        case .open where given.marked != nil:
            screen.isReading = true
            screen.scroll = 0
        case .back: screen.isReading = false
        case .more: screen.showsAbsent.toggle()
        case .reload:
            screen.flight = newFlight()
            screen.isWaiting = true
            effects = [.lookForStores(screen.flight), .load]
        case .allowWriting, .showInPicker:
            guard let store = given.marked, !store.isOwn else { return [] }
            screen.flight = newFlight()
            screen.isWaiting = true
            let change: StoreChange = command == .allowWriting ? .write(!store.isWritable) : .hidden(!store.isHidden)
            effects = [.keepStore(store.name, change, screen.flight)]
        default:
            guard !given.isReading else {
                scroll(command)
                return []
            }
            screen.chosen = moved(command, from: given)
            screen.scroll = 0
        }
        replaceTop(.stores(screen))
        return effects
    }

    /// The list's rows as text.
    func storeRows(_ screen: StoresScreen) -> [String] {
        screen.shown.map { [$0.name, $0.program, $0.state.word, $0.place].joined(separator: " ") }
    }

    /// Marks the store of a row.
    mutating func chooseStore(_ row: Int) {
        guard var screen = storesScreen, screen.shown.indices.contains(row) else { return }
        screen.chosen = screen.shown[row].name
        replaceTop(.stores(screen))
    }

    private func moved(_ command: Command, from screen: StoresScreen) -> String? {
        let list = screen.shown
        guard !list.isEmpty else { return nil }
        let page = max(1, halves(Self.body(of: size)).list.rows - 2)
        let place = list.firstIndex { $0.name == screen.marked?.name } ?? 0
        return list[command.moved(from: place, last: list.count - 1, page: page)].name
    }

    mutating func chooseStore(at place: Position) -> Bool {
        let area = halves(Self.body(of: size)).list
        guard area.contains(place), let screen = storesScreen else { return false }
        let row = firstStore(screen, rows: area.rows) + place.row - area.row
        guard row < screen.shown.count else { return false }
        chooseStore(row)
        return true
    }

    /// The first row of the list on the screen.
    private func firstStore(_ screen: StoresScreen, rows: Int) -> Int {
        let list = screen.shown
        let place = list.firstIndex { $0.name == screen.marked?.name } ?? 0
        return list.firstRow(showing: place, rows: rows)
    }

    // MARK: Its picture

    func drawStores(_ screen: StoresScreen, in grid: inout Grid) {
        let list = screen.shown
        let more = screen.lines.count - list.count
        drawHeader(
            "stores on this machine" + (screen.isWaiting ? ", looking" : more > 0 ? ", \(more) not there" : ""),
            in: &grid)
        let body = Self.body(of: grid.size)
        guard let marked = screen.marked else {
            let words = screen.isWaiting ? "looking where programs keep tokens" : "nothing could be looked at"
            grid.put(words, at: body.at(row: 1, column: 2), style: .role(.muted))
            grid.cursor = body.at(row: 1)
            return
        }
        let (area, details) = halves(body)
        if screen.isReading, details == nil {
            let area = body.inset(rows: 0, columns: 1)
            grid.draw(sheet(marked, width: area.columns, glyphs: grid.glyphs), in: area, scroll: screen.scroll)
            grid.cursor = area.origin
            return
        }
        let first = firstStore(screen, rows: area.rows)
        for (row, store) in list.dropFirst(first).prefix(area.rows).enumerated() {
            drawRow(store, isMarked: store.name == marked.name, in: &grid, area.at(row: row), area)
        }
        guard let details else { return }
        grid.vline(at: area.at(row: 0, column: area.columns), length: body.rows)
        grid.draw(sheet(marked, width: details.columns, glyphs: grid.glyphs), in: details, scroll: screen.scroll)
        if screen.isReading { grid.cursor = details.origin }
    }

    private func drawRow(_ store: StoreLine, isMarked: Bool, in grid: inout Grid, _ at: Position, _ area: Rect) {
        let ground: Style = isMarked ? .role(.selection) : .text
        if isMarked {
            grid.fill(Rect(row: at.row, column: at.column, rows: 1, columns: area.columns), style: ground)
            grid.put(grid.glyphs.pointer, at: at, style: ground, width: 1)
            grid.cursor = at
        }
        let (glyph, role) = store.state.sign(grid.glyphs)
        let access = store.isWritable ? "read, write" : "read-only"
        let wide = area.columns >= 64
        let count = store.state == .usable ? (wide ? counted(store.accounts, "account") : String(store.accounts)) : ""
        let cells: [(text: String, width: Int, role: Role)] = [
            (glyph, 2, role), (store.state.word, wide ? 11 : 0, role),
            (store.isOwn ? "foyer's own" : store.program, max(12, area.columns - (wide ? 48 : 21)), .text),
            (count, wide ? 14 : 5, .muted),
            (store.state == .absent ? "" : access, 12, store.isWritable ? .attention : .muted),
            (store.isHidden && wide ? "hidden" : "", wide ? 7 : 0, .muted),
        ]
        var column = at.column + 2
        for cell in cells where cell.width > 0 && column < area.endColumn {
            grid.put(
                cell.text, at: Position(row: at.row, column: column), style: isMarked ? ground : .role(cell.role),
                width: min(cell.width - 1, area.endColumn - column))
            column += cell.width
        }
    }

    /// One store: what it is, whether it is used and why not, and what is allowed.
    func sheet(_ store: StoreLine, width: Int, glyphs: Glyphs) -> Sheet {
        var sheet = Sheet(width: width, glyphs: glyphs)
        let (glyph, role) = store.state.sign(glyphs)
        sheet.item(glyph, role, "\(store.isOwn ? "foyer's own store" : store.program): \(store.state.word)", .emphasis)
        sheet.field("name", store.name)
        sheet.field("place", store.place)
        if let badge = store.badge { sheet.field("kept as", badge) }
        if store.state == .usable {
            sheet.field("holds", counted(store.accounts, "account") + ", " + counted(store.tokens, "token"))
        }
        for remark in store.findings {
            sheet.item(
                store.state == .refused ? glyphs.warning : glyphs.bullet, store.state == .refused ? .attention : .muted,
                remark)
        }
        sheet.blank()
        guard !store.isOwn else {
            sheet.text("sign-ins are written here", .muted)
            return sheet
        }
        sheet.item(
            store.isHidden ? glyphs.checkboxOff : glyphs.checkboxOn, store.isHidden ? .muted : .emphasis,
            "Space: its accounts are in the list")
        sheet.item(
            store.isWritable ? glyphs.checkboxOn : glyphs.checkboxOff, store.isWritable ? .emphasis : .muted,
            "w: foyer may remove accounts from it")
        sheet.text(
            store.isWritable
                ? "each removal asks first, and does what \(store.program) would do"
                : "it is only read: nothing in it is ever changed", .muted, indent: 2)
        return sheet
    }

    /// What of it is scrolled.
    func storesPage(_ screen: StoresScreen, in body: Rect, glyphs: Glyphs) -> (sheet: Sheet, area: Rect) {
        let area = halves(body).details ?? body.inset(rows: 0, columns: 1)
        guard let marked = screen.marked else { return (Sheet(width: area.columns, glyphs: glyphs), area) }
        return (sheet(marked, width: area.columns, glyphs: glyphs), area)
    }
}

extension StoreLine.State {
    fileprivate func sign(_ glyphs: Glyphs) -> (String, Role) {
        switch self {
        case .usable: (glyphs.check, .ok)
        case .empty: (glyphs.empty, .muted)
        case .absent: (glyphs.separator, .muted)
        case .protected: (glyphs.half, .info)
        case .refused: (glyphs.cross, .danger)
        }
    }
}
