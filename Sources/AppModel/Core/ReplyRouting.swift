import Identity

// Routes a reply to the feature that awaits it, and an event to its feature. No feature lists events that do not
// concern it.
extension AppState {
    /// Drops a reply that no feature awaits any more. Only here is the store reloaded: once at the end of each request,
    /// whatever its result, because the request may have changed it.
    mutating func deliver(_ reply: Reply, of request: RequestID, _ face: Face) -> [Effect] {
        defer { if isNoticeOfWork, !isWorking { notice = nil } }
        if case .ended = reply { return [.load] }
        guard let place = stack.lastIndex(where: { $0.awaits(request) }) else {
            return home.awaits(request) ? send(.reply(reply, request), to: 0, face) : []
        }
        return send(.reply(reply, request), to: place + 1, face)
    }

    mutating func announce(_ event: Event, _ face: Face) -> [Effect] {
        // From the bottom up, so features closed on the way get no event.
        var effects: [Effect] = []
        var place = 0
        while place <= stack.count {
            effects += send(event, to: place, face)
            place += 1
        }
        return effects
    }

    /// - Parameter place: 0 for the list of accounts, others for the features on top of it.
    mutating func send(_ event: Event, to place: Int, _ face: Face) -> [Effect] {
        guard place > 0 else { return carryOut(home.update(event, in: context), of: 0, face) }
        guard stack.indices.contains(place - 1) else { return [] }
        return carryOut(stack[place - 1].update(event, in: context), of: place, face)
    }
}
