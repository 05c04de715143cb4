import Identity
import Terminal

/// The only way from one state to the next: what happened goes in, what is to be done comes out.
package func update(_ state: inout State, _ message: Message) -> [Effect] {
    state.activity.hear(message)
    let effects = state.react(to: message)
    state.activity.follow(effects, at: state.now)
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
        case .loaded(let accounts):
            store = .loaded
            picker.show(accounts, names: context.clientName)
            picker.showSelection(rows: listRows)
            keepInspectorInside()
        case .storeFailed(let message, let hint):
            // Rows of a store that cannot be read any more must not be acted on.
            store = .failed(message: message, hint: hint)
            picker.show([], names: context.clientName)
        case .notice(let text): notice = text
        case .verified(let id, let finding): land(finding, of: id)
        case .step, .signIn, .acquired, .failed, .removed, .signedOut, .examination, .flight: return land(message)
        }
        return []
    }

    private mutating func press(_ key: Key) -> [Effect] {
        notice = nil
        // A screen that cannot be read must not be operated: a key would answer a question that nobody sees.
        let table = isTooSmall ? KeyTable(place: place, title: "", bindings: KeyTable.everywhere) : keys
        if let binding = table.binding(for: key, in: self) { return perform(binding.command, key) }
        if !isTooSmall { type(key) }
        return []
    }

    private mutating func perform(_ command: Command, _ key: Key) -> [Effect] {
        switch (command, top) {
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
        case (_, .themes(let chooser)): return perform(command, chooser)
        case (_, .activity(let screen)): return perform(command, screen)
        case (_, .doctor(let doctor)): return perform(command, doctor)
        case (_, .scopes), (_, .help):
            scroll(command)
            return []
        }
    }

    /// One level back; what was under way there is given up.
    private mutating func close(_ screen: Screen) -> [Effect] {
        stack.removeLast()
        // Behind a sign-in that has succeeded lies its form, which has done its work.
        if case .themes(let chooser) = screen { return chooser.name == chooser.before ? [] : [.showTheme(chooser.before)] }
        if case .progress(let progress) = screen, case .succeeded = progress.phase { stack.removeAll() }
        return screen.flight.map { [.cancel($0)] } ?? []
    }

    /// Text goes where text is taken, and nowhere else.
    private mutating func type(_ key: Key) {
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
            replaceTop(.progress(progress))
        case .inspector, .scopes, .acquisition, .dialog, .departure, .help, .themes, .doctor, .activity: break
        }
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
        case .inspector(let screen): !screen.isReading
        case .activity(let screen): !screen.isReading
        case .form, .scopes, .acquisition, .dialog, .departure, .help, .themes, .doctor: true
        }
    }
}
