import Identity

// What goes to one feature: a reply to the one that awaits it, an event to the place where it happens. No feature lists
// what is not its business.
extension AppState {
    /// A reply for which nobody waits any more is dropped. The one owner of reading the store again: once at the end of
    /// a request, whatever came of it, as the store may have changed on the way.
    mutating func deliver(_ reply: Reply, of request: RequestID, _ face: Face) -> [Effect] {
        defer { if isNoticeOfWork, !isWorking { notice = nil } }
        if case .ended = reply { return [.load] }
        guard let place = stack.lastIndex(where: { $0.awaits(request) }) else {
            return home.awaits(request) ? send(.reply(reply, request), to: 0, face) : []
        }
        return send(.reply(reply, request), to: place + 1, face)
    }

    mutating func announce(_ event: Event, _ face: Face) -> [Effect] {
        // From below, so that what one closes is not told any more.
        var effects: [Effect] = []
        var place = 0
        while place <= stack.count {
            effects += send(event, to: place, face)
            place += 1
        }
        return effects
    }

    /// - Parameter place: 0 is the list of accounts, the others lie on it.
    mutating func send(_ event: Event, to place: Int, _ face: Face) -> [Effect] {
        guard place > 0 else { return carryOut(home.update(event, in: context), of: 0, face) }
        guard stack.indices.contains(place - 1) else { return [] }
        let actions = stack[place - 1].update(event, in: context)
        return carryOut(actions, of: place, face)
    }
}
