import Explain
import Identity
import Keys

extension ScopeConsent: Feature {
    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .scopes, "Scopes",
                [
                    KeyBinding([.character(" ")], .choose, "choose", "select the scope, or clear it"),
                    KeyBinding([.character("a")], .ask, "ask", "request the selected scopes in a sign-in"),
                    KeyBinding([.character("+")], .typeScope, "type", "type scopes that are not in the list"),
                    KeyBinding([.character("m")], .more, "more", "show or hide other scopes that can be requested"),
                    KeyBinding(
                        [.character("c")], .compare, "compare", "compare with another client, the next one, none"),
                    KeyBinding(
                        [.character("b")], .openBrowser, "take back", "open the page to revoke consent"),
                ] + KeyBinding.reading(tools) + KeyBinding.closing + KeyBinding.everywhere)
        ]
    }

    package var keyContext: KeyContext { prompt == nil ? .scopes : .line }
    package var rowName: String { "scope" }
    package var entry: Int? { comparison == nil ? selected : nil }
    package var awaitsSignIn: Bool { asked != nil }

    package func offers(_ command: Command, in context: Context) -> Bool {
        let overview = context.overview(of: account)
        let hasChoices = comparison == nil && overview.map { $0.store == nil } ?? false
        return switch command {
        case .choose, .ask, .typeScope: hasChoices
        case .more: hasChoices
        case .openBrowser: overview.map { ConsentPage.of($0.account).address != nil } ?? false
        default: true
        }
    }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .select(let place): if scopes(in: context).indices.contains(place) { selected = place }
        case .text(let key), .command(.edit, let key): type(key)
        case .command(let command, _): return perform(command, in: context)
        default: break
        }
        return []
    }

    private mutating func perform(_ command: Command, in context: Context) -> [Action] {
        let scopes = scopes(in: context)
        let chosen = scopes.indices.contains(selected) ? scopes[selected] : nil
        switch command {
        case .open where prompt != nil: return takeTyped(beside: chosen, in: context)
        case .back where prompt != nil: stopTyping()
        case .back: return [.close]
        case .choose:
            if let chosen, toggle(chosen.choice) {
                return [.notice("a sign-in is for one client: the other client's scopes are no longer selected")]
            }
        case .ask: return ask(chosen, in: context)
        case .typeScope: startTyping()
        case .more: showsMore.toggle()
        case .compare:
            let before = comparison
            comparison = nextComparison(chosen, in: context)
            scroll = 0
            if comparison == nil, before == nil { return [.notice("no other client has tokens of this account")] }
        case .openBrowser:
            return context.overview(of: account).flatMap { ConsentPage.of($0.account).address }.map {
                [.perform(.openBrowser($0))]
            } ?? []
        default: return [.moveEntry(command)]
        }
        return []
    }

    private mutating func takeTyped(beside chosen: ConsentSection.Scope?, in context: Context) -> [Action] {
        let names = (prompt?.field.text ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
        if let bad = names.first(where: { !ScopeSet.isScope($0) }) { return [.notice("\"\(bad)\" is not a scope")] }
        stopTyping()
        let section = sections(in: context).first
        guard let clientID = chosen?.choice.clientID ?? section?.clientID else { return [] }
        add(ScopeSet(names), clientID: clientID, realm: chosen?.choice.realm ?? section?.realm ?? "")
        return []
    }

    // MARK: Asking

    private mutating func ask(_ marked: ConsentSection.Scope?, in context: Context) -> [Action] {
        let choices = chosen.isEmpty ? marked.map { [$0.choice] } ?? [] : chosen.sorted { $0.scope < $1.scope }
        guard let first = choices.first, let overview = context.overview(of: account) else {
            return [
                .notice(
                    "select scopes with \(context.name(of: .choose, at: .scopes)), or type one with "
                        + context.name(of: .typeScope, at: .scopes))
            ]
        }
        let declined = scopes(in: context).filter { $0.standing == .declined }.map(\.choice)
        let wanted = ScopeSet(choices.map(\.scope))
        let groups = Self.groups(wanted, isMicrosoft: overview.isMicrosoft)
        guard let mine = groups.first, let authority = Self.authority(first, overview, in: context) else {
            return [.notice("no authority is known for this client; add it to the settings")]
        }
        let isGuest = overview.isMicrosoft && first.realm.isGUID
        let request = TokenRequest(
            scopes: mine, account: overview.account, authority: authority, tenant: isGuest ? first.realm : nil,
            correlationID: TokenRequest.unnumbered,
            // What was declined is not asked for again unless the page is demanded; what is new brings it by itself.
            prompt: choices.contains(where: declined.contains) ? .consent : nil,
            loginHint: overview.account.username.isEmpty ? nil : overview.account.username,
            extraScopes: groups.dropFirst().reduce(ScopeSet()) { $0.union($1) })
        asked = Asked(
            clientID: first.clientID, realm: first.realm, wanted: wanted,
            before: Self.granted(overview, clientID: first.clientID, realm: first.realm))
        forgetChoices()
        scroll = 0
        let progress = SignInProgress(SignInRequest(clientID: first.clientID, request: request), in: context)
        return [.open(progress), .perform(progress.effect)]
    }

    /// One token is for one resource: its scopes first, the others are consented to beside it.
    private static func groups(_ scopes: ScopeSet, isMicrosoft: Bool) -> [ScopeSet] {
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

    private static func authority(_ choice: Choice, _ overview: AccountOverview, in context: Context) -> Authority? {
        if let client = context.clients.first(where: { $0.clientID == choice.clientID }) {
            return try? Authority(client.authority, kind: client.kind)
        }
        guard Cloud.containing(host: overview.account.environment) != nil else { return nil }
        return try? Authority("https://\(overview.account.environment)/organizations")
    }

    private func nextComparison(_ chosen: ConsentSection.Scope?, in context: Context) -> Comparison? {
        let holders = sections(in: context).filter { !$0.groups.isEmpty }.map(\.clientID)
            .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        guard let base = comparison?.base ?? chosen?.choice.clientID ?? holders.first else { return nil }
        let others = holders.filter { $0 != base }
        guard let before = comparison?.other, let index = others.firstIndex(of: before) else {
            return others.first.map { .init(base: base, other: $0) }
        }
        return index + 1 < others.count ? .init(base: base, other: others[index + 1]) : nil
    }
}
