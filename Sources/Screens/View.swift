import Identity
package import Terminal

/// The whole screen for a state: the last screen that fills it, and what lies on top.
package func view(_ state: State, size: Size, glyphs: Glyphs) -> Grid {
    var grid = Grid(size: size, glyphs: glyphs)
    guard !State.isTooSmall(size) else {
        state.drawTooSmall(in: &grid)
        return grid
    }
    let ground = state.stack.lastIndex { !$0.isOverlay }
    if let ground {
        state.draw(state.stack[ground], in: &grid)
    } else {
        state.drawPicker(in: &grid)
    }
    for overlay in state.stack.dropFirst(ground.map { $0 + 1 } ?? 0) { state.draw(overlay, in: &grid) }
    state.drawFooter(in: &grid)
    state.drawSearch(in: &grid)
    state.drawNotice(in: &grid)
    return grid
}

extension State {
    fileprivate func draw(_ screen: Screen, in grid: inout Grid) {
        let body = Self.body(of: grid.size)
        switch screen {
        case .form(let form): drawForm(form, in: &grid)
        case .progress(let progress): drawProgress(progress, in: &grid)
        case .inspector(let inspector): drawInspector(inspector, in: &grid)
        case .activity(let activity): drawActivity(activity, in: &grid)
        case .stores(let stores): drawStores(stores, in: &grid)
        case .palette(let palette): drawPalette(palette, in: &grid)
        case .scopes(let scopes): drawScopes(scopes, in: &grid)
        case .acquisition, .departure, .group, .help, .dialog, .themes, .doctor, .settings:
            let page = page(of: screen, in: body, glyphs: grid.glyphs)
            var frame = Rect(
                row: page.area.row - 1, column: page.area.column - 2, rows: page.area.rows + 2,
                columns: page.area.columns + 4)
            if screen.answers != nil { frame.rows += Self.buttonRows(in: body) }
            grid.fill(frame, style: .role(.overlay))
            grid.box(frame, title: title(screen), style: .role(.borderFocus))
            grid.draw(page.sheet, in: page.area, scroll: screen.scroll)
            grid.cursor = page.area.at(row: markedRow(screen, page))
            if let answers = screen.answers {
                drawButtons(
                    answers, at: page.area.at(row: page.area.rows + Self.buttonRows(in: body) - 1),
                    width: page.area.columns, of: &grid)
            }
        }
    }

    /// Where the cursor stands in what is drawn of a text: on the row that is marked, for those who follow the cursor.
    private func markedRow(_ screen: Screen, _ page: (sheet: Sheet, area: Rect)) -> Int {
        let first = min(max(screen.scroll, 0), max(0, page.sheet.rows.count - page.area.rows))
        let row: Int =
            switch screen {
            case .themes(let chooser): chooser.selected
            case .settings(let settings): rowOfSetting(settings.selected, width: page.area.columns)
            default: first
            }
        return min(max(row - first, 0), max(0, page.area.rows - 1))
    }

    private func title(_ screen: Screen) -> String {
        switch screen {
        case .acquisition(let screen): "A token from \(context.clientName(screen.clientID))"
        case .dialog(let screen) where screen.store != nil:
            (screen.kind == .remove ? "Remove from " : "Sign out of ") + (screen.store?.program ?? "") + "?"
        case .dialog(let screen): screen.kind == .remove ? "Remove the account?" : "Sign out?"
        case .departure(let screen): screen.kind == .remove ? "Remove" : "Sign out"
        case .group(let screen): screen.title
        case .help(let screen): "Keys: " + KeyTable.of(screen.place).title
        case .themes: "Themes"
        case .doctor: "Doctor"
        case .settings: "Settings"
        case .form, .progress, .inspector, .scopes, .activity, .stores, .palette: ""
        }
    }

    /// The row of the answers, with an empty one above where there is room.
    static func buttonRows(in body: Rect) -> Int { body.rows < 12 ? 1 : 2 }

    func name(_ id: AccountOverview.ID) -> String { overview(of: id)?.account.label ?? "an account that is gone" }

    /// The text of a screen and where it is drawn.
    func page(of screen: Screen, in body: Rect, glyphs: Glyphs) -> (sheet: Sheet, area: Rect) {
        let inner = body.inset(rows: 0, columns: 1)
        switch screen {
        case .form, .palette: return (Sheet(width: inner.columns, glyphs: glyphs), inner)
        case .progress(let progress): return progressPage(progress, in: inner, glyphs: glyphs)
        case .inspector(let inspector): return inspectorPage(inspector, in: body, glyphs: glyphs)
        case .activity(let activity): return activityPage(activity, in: body, glyphs: glyphs)
        case .stores(let stores): return storesPage(stores, in: body, glyphs: glyphs)
        case .scopes(let scopes): return (consentPage(scopes, width: inner.columns, glyphs: glyphs).sheet, inner)
        case .acquisition, .dialog, .departure, .group, .help, .themes, .doctor, .settings:
            let width = min(body.columns, 76) - 4
            let sheet: Sheet =
                switch screen {
                case .acquisition(let screen): self.sheet(screen, width: width, glyphs: glyphs)
                case .dialog(let screen): self.sheet(screen, width: width, glyphs: glyphs)
                case .departure(let screen): self.sheet(screen, width: width, glyphs: glyphs)
                case .group(let screen): self.sheet(screen, width: width, glyphs: glyphs)
                case .help(let screen): screen.sheet(self, width: width, glyphs: glyphs)
                case .themes(let screen): screen.sheet(width: width, glyphs: glyphs)
                case .doctor(let screen): screen.sheet(width: width, glyphs: glyphs)
                case .settings(let screen): self.sheet(screen, width: width, glyphs: glyphs)
                case .form, .progress, .inspector, .scopes, .activity, .stores, .palette:
                    Sheet(width: width, glyphs: glyphs)
                }
            var below = 0
            if screen.answers != nil { below = Self.buttonRows(in: body) }
            let frame = body.centered(rows: sheet.rows.count + 2 + below, columns: width + 4)
            return (sheet, frame.inset(rows: 1, columns: 2).splitBottom(below).rest)
        }
    }
}

// Scrolling: the one number that update and view share, kept within the text as it would be drawn.
extension State {
    mutating func scroll(_ command: Command) {
        guard var screen = top else { return }
        let page = page(of: screen, in: Self.body(of: size), glyphs: .utf8)
        let last = max(0, page.sheet.rows.count - page.area.rows)
        let step = max(1, page.area.rows - 1)
        var place = min(screen.scroll, last)
        switch command {
        case .up: place -= 1
        case .down: place += 1
        case .pageUp: place -= step
        case .pageDown: place += step
        case .halfUp: place -= max(1, step / 2)
        case .halfDown: place += max(1, step / 2)
        case .first: place = 0
        case .last: place = last
        default: return
        }
        screen.scroll = min(max(place, 0), last)
        replaceTop(screen)
    }
}

extension Screen {
    var scroll: Int {
        get {
            switch self {
            case .progress(let screen): screen.scroll
            case .inspector(let screen): screen.scroll
            case .scopes(let screen): screen.scroll
            case .acquisition(let screen): screen.scroll
            case .departure(let screen): screen.scroll
            case .group(let screen): screen.scroll
            case .help(let screen): screen.scroll
            case .dialog(let screen): screen.scroll
            case .themes(let screen): screen.scroll
            case .doctor(let screen): screen.scroll
            case .activity(let screen): screen.scroll
            case .stores(let screen): screen.scroll
            case .settings(let screen): screen.scroll
            case .palette(let screen): screen.scroll
            case .form: 0
            }
        }
        set {
            switch self {
            case .progress(var screen):
                screen.scroll = newValue
                self = .progress(screen)
            case .inspector(var screen):
                screen.scroll = newValue
                self = .inspector(screen)
            case .scopes(var screen):
                screen.scroll = newValue
                self = .scopes(screen)
            case .acquisition(var screen):
                screen.scroll = newValue
                self = .acquisition(screen)
            case .departure(var screen):
                screen.scroll = newValue
                self = .departure(screen)
            case .group(var screen):
                screen.scroll = newValue
                self = .group(screen)
            case .help(var screen):
                screen.scroll = newValue
                self = .help(screen)
            case .dialog(var screen):
                screen.scroll = newValue
                self = .dialog(screen)
            case .themes(var screen):
                screen.scroll = newValue
                self = .themes(screen)
            case .doctor(var screen):
                screen.scroll = newValue
                self = .doctor(screen)
            case .activity(var screen):
                screen.scroll = newValue
                self = .activity(screen)
            case .stores(var screen):
                screen.scroll = newValue
                self = .stores(screen)
            case .settings(var screen):
                screen.scroll = newValue
                self = .settings(screen)
            case .palette(var screen):
                screen.scroll = newValue
                self = .palette(screen)
            case .form: break
            }
        }
    }
}
