import FoundationEssentials
import Identity
import Terminal

/// The activity of this session as a list, the latest first, and one entry with its steps.
struct ActivityScreen: Equatable, Sendable {
    /// Nil is the latest, whatever comes.
    var chosen: FlightID?
    var isReading = false
    var scroll = 0
}

extension State {
    var activityScreen: ActivityScreen? {
        guard case .activity(let screen) = top else { return nil }
        return screen
    }

    /// The entry that is marked.
    func entry(_ screen: ActivityScreen) -> Activity.Entry? {
        activity.entries.last { screen.chosen == nil || $0.flight == screen.chosen } ?? activity.entries.last
    }

    mutating func perform(_ command: Command, _ given: ActivityScreen) -> [Effect] {
        var screen = given
        switch command {
        case .open where entry(given) != nil:
            screen.isReading = true
            screen.scroll = 0
        case .back: screen.isReading = false
        case .copy:
            guard let id = entry(given)?.correlationID else { return [] }
            notice = "the correlation identifier was handed to the clipboard"
            return [.copy(id.uuidString.lowercased())]
        default:
            guard !given.isReading else {
                scroll(command)
                return []
            }
            screen.chosen = moved(command, from: given)
        }
        replaceTop(.activity(screen))
        return []
    }

    /// The list's rows as text, the latest first.
    var activityRows: [String] {
        activity.entries.reversed().map {
            [
                $0.kind.words, $0.person, context.clientName($0.clientID), $0.outcome.words,
                $0.correlationID?.uuidString.lowercased() ?? "",
            ]
            .joined(separator: " ")
        }
    }

    /// Marks the entry of a row.
    mutating func chooseActivity(_ row: Int) {
        let list = activity.entries.reversed().map(\.flight)
        guard var screen = activityScreen, list.indices.contains(row) else { return }
        screen.chosen = list[row]
        replaceTop(.activity(screen))
    }

    private func moved(_ command: Command, from screen: ActivityScreen) -> FlightID? {
        let list = Array(activity.entries.reversed())
        guard !list.isEmpty else { return nil }
        let page = max(1, Self.body(of: size).rows - 2)
        let place = list.firstIndex { $0.flight == entry(screen)?.flight } ?? 0
        return list[command.moved(from: place, last: list.count - 1, page: page)].flight
    }

    mutating func chooseActivity(at place: Position) -> Bool {
        let area = halves(Self.body(of: size)).list
        guard area.contains(place), let screen = activityScreen, let marked = entry(screen) else { return false }
        let row = firstActivity(marked.flight, rows: area.rows) + place.row - area.row
        guard row < activity.entries.count else { return false }
        chooseActivity(row)
        return true
    }

    /// The first row of the list on the screen.
    private func firstActivity(_ chosen: FlightID, rows: Int) -> Int {
        let place = activity.entries.reversed().map(\.flight).firstIndex(of: chosen) ?? 0
        return activity.entries.firstRow(showing: place, rows: rows)
    }

    // MARK: Its picture

    /// The part for a list, and the part for what is marked in it where the screen is wide.
    func halves(_ body: Rect) -> (list: Rect, details: Rect?) {
        guard body.columns >= 110 else { return (body, nil) }
        let parts = body.splitRight(body.columns / 2)
        return (parts.rest, parts.right.inset(rows: 0, columns: 2))
    }

    func drawActivity(_ screen: ActivityScreen, in grid: inout Grid) {
        drawHeader("activity of this session", in: &grid)
        let body = Self.body(of: grid.size)
        guard let entry = entry(screen) else {
            grid.put(
                "nothing was asked for yet: Enter on an account gets a token", at: body.at(row: 1, column: 2),
                style: .role(.muted))
            grid.cursor = body.at(row: 1)
            return
        }
        let (list, details) = halves(body)
        if screen.isReading, details == nil {
            let area = body.inset(rows: 0, columns: 1)
            grid.draw(sheet(entry, width: area.columns, glyphs: grid.glyphs), in: area, scroll: screen.scroll)
            grid.cursor = area.origin
            return
        }
        drawList(entry.flight, in: &grid, list)
        guard let details else { return }
        grid.vline(at: list.at(row: 0, column: list.columns), length: body.rows)
        grid.draw(sheet(entry, width: details.columns, glyphs: grid.glyphs), in: details, scroll: screen.scroll)
        if screen.isReading { grid.cursor = details.origin }
    }

    private func drawList(_ chosen: FlightID, in grid: inout Grid, _ area: Rect) {
        let list = Array(activity.entries.reversed())
        let first = firstActivity(chosen, rows: area.rows)
        for (row, entry) in list.dropFirst(first).prefix(area.rows).enumerated() {
            let at = area.at(row: row)
            let isChosen = entry.flight == chosen
            let ground: Style = isChosen ? .role(.selection) : .text
            if isChosen {
                grid.fill(Rect(row: at.row, column: at.column, rows: 1, columns: area.columns), style: ground)
                grid.put(grid.glyphs.pointer, at: at, style: ground, width: 1)
                grid.cursor = at
            }
            let (glyph, role) = entry.outcome.sign(grid.glyphs)
            let wide = area.columns >= 70
            let cells: [(text: String, width: Int, role: Role)] = [
                (glyph, 2, role), (clock.time(entry.startedAt), wide ? 7 : 6, .muted), (entry.kind.words, 10, .text),
                (entry.person, max(8, area.columns - (wide ? 46 : 28)), .text),
                (context.clientName(entry.clientID), wide ? 16 : 0, .muted), (duration(entry), 9, .muted),
            ]
            var column = at.column + 2
            for cell in cells where cell.width > 0 && column < area.endColumn {
                grid.put(
                    cell.text, at: Position(row: at.row, column: column), style: isChosen ? ground : .role(cell.role),
                    width: min(cell.width - 1, area.endColumn - column))
                column += cell.width
            }
        }
    }

    private func duration(_ entry: Activity.Entry) -> String {
        guard let milliseconds = entry.milliseconds else { return entry.outcome == .waiting ? "waiting" : "" }
        return milliseconds < 10_000 ? "\(milliseconds) ms" : Clock.span(milliseconds / 1000)
    }

    /// One entry: what, for whom, when, how long, and each step.
    func sheet(_ entry: Activity.Entry, width: Int, glyphs: Glyphs) -> Sheet {
        var sheet = Sheet(width: width, glyphs: glyphs)
        let (glyph, role) = entry.outcome.sign(glyphs)
        sheet.item(glyph, role, "\(entry.kind.words): \(entry.outcome.words)", .emphasis)
        if !entry.person.isEmpty { sheet.field("account", entry.person) }
        sheet.field("client", context.clientName(entry.clientID))
        sheet.field("began", clock.full(entry.startedAt))
        let took = duration(entry)
        if !took.isEmpty { sheet.field("took", took) }
        if let id = entry.correlationID { sheet.field("correlation", id.uuidString.lowercased()) }
        sheet.blank()
        for step in entry.steps { add(step, to: &sheet) }
        if entry.steps.isEmpty { sheet.text("no step was told", .muted) }
        return sheet
    }

    /// What of it is scrolled.
    func activityPage(_ screen: ActivityScreen, in body: Rect, glyphs: Glyphs) -> (sheet: Sheet, area: Rect) {
        let area = halves(body).details ?? body.inset(rows: 0, columns: 1)
        guard let entry = entry(screen) else { return (Sheet(width: area.columns, glyphs: glyphs), area) }
        return (sheet(entry, width: area.columns, glyphs: glyphs), area)
    }
}

extension Activity.Outcome {
    fileprivate var words: String {
        switch self {
        case .waiting: "under way"
        case .done(let what): what
        case .failed(_, let why): why
        case .givenUp: "given up"
        }
    }

    fileprivate func sign(_ glyphs: Glyphs) -> (String, Role) {
        switch self {
        case .waiting: (glyphs.half, .info)
        case .done: (glyphs.check, .ok)
        case .failed(.interactionRequired, _): (glyphs.warning, .attention)
        case .failed: (glyphs.cross, .danger)
        case .givenUp: (glyphs.separator, .muted)
        }
    }
}
