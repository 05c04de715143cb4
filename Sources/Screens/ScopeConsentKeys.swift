import Explain
import Identity
import Terminal

extension State {
    mutating func perform(_ command: Command, _ given: ScopeConsent) -> [Effect] {
        var screen = given
        let entries = entries(given)
        let chosen = entries.indices.contains(given.selected) ? entries[given.selected] : nil
        switch command {
        case .open where given.field != nil:
            takeTyped(&screen, beside: chosen)
        case .back: screen.field = nil
        case .choose:
            guard let chosen else { return [] }
            if screen.toggle(chosen.choice) {
                notice = "one sign-in asks for one client: the other client's scopes are not chosen any more"
            }
        case .ask: return ask(given, chosen)
        case .typeScope: screen.field = TextField()
        case .more: screen.showsMore.toggle()
        case .compare:
            screen.comparison = nextComparison(given, chosen)
            screen.scroll = 0
            if screen.comparison == nil, given.comparison == nil {
                notice = "no other client has tokens of this account"
            }
        case .openBrowser:
            return overview(of: given.account).flatMap { ConsentPage.of($0.account).address }.map { [.openBrowser($0)] }
                ?? []
        default:
            move(command, given)
            return []
        }
        replaceTop(.scopes(screen))
        return []
    }

    private mutating func takeTyped(_ screen: inout ScopeConsent, beside chosen: ConsentSection.Entry?) {
        let names = (screen.field?.text ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
        if let bad = names.first(where: { !ScopeSet.isScope($0) }) {
            notice = "\"\(bad)\" is not a scope"
            return
        }
        screen.field = nil
        let section = sections(screen).first
        guard let clientID = chosen?.choice.clientID ?? section?.clientID else { return }
        screen.add(ScopeSet(names), clientID: clientID, realm: chosen?.choice.realm ?? section?.realm ?? "")
    }

    // MARK: Moving

    private mutating func move(_ command: Command, _ given: ScopeConsent) {
        let area = page(of: .scopes(given), in: Self.body(of: size), glyphs: .utf8).area
        let places = consentPage(given, width: area.columns, glyphs: .utf8).places
        guard !places.isEmpty else { return scroll(command) }
        var screen = given
        switch command {
        case .up, .down:
            let next = given.selected + (command == .up ? -1 : 1)
            // Before the first and after the last there is text to be read as well.
            guard places.indices.contains(next) else { return scroll(command) }
            screen.selected = next
            screen.show(places[next], rows: area.rows)
            replaceTop(.scopes(screen))
        case .first, .last:
            screen.selected = command == .first ? 0 : places.count - 1
            replaceTop(.scopes(screen))
            scroll(command)
        default:
            scroll(command)
            guard var moved = scopesScreen else { return }
            let shown = moved.scroll..<(moved.scroll + area.rows)
            if !shown.contains(places[min(moved.selected, places.count - 1)].lowerBound),
                let near = places.firstIndex(where: { shown.contains($0.lowerBound) })
            {
                moved.selected = near
            }
            replaceTop(.scopes(moved))
        }
    }

    // MARK: Asking

    private mutating func ask(_ given: ScopeConsent, _ marked: ConsentSection.Entry?) -> [Effect] {
        let choices =
            given.chosen.isEmpty ? marked.map { [$0.choice] } ?? [] : given.chosen.sorted { $0.scope < $1.scope }
        guard let first = choices.first, let overview = overview(of: given.account) else {
            notice = "choose scopes with Space, or type one with +"
            return []
        }
        let declined = entries(given).filter { $0.standing == .declined }.map(\.choice)
        let wanted = ScopeSet(choices.map(\.scope))
        let groups = groups(wanted, isMicrosoft: overview.isMicrosoft)
        guard let mine = groups.first, let authority = authority(first, overview) else {
            notice = "no authority is known for this client; write it into the settings"
            return []
        }
        let isGuest = overview.isMicrosoft && first.realm.isGUID
        let request = TokenRequest(
            scopes: mine, account: overview.account, authority: authority, tenant: isGuest ? first.realm : nil,
            correlationID: TokenRequest.unnumbered,
            // What was declined is not asked for again unless the page is demanded; what is new brings it by itself.
            prompt: choices.contains(where: declined.contains) ? .consent : nil,
            loginHint: overview.account.username.isEmpty ? nil : overview.account.username,
            extraScopes: groups.dropFirst().reduce(ScopeSet()) { $0.union($1) })
        let wish = SignInWish(clientID: first.clientID, request: request)
        var screen = given
        screen.asked = ScopeConsent.Asked(
            clientID: first.clientID, realm: first.realm, wanted: wanted,
            before: grantedScopes(given.account, clientID: first.clientID, realm: first.realm))
        screen.forgetChoices()
        screen.scroll = 0
        replaceTop(.scopes(screen))
        let flight = newFlight()
        stack.append(.progress(SignInProgress(wish: wish, flight: flight)))
        return [.signIn(wish, flight)]
    }

    /// One token is for one resource: its scopes first, the others are consented to beside it.
    private func groups(_ scopes: ScopeSet, isMicrosoft: Bool) -> [ScopeSet] {
        var groups: [(resource: String, scopes: ScopeSet)] = []
        for name in scopes.withoutReserved.names {
            let resource = ScopeNames.resource(of: name, isMicrosoft: isMicrosoft)
            if let index = groups.firstIndex(where: { $0.resource == resource }) {
                groups[index].scopes = groups[index].scopes.union([name])
            } else {
                groups.append((resource, [name]))
            }
        }
        return groups.isEmpty && !scopes.isEmpty ? [scopes] : groups.map(\.scopes)
    }

    private func authority(_ choice: ScopeConsent.Choice, _ overview: AccountOverview) -> Authority? {
        if let client = context.clients.first(where: { $0.clientID == choice.clientID }) {
            return try? Authority(client.authority, kind: client.kind)
        }
        guard Cloud.containing(host: overview.account.environment) != nil else { return nil }
        return try? Authority("https://\(overview.account.environment)/organizations")
    }

    private func nextComparison(_ screen: ScopeConsent, _ chosen: ConsentSection.Entry?) -> ScopeConsent.Comparison? {
        let holders = sections(screen).filter { !$0.groups.isEmpty }.map(\.clientID)
            .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        guard let base = screen.comparison?.base ?? chosen?.choice.clientID ?? holders.first else { return nil }
        let others = holders.filter { $0 != base }
        guard let before = screen.comparison?.other, let index = others.firstIndex(of: before) else {
            return others.first.map { .init(base: base, other: $0) }
        }
        return index + 1 < others.count ? .init(base: base, other: others[index + 1]) : nil
    }

    /// Back to the scopes that sent the person to the sign-in.
    ///
    /// - Returns: false when no such screen lies below.
    mutating func returnToScopes() -> Bool {
        let index = stack.lastIndex {
            if case .scopes(let screen) = $0 { return screen.asked != nil }
            return false
        }
        guard let index else { return false }
        stack.removeLast(stack.count - index - 1)
        return true
    }
}

extension ScopeConsent {
    fileprivate mutating func show(_ place: Range<Int>, rows: Int) {
        if place.lowerBound < scroll { scroll = place.lowerBound }
        // The heading above belongs to it.
        if place.upperBound > scroll + rows { scroll = min(place.lowerBound, place.upperBound - rows) }
    }
}
