import Identity
import Keys

// Performs the actions of features.
extension AppState {
    mutating func carryOut(_ actions: [Action], of place: Int, _ face: Face) -> [Effect] {
        // Each update gets a new number for the request that it begins.
        let begun = actions.contains { if case .perform(let effect) = $0 { effect.begins != nil } else { false } }
        if begun { context.nextRequest = context.nextRequest.next }
        return actions.flatMap { carryOut($0, of: place, face) }
    }

    private mutating func carryOut(_ action: Action, of place: Int, _ face: Face) -> [Effect] {
        switch action {
        case .perform(let effect):
            // On the list of accounts, the user wants to see that it is reloading.
            if place == 0, effect == .load { context.store = .loading }
            return [effect]
        case .notice(let text): notice = text
        case .open(let feature): open(feature)
        case .replace(let feature): replace(at: place - 1, with: feature)
        case .close: return close(place)
        case .finish(let account):
            let from = stack.lastIndex { ($0 as? ScopeConsent)?.asked != nil }
            stack.removeLast(stack.count - (from.map { $0 + 1 } ?? 0))
            if from == nil, let account { return send(.show(account), to: 0, face) }
        case .openPage(let command): return openPage(command, face)
        case .run(let command):
            remember(command)
            return carryOut(.pass(command), of: place, face)
        case .pass(let command):
            let effects = close(place)
            // The command may have become unavailable since the palette was opened.
            guard isOffered(command) else {
                notice = "\(command.name) is not available now"
                return effects
            }
            return effects + perform(command, .enter, face)
        case .announce(let event): return announce(event, face)
        case .scroll(let command): scroll(command, face)
        case .moveEntry(let command): return moveEntry(command, face)
        case .showEntry: showEntry(face)
        }
        return []
    }

    /// One level back; a running request there is cancelled.
    private mutating func close(_ place: Int) -> [Effect] {
        guard stack.indices.contains(place - 1) else { return [] }
        return stack.remove(at: place - 1).underWay.map { [.cancel($0)] } ?? []
    }

    /// Opens a page unless it is already open. A view of a tab replaces another one.
    mutating func openPage(_ command: Command, _ face: Face) -> [Effect] {
        guard let page = Registry.pages.first(where: { $0.binding.command == command }) else { return [] }
        guard !stack.contains(where: { type(of: $0) == page }) else {
            notice = "already open"
            return []
        }
        let (feature, actions) = page.opened(in: context)
        let isOtherView = page is any ActivityViewPage.Type && top is any ActivityViewPage
        let ended = isOtherView ? close(stack.count) : []
        open(feature)
        return ended + carryOut(actions, of: stack.count, face)
    }

    private mutating func remember(_ command: Command) {
        if context.commandHistory.last != command.name { context.commandHistory.append(command.name) }
        if context.commandHistory.count > 100 { context.commandHistory.removeFirst() }
    }
}
