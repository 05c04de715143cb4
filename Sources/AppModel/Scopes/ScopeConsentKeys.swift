import Explain
import Identity
import Keys

extension ScopeConsent: Feature {
    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .scopes, "Consent",
                [
                    KeyBinding([.character(" ")], .choose, "choose", "select or deselect"),
                    KeyBinding([.enter, .character("a")], .ask, "review", "review the selection, then request it"),
                    KeyBinding([.character("/")], .filter, "filter", "filter all permissions"),
                    KeyBinding([.character("+")], .typeScope, "type", "type scopes that are not in the list"),
                    KeyBinding([.character("m")], .more, "more", "show or hide more permissions"),
                    KeyBinding([.character("c")], .compare, "compare", "compare with another client (cycles)"),
                    KeyBinding([.character("b")], .openBrowser, "revoke", "open the page to revoke consent"),
                ] + KeyBinding.scrolling + tools + KeyBinding.closing),
            KeyTable(
                .review, "Review the request",
                [
                    KeyBinding([.enter, .character(" ")], .open, "choose", "press the selected button"),
                    KeyBinding([.character("y")], .yes, "sign in", "start the sign-in"),
                    KeyBinding([.character("n"), .escape, .character("q")], .no, "no", "cancel"),
                    .otherButton,
                    KeyBinding([.character("?"), .function(1)], .help, "help", "show keys"),
                ] + KeyBinding.scrolling),
        ]
    }

    package var keyContext: KeyContext { review != nil ? .review : prompt == nil ? .scopes : .line }
    package var entry: Int? { comparison == nil && review == nil ? selected : nil }

    package func offers(_ command: Command, in context: Context) -> Bool {
        let overview = context.overview(of: account)
        let hasChoices = comparison == nil && overview.map { $0.store == nil } ?? false
        return switch command {
        case .choose, .ask, .typeScope: hasChoices
        case .more: hasChoices && filter.isEmpty
        case .filter: comparison == nil && overview != nil
        case .compare: comparison != nil || holders(in: context).count > 1
        case .openBrowser: overview.map { consentPage(of: $0, in: context).address != nil } ?? false
        default: true
        }
    }

    func copyables(in context: Context) -> [Copyable] {
        guard let overview = context.overview(of: account) else { return [] }
        return [
            Copyable("permission", entry == nil ? nil : marked(in: context)?.choice.scope),
            Copyable("selected permissions", chosen.map(\.scope).sorted().joined(separator: " ")),
            Copyable("address to revoke consent", consentPage(of: overview, in: context).address?.text),
            pageReport(in: context),
        ]
    }

    /// Some servers have a page for each client: that of the row under the cursor, else the first one's.
    func consentPage(of overview: AccountOverview, in context: Context) -> ConsentPage {
        ConsentPage.of(
            overview.account, server: context.server(of: overview.account),
            clientID: marked(in: context)?.choice.clientID ?? overview.account.clients.first)
    }

    /// The scope of the row under the cursor.
    func marked(in context: Context) -> ConsentSection.Scope? {
        let scopes = scopes(in: context)
        return scopes.indices.contains(selected) ? scopes[selected] : nil
    }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        if review != nil { return updateReview(event, in: context) }
        switch event {
        case .select(let place): if scopes(in: context).indices.contains(place) { selected = place }
        case .storeChanged:
            if let place = scopes(in: context).firstIndex(where: { $0.choice == held }) { selected = place }
        case .text(let key), .command(.edit, let key):
            guard type(key) else { break }
            // The first match below the current scopes.
            let listing = listing(in: context)
            if !filter.isEmpty, !listing.more.isEmpty { selected = listing.present.reduce(0) { $0 + $1.count } }
            return [.showEntry]
        case .command(let command, _): return perform(command, in: context)
        default: break
        }
        return []
    }

    package mutating func hold(in context: Context) { held = marked(in: context)?.choice }

    private mutating func perform(_ command: Command, in context: Context) -> [Action] {
        let chosen = marked(in: context)
        switch command {
        case .open where isFiltering: stopTyping()
        case .back where isFiltering:
            stopTyping()
            clearFilter()
        case .open where prompt != nil: return takeTyped(beside: chosen, in: context)
        case .back where prompt != nil: stopTyping()
        case .back where !filter.isEmpty: clearFilter()
        case .back: return [.close]
        case .filter: startFilter()
        case .choose:
            guard let chosen else { break }
            let others = toggle(chosen.choice)
            return [.moveEntry(.down)]
                + (others
                    ? [.notice("a sign-in is for one client: the other client's scopes are no longer selected")] : [])
        case .ask: return ask(in: context)
        case .typeScope: startTyping()
        case .more: showsMore.toggle()
        case .compare:
            comparison = nextComparison(chosen, in: context)
            scroll = 0
        case .openBrowser:
            return context.overview(of: account).flatMap { consentPage(of: $0, in: context).address }.map {
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

    /// Shows the summary. The row under the cursor does not count as a selection: it may be there by accident.
    private mutating func ask(in context: Context) -> [Action] {
        let choices = chosen.sorted { $0.scope < $1.scope }
        guard let first = choices.first, let overview = context.overview(of: account) else {
            return [
                .notice(
                    "nothing selected: select with \(context.name(of: .choose, at: .scopes)), or type one with "
                        + context.name(of: .typeScope, at: .scopes))
            ]
        }
        let declined = scopes(in: context).filter { $0.standing == .declined }.map(\.choice)
        let wanted = ScopeSet(choices.map(\.scope))
        let groups = Self.groups(wanted, at: context.scopeIssuer(of: overview.account))
        guard let mine = groups.first, let authority = Self.authority(first, overview, in: context) else {
            return [.notice("no authority for this client; add one to the settings")]
        }
        let isGuest = overview.isMicrosoft && first.realm.isGUID
        let request = TokenRequest(
            scopes: mine, account: overview.account, authority: authority, tenant: isGuest ? first.realm : nil,
            correlationID: TokenRequest.unnumbered,
            // Declined scopes are only requested again on the consent page; new ones open it anyway.
            prompt: choices.contains(where: declined.contains) ? .consent : nil,
            loginHint: overview.account.username.isEmpty ? nil : overview.account.username,
            extraScopes: groups.dropFirst().reduce(ScopeSet()) { $0.union($1) })
        let asked = Asked(
            clientID: first.clientID, realm: first.realm, wanted: wanted,
            before: Self.granted(overview, clientID: first.clientID, realm: first.realm))
        let client = context.configured(first.clientID, of: overview.account.id, in: first.realm)
        review = ConsentReview(
            SignInRequest(clientID: first.clientID, clientName: client?.name, request: request), asked, in: context)
        scroll = 0
        return []
    }

    private mutating func updateReview(_ event: Event, in context: Context) -> [Action] {
        switch review?.question.answer(to: event) {
        case .cancelled:
            review = nil
            return [.showEntry]
        case .confirmed: return start(in: context)
        case .other(let command): return [.scroll(command)]
        case nil: return []
        }
    }

    private mutating func start(in context: Context) -> [Action] {
        guard let review else { return [] }
        self.review = nil
        asked = review.asked
        chosen = []
        scroll = 0
        let progress = SignInProgress(review.request, in: context)
        return [.open(progress), .perform(progress.effect)]
    }

    /// A token is for one resource: its scopes come first. The others get consent in the same sign-in.
    private static func groups(_ scopes: ScopeSet, at issuer: ScopeIssuer) -> [ScopeSet] {
        // Their tokens are for everything that was granted.
        if case .server = issuer { return scopes.isEmpty ? [] : [scopes] }
        var groups: [(resource: String, scopes: ScopeSet)] = []
        for name in scopes.withoutReserved.names {
            let resource = ScopeNames.resource(of: name, at: issuer)
            if let index = groups.firstIndex(where: { $0.resource == resource }) {
                groups[index].scopes = groups[index].scopes.union([name])
            } else {
                groups.append((resource, [name]))
            }
        }
        return groups.isEmpty && !scopes.isEmpty ? [scopes] : groups.map(\.scopes)
    }

    private static func authority(_ choice: Choice, _ overview: AccountOverview, in context: Context) -> Authority? {
        if let client = context.configured(choice.clientID, of: overview.account.id, in: choice.realm) {
            return try? Authority(client.authority, kind: client.kind)
        }
        guard Cloud.containing(host: overview.account.environment) != nil else { return nil }
        return try? Authority("https://\(overview.account.environment)/organizations")
    }

    private func holders(in context: Context) -> [String] {
        sections(in: context).filter { !$0.groups.isEmpty }.map(\.clientID)
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private func nextComparison(_ chosen: ConsentSection.Scope?, in context: Context) -> Comparison? {
        let holders = holders(in: context)
        guard let base = comparison?.base ?? chosen?.choice.clientID ?? holders.first else { return nil }
        let others = holders.filter { $0 != base }
        guard let before = comparison?.other, let index = others.firstIndex(of: before) else {
            return others.first.map { .init(base: base, other: $0) }
        }
        return index + 1 < others.count ? .init(base: base, other: others[index + 1]) : nil
    }
}
