import Terminal

// The mouse: a click marks, a double click does what Enter does, the wheel moves as three presses of an arrow would.
extension State {
    mutating func point(_ pointer: Pointer) -> [Effect] {
        switch pointer.action {
        case .wheelUp: return wheel(.up)
        case .wheelDown: return wheel(.down)
        case .click: return choose(at: pointer.place) ?? []
        case .doubleClick:
            guard let effects = choose(at: pointer.place), isOffered(.open) else { return [] }
            return effects + perform(.open, .enter)
        }
    }

    /// Whether a key of the place does it now.
    func isOffered(_ command: Command) -> Bool { keys.bindings.contains { $0.command == command && $0.isValid(self) } }

    private mutating func wheel(_ command: Command) -> [Effect] {
        // Where up and down mean a field or the history, the wheel would do harm.
        switch place {
        case .form, .palette, .paste, .search: return []
        default: return (0..<3).flatMap { _ in perform(command, .up) }
        }
    }

    /// Marks what is there; nil where nothing can be marked.
    private mutating func choose(at place: Position) -> [Effect]? {
        guard let top else {
            return listArea.contains(place) && picker.choose(row: place.row - listArea.row, of: listArea.rows)
                ? [] : nil
        }
        switch top {
        case .activity(let screen) where !screen.isReading: return chooseActivity(at: place) ? [] : nil
        case .stores(let screen) where !screen.isReading: return chooseStore(at: place) ? [] : nil
        case .inspector(let inspector):
            guard inspector.line == nil, let index = token(at: place, of: inspector) else { return nil }
            chooseToken(index)
            return inspectorScreen.map(wantsEntry) ?? []
        case .themes(var chooser):
            guard let row = row(at: place, of: top), chooser.names.indices.contains(row) else { return nil }
            chooser.choose(row)
            replaceTop(.themes(chooser))
            return [.showTheme(chooser.name)]
        case .settings(var sheet):
            guard let row = row(at: place, of: top), let index = setting(inRow: row, of: top) else { return nil }
            sheet.selected = index
            replaceTop(.settings(sheet))
            return []
        case .form(var form):
            let index = place.row - Self.formTop(of: size)
            guard SignInForm.Field.allCases.indices.contains(index) else { return nil }
            form.moveFocus(index - form.focus.rawValue)
            replaceTop(.form(form))
            // A double click would send the form: that is for Enter alone.
            return nil
        case .dialog(var dialog):
            guard let isConfirm = button(at: place, of: top) else { return nil }
            dialog.isConfirmFocused = isConfirm
            replaceTop(.dialog(dialog))
            return []
        case .group(var group):
            guard let isConfirm = button(at: place, of: top) else { return nil }
            group.isConfirmFocused = isConfirm
            replaceTop(.group(group))
            return []
        case .activity, .stores, .progress, .scopes, .acquisition, .departure, .help, .doctor: return nil
        case .palette(let palette): return choose(palette, at: place) ? [] : nil
        }
    }

    /// The row of a text that is drawn there.
    private func row(at place: Position, of screen: Screen) -> Int? {
        let page = page(of: screen, in: Self.body(of: size), glyphs: .utf8)
        guard page.area.contains(place) else { return nil }
        let first = min(max(screen.scroll, 0), max(0, page.sheet.rows.count - page.area.rows))
        return first + place.row - page.area.row
    }

    private func button(at place: Position, of screen: Screen) -> Bool? {
        let rows = buttonPlaces(screen, in: Self.body(of: size))
        return rows.firstIndex { $0.contains(place) }.map { $0 == 1 }
    }
}
