import Identity
import Terminal

/// The only way from one state to the next: what happened goes in, what is to be done comes out.
package func update(_ state: inout State, _ message: Message) -> [Effect] {
    state.activity.hear(message)
    let effects = state.react(to: message)
    if let search = state.search, search.depth > state.stack.count { state.search = nil }
    state.activity.follow(effects, at: state.now)
    state.noteClipboard(effects)
    return effects
}

extension State {
    fileprivate mutating func react(to message: Message) -> [Effect] {
        switch message {
        case .key(let key): return press(key)
        case .resized(let size):
            self.size = size
            picker.showSelection(rows: listRows)
        case .tick(let now):
            self.now = now
            expireCodes()
            guard let end = clipboardClearsAt, end <= now else { break }
            notice = "the clipboard was cleared of the token"
            return [.clearClipboard]
        case .loaded(let roster):
            store = .loaded
            picker.show(roster)
            picker.showSelection(rows: listRows)
            return keepInspectorInside()
        case .storeFailed(let message, let hint):
            // Rows of a store that cannot be read any more must not be acted on.
            store = .failed(message: message, hint: hint)
            picker.show(.empty)
        case .notice(let text): notice = text
        case .settings(let lines, let client):
            settings = lines
            context.defaultClient = client
        case .verified(let token, let finding): land(finding, of: token)
        case .entry(let id, let text): land(entry: text, of: id)
        case .step, .signIn, .acquired, .failed, .removed, .removedElsewhere, .signedOut, .question, .examination,
            .flight, .stores:
            return land(message)
        }
        return []
    }

    private mutating func press(_ key: Key) -> [Effect] {
        notice = nil
        if case .mouse(let pointer) = key { return isTooSmall ? [] : point(pointer) }
        // A screen that cannot be read must not be operated: a key would answer a question that nobody sees.
        let table = isTooSmall ? KeyTable(place: place, title: "", bindings: KeyTable.everywhere) : keys
        if let binding = table.binding(for: key, in: self) { return perform(binding.command, key) }
        // A terminal sends Alt as Escape and the key: over a slow line, or while a picture is drawn, the two keys
        // arrive together and look the same. Where text is typed nothing that was written may be closed by it.
        if case .alt(let character) = key, !table.takesText { return press(.escape) + press(.character(character)) }
        if !isTooSmall { type(key) }
        return isSearching ? inspectorScreen.map(wantsEntry) ?? [] : []
    }

    mutating func perform(_ command: Command, _ key: Key) -> [Effect] {
        switch (command, top) {
        case (.search, _):
            startSearch()
            return []
        case (.keepSearch, _), (.clearSearch, _), (.searchNext, _), (.searchPrevious, _):
            performSearch(command, key)
            return inspectorScreen.map(wantsEntry) ?? []
        case (.edit, _) where isSearching:
            performSearch(command, key)
            return inspectorScreen.map(wantsEntry) ?? []
        case (.back, _) where activeSearch != nil:
            performSearch(.clearSearch, key)
            return []
        case (.palette, _):
            openPalette()
            return []
        case (.toggleMouse, _):
            mouse.toggle()
            notice =
                mouse
                ? "the mouse is on: click, double click, wheel" : "the mouse is off: the terminal's own selection works"
            return [.mouse(mouse)]
        case (.activity, _), (.doctor, _), (.settings, _), (.themes, _), (.stores, _): return show(command)
        case (.redraw, _): return [.redraw]
        case (.suspend, _): return [.suspend]
        case (.quit, _): return [.quit]
        case (.help, _):
            stack.append(.help(Help(place: place)))
            return []
        case (.edit, _):
            type(key)
            return []
        case (_, nil): return performPicker(command)
        case (.back, .some(let screen)) where screen.pasteIsClosed: return close(screen)
        case (_, .form(let form)): return perform(command, form)
        case (_, .progress(let progress)): return perform(command, progress)
        case (_, .inspector(let inspector)): return perform(command, inspector)
        case (_, .acquisition(let acquisition)): return perform(command, acquisition)
        case (_, .dialog(let dialog)): return perform(command, dialog)
        case (_, .departure(let departure)): return perform(command, departure)
        case (_, .group(let group)): return perform(command, group)
        case (_, .themes(let chooser)): return perform(command, chooser)
        case (_, .settings(let sheet)): return perform(command, sheet)
        case (_, .palette(let palette)): return perform(command, palette)
        case (_, .activity(let screen)): return perform(command, screen)
        case (_, .doctor(let doctor)): return perform(command, doctor)
        case (_, .stores(let stores)): return perform(command, stores)
        case (_, .scopes(let scopes)): return perform(command, scopes)
        case (_, .help):
            scroll(command)
            return []
        }
    }

    /// One level back; what was under way there is given up.
    private mutating func close(_ screen: Screen) -> [Effect] {
        // What has been done of a sign-out by now is told before the screen goes.
        if case .departure(var departure) = screen, departure.kind == .signOut, departure.isWaiting,
            !departure.isGivenUp
        {
            departure.isGivenUp = true
            replaceTop(.departure(departure))
            return [.cancel(departure.flight)]
        }
        stack.removeLast()
        // Behind a sign-in that has succeeded lies its form, which has done its work.
        if case .themes(let chooser) = screen {
            return chooser.name == chooser.before ? [] : [.showTheme(chooser.before)]
        }
        if case .progress(let progress) = screen, case .succeeded = progress.phase, !returnToScopes() {
            stack.removeAll()
        }
        return screen.flight.map { [.cancel($0)] } ?? []
    }

    /// Text goes where text is taken, and nowhere else.
    private mutating func type(_ key: Key) {
        if isSearching { return performSearch(.edit, key) }
        switch top {
        case nil:
            guard picker.isFiltering else { return }
            picker.editFilter(key)
            picker.showSelection(rows: listRows)
        case .form(var form):
            form.edit(key, context)
            replaceTop(.form(form))
        case .progress(var progress):
            progress.pasted?.press(key)
            progress.question?.field.press(key)
            replaceTop(.progress(progress))
        case .palette(var palette):
            palette.type(key)
            replaceTop(.palette(palette))
        case .scopes(var scopes):
            scopes.field?.press(key)
            replaceTop(.scopes(scopes))
        case .inspector(var inspector):
            let before = inspector.line
            inspector.type(key)
            replaceTop(.inspector(inspector))
            if before != nil, inspector.line == nil { choosePasted() }
        case .acquisition, .dialog, .departure, .group, .help, .themes, .doctor, .activity, .settings, .stores: break
        }
    }

    private var isSearching: Bool { activeSearch?.isTyping ?? false }

    /// The screens that can be opened from any other; one that is open already comes up as it is.
    private mutating func show(_ command: Command) -> [Effect] {
        let lies = stack.contains {
            switch ($0, command) {
            case (.activity, .activity), (.doctor, .doctor), (.settings, .settings), (.themes, .themes),
                (.stores, .stores):
                true
            default: false
            }
        }
        guard !lies else {
            notice = "it is open already"
            return []
        }
        switch command {
        case .doctor: return examine()
        case .activity: stack.append(.activity(ActivityScreen()))
        case .stores: return openStores()
        case .settings: stack.append(.settings(SettingsSheet()))
        default: openThemes()
        }
        return []
    }

    mutating func replaceTop(_ screen: Screen) {
        guard !stack.isEmpty else { return }
        stack[stack.count - 1] = screen
    }

    var progress: SignInProgress? {
        guard case .progress(let screen) = top else { return nil }
        return screen
    }

    var acquisition: Acquisition? {
        guard case .acquisition(let screen) = top else { return nil }
        return screen
    }

    var dialog: Dialog? {
        guard case .dialog(let screen) = top else { return nil }
        return screen
    }

    var departure: Departure? {
        guard case .departure(let screen) = top else { return nil }
        return screen
    }
}

extension Screen {
    /// Whether "back" leaves the screen: the paste input and a token's details are closed first.
    fileprivate var pasteIsClosed: Bool {
        switch self {
        case .progress(let screen): screen.pasted == nil
        case .inspector(let screen): !screen.isReading && screen.line == nil
        case .scopes(let screen): screen.field == nil
        case .activity(let screen): !screen.isReading
        case .stores(let screen): !screen.isReading
        case .form, .acquisition, .dialog, .departure, .group, .help, .themes, .doctor, .settings, .palette: true
        }
    }
}
