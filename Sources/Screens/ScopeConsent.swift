import Explain
import Identity
import Terminal

/// What each client was granted, was refused and wants for an account; some of it can be chosen and asked for.
struct ScopeConsent: Equatable, Sendable {
    /// A scope as one client has or wants it.
    struct Choice: Hashable, Sendable {
        let clientID: String
        let realm: String
        let scope: String
    }

    /// What was asked for last, to tell what came of it.
    struct Asked: Equatable, Sendable {
        let clientID: String
        let realm: String
        let wanted: ScopeSet
        /// What the client's tokens had before.
        let before: ScopeSet
    }

    struct Comparison: Equatable, Sendable {
        let base: String
        let other: String
    }

    let account: AccountOverview.ID
    var scroll = 0
    /// Among the choices, in the order of the screen.
    var selected = 0
    /// What will be asked for: always of one client in one tenant, as one sign-in serves no more.
    private(set) var chosen: Set<Choice> = []
    /// What was typed by hand.
    private(set) var typed: [Choice] = []
    /// Whether what nobody asked for yet is offered, too.
    var showsMore = false
    var comparison: Comparison?
    var asked: Asked?
    /// The line that is being typed.
    var field: TextField?

    init(account: AccountOverview.ID) { self.account = account }

    /// - Returns: whether choices of another client were given up for this one.
    mutating func toggle(_ choice: Choice) -> Bool {
        if chosen.remove(choice) != nil { return false }
        let others = chosen.filter { $0.clientID != choice.clientID || $0.realm != choice.realm }
        chosen.subtract(others)
        chosen.insert(choice)
        return !others.isEmpty
    }

    mutating func add(_ scopes: ScopeSet, clientID: String, realm: String) {
        for name in scopes.names {
            let choice = Choice(clientID: clientID, realm: realm, scope: name)
            if !typed.contains(choice), typed.count < 100 { typed.append(choice) }
            if !chosen.contains(choice) { _ = toggle(choice) }
        }
    }

    mutating func forgetChoices() { chosen = [] }
}

/// A client's part of the screen: its resources, and the scopes of each.
struct ConsentSection: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        let choice: ScopeConsent.Choice
        /// Nil for what nobody asked for yet.
        let standing: ScopeStanding?
        let meaning: ScopeMeaning?
    }

    let clientID: String
    let realm: String
    var groups: [(resource: String, entries: [Entry])] = []

    static func == (left: ConsentSection, right: ConsentSection) -> Bool {
        left.clientID == right.clientID && left.realm == right.realm
            && left.groups.elementsEqual(right.groups) { $0 == $1 }
    }

    mutating func add(_ entry: Entry, to resource: String) {
        guard let index = groups.firstIndex(where: { $0.resource == resource }) else {
            groups.append((resource, [entry]))
            return
        }
        let scope = entry.choice.scope.asciiLowercased
        if !groups[index].entries.contains(where: { $0.choice.scope.asciiLowercased == scope }) {
            groups[index].entries.append(entry)
        }
    }
}

extension AccountOverview {
    /// Tenants are Microsoft's, also behind a host of nobody's table.
    var isMicrosoft: Bool { Cloud.containing(host: account.environment) != nil || account.homeTenantID != nil }
}

extension State {
    var scopesScreen: ScopeConsent? {
        guard case .scopes(let screen) = top else { return nil }
        return screen
    }

    /// What the screen offers, client by client.
    func sections(_ screen: ScopeConsent) -> [ConsentSection] {
        guard let overview = overview(of: screen.account) else { return [] }
        let isMicrosoft = overview.isMicrosoft
        let rows = ConsentRow.rows(overview) { id in context.clients.first { $0.clientID == id }?.scopes ?? [] }
        var sections: [ConsentSection] = []
        func section(_ clientID: String, _ realm: String) -> Int {
            if let known = sections.firstIndex(where: { $0.clientID == clientID && $0.realm == realm }) { return known }
            sections.append(ConsentSection(clientID: clientID, realm: realm))
            return sections.count - 1
        }
        func add(_ name: String, _ standing: ScopeStanding?, _ index: Int) {
            let choice = ScopeConsent.Choice(
                clientID: sections[index].clientID, realm: sections[index].realm, scope: name)
            sections[index].add(
                ConsentSection.Entry(
                    choice: choice, standing: standing,
                    meaning: ScopeNames.meaning(of: name, isMicrosoft: isMicrosoft)),
                to: ScopeNames.resource(of: name, isMicrosoft: isMicrosoft))
        }
        for client in overview.account.clients where !rows.contains(where: { $0.clientID == client }) {
            _ = section(client, overview.account.homeTenantID ?? "")
        }
        for row in rows {
            let index = section(row.clientID, row.realm)
            for name in row.granted.names { add(name, .granted, index) }
            for name in row.declined.names { add(name, .declined, index) }
            for name in row.open.names { add(name, .requested, index) }
        }
        for choice in screen.typed { add(choice.scope, nil, section(choice.clientID, choice.realm)) }
        if screen.showsMore, isMicrosoft { for index in sections.indices { addMore(to: &sections[index]) } }
        let order = overview.account.clients
        return sections.enumerated().sorted { left, right in
            let places = [left, right].map { order.firstIndex(of: $0.element.clientID) ?? order.count }
            return places[0] != places[1] ? places[0] < places[1] : left.offset < right.offset
        }.map(\.element)
    }

    /// Every scope that is explained here, of the resources that the client uses already.
    private func addMore(to section: inout ConsentSection) {
        for index in section.groups.indices {
            let group = section.groups[index]
            guard let first = group.entries.first?.choice.scope else { continue }
            let prefix = first.lastIndex(of: "/").map { String(first[...$0]) } ?? ""
            let bare = group.resource == ScopeNames.openID ? "" : ScopeMeaning.graph
            var resource = prefix.isEmpty ? bare : prefix.asciiLowercased
            while resource.hasSuffix("/") { resource.removeLast() }
            let known = Set(
                group.entries.map {
                    ($0.choice.scope.split(separator: "/").last.map(String.init) ?? "").asciiLowercased
                })
            let more = ScopeMeaning.all.filter { $0.resource == resource && !known.contains($0.name.asciiLowercased) }
                .sorted { ($0.risk.rawValue, $0.name) < ($1.risk.rawValue, $1.name) }
            section.groups[index].entries += more.map { meaning in
                let choice = ScopeConsent.Choice(
                    clientID: section.clientID, realm: section.realm, scope: prefix + meaning.name)
                return ConsentSection.Entry(choice: choice, standing: nil, meaning: meaning)
            }
        }
    }

    func entries(_ screen: ScopeConsent) -> [ConsentSection.Entry] {
        screen.comparison == nil ? sections(screen).flatMap(\.groups).flatMap(\.entries) : []
    }

    /// What a client's tokens for the account have, in one tenant or in all.
    func grantedScopes(_ account: AccountOverview.ID, clientID: String, realm: String? = nil) -> ScopeSet {
        (overview(of: account)?.credentials ?? [])
            .filter { $0.kind == .accessToken && $0.clientID == clientID && (realm == nil || $0.realm == realm) }
            .reduce(ScopeSet()) { $0.union($1.scopes) }
    }
}
