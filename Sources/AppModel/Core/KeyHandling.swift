import Keys

// From a key to its effect: the tables map it to a command, and the top feature performs it.
extension AppState {
    package var keyContext: KeyContext {
        if let search = activeSearch, search.isTyping { return .search }
        return top.keyContext
    }

    /// Whether typing searches. Text that arrives faster than it can be searched is then combined into one search.
    package var looksForText: Bool { [.search, .palette, .filter].contains(keyContext) }

    package var keys: KeyTable { Registry.keys(keyContext, context.keyChanges) }

    /// The bindings whose command is available now, in the order of the footer.
    package var offered: [KeyBinding] {
        let top = top
        return keys.bindings.filter { isValid($0.command, top) }.map { binding in
            top.label(of: binding.command, in: context).map(binding.with) ?? binding
        }
    }

    package func isOffered(_ command: Command) -> Bool {
        keys.bindings.contains { $0.command == command } && isValid(command, top)
    }

    private func isValid(_ command: Command, _ top: any Feature) -> Bool {
        if command == .searchNext || command == .searchPrevious { return activeSearch != nil }
        if command == .copyMenu, topPage.copyables().isEmpty { return false }
        return top.offers(command, in: context)
    }

    mutating func handle(_ key: Key, _ face: Face) -> [Effect] {
        notice = nil
        let top = top
        if let binding = keys.bindings.first(where: { $0.keys.contains(key) && isValid($0.command, top) }) {
            return perform(binding.command, key, face)
        }
        // A terminal sends Alt as Escape and the key. Over a slow line, or while drawing, separate presses of both
        // arrive together and look the same. Typed text must not be discarded by them.
        if case .alt(let character) = key, !keys.takesText {
            return handle(.escape, face) + handle(.character(character), face)
        }
        if activeSearch?.isTyping == true { return performSearch(.edit, key, face) }
        return send(.text(key), to: stack.count, face)
    }

    mutating func perform(_ command: Command, _ key: Key, _ face: Face) -> [Effect] {
        switch command {
        case .search: startSearch(face)
        case .keepSearch, .clearSearch, .searchNext, .searchPrevious: return performSearch(command, key, face)
        case .edit where activeSearch?.isTyping == true: return performSearch(command, key, face)
        case .back where activeSearch != nil: return performSearch(.clearSearch, key, face)
        case .copyMenu: open(CopyMenu(topPage.copyables(), in: context))
        case .copy:
            let actions = topPage.copyables().lazy.map { [context] in $0.actions(in: context) }.first { !$0.isEmpty }
            return carryOut(actions ?? [], of: stack.count, face)
        case .palette: open(CommandPalette(offered))
        case .help: open(Help(keys, isHome: stack.isEmpty))
        case .toggleMouse:
            notice =
                context.mouse
                ? "mouse off: select text in the terminal" : "mouse on: click, double click, wheel"
            return [.mouse(!context.mouse)]
        case .redraw: return [.redraw]
        case .suspend: return [.suspend]
        case .quit: return [.quit]
        case _ where Registry.opensPage(command): return openPage(command, face)
        default:
            if let tab = Tab(command) { return open(tab, face) }
            return send(.command(command, key), to: stack.count, face)
        }
        return []
    }
}
