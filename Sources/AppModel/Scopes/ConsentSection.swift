import Explain
import Identity

/// A client's section of the page: its resources and their scopes.
struct ConsentSection: Equatable, Sendable {
    struct Scope: Equatable, Sendable {
        let choice: ScopeConsent.Choice
        /// Nil if never requested.
        let standing: ScopeStatus?
        let meaning: ScopeMeaning?
    }

    let clientID: String
    let realm: String
    var groups: [(resource: String, entries: [Scope])] = []

    static func == (left: ConsentSection, right: ConsentSection) -> Bool {
        left.clientID == right.clientID && left.realm == right.realm
            && left.groups.elementsEqual(right.groups) { $0 == $1 }
    }

    mutating func add(_ entry: Scope, to resource: String) {
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

extension ConsentSection {
    /// Explained scopes of the client's current resources that were not requested yet, riskiest last.
    ///
    /// - Parameter server: nil for Microsoft.
    fileprivate func more(at server: KnownServer?) -> ConsentSection {
        var more = ConsentSection(clientID: clientID, realm: realm)
        if let server {
            let issuer = ScopeIssuer.server(server)
            let known = Set(groups.flatMap(\.entries).map(\.choice.scope))
            let found = ScopeMeaning.all(of: server).filter { !known.contains($0.fullName) }
                .sorted { ($0.risk.rawValue, $0.name) < ($1.risk.rawValue, $1.name) }
            for meaning in found {
                let choice = ScopeConsent.Choice(clientID: clientID, realm: realm, scope: meaning.fullName)
                more.add(
                    Scope(choice: choice, standing: nil, meaning: ScopeMeaning.of(meaning.fullName, at: issuer)),
                    to: ScopeNames.resource(of: meaning.fullName, at: issuer))
            }
            return more
        }
        for group in groups {
            guard let first = group.entries.first?.choice.scope else { continue }
            let prefix = first.lastIndex(of: "/").map { String(first[...$0]) } ?? ""
            let bare = group.resource == ScopeNames.openID ? "" : ScopeMeaning.graph
            var resource = prefix.isEmpty ? bare : prefix.asciiLowercased
            while resource.hasSuffix("/") { resource.removeLast() }
            let known = Set(
                group.entries.map {
                    ($0.choice.scope.split(separator: "/").last.map(String.init) ?? "").asciiLowercased
                })
            let found = ScopeMeaning.all.filter { $0.resource == resource && !known.contains($0.name.asciiLowercased) }
                .sorted { ($0.risk.rawValue, $0.name) < ($1.risk.rawValue, $1.name) }
            for meaning in found {
                let choice = ScopeConsent.Choice(clientID: clientID, realm: realm, scope: prefix + meaning.name)
                more.add(Scope(choice: choice, standing: nil, meaning: meaning), to: group.resource)
            }
        }
        return more
    }

    /// The scopes whose name, resource or meaning contains the text; nil if there are none.
    fileprivate func filtered(by wanted: [Unicode.Scalar]) -> ConsentSection? {
        var kept = self
        kept.groups = groups.compactMap { group in
            let entries = group.entries.filter {
                TextSearch.isFound(wanted, in: "\($0.choice.scope) \(group.resource) \($0.meaning?.sentence ?? "")")
            }
            return entries.isEmpty ? nil : (group.resource, entries)
        }
        return kept.groups.isEmpty ? nil : kept
    }

    var count: Int { groups.reduce(0) { $0 + $1.entries.count } }
}

extension ScopeConsent {
    /// The page: current scopes by client, and others that can be requested.
    struct Listing {
        var present: [ConsentSection]
        var more: [ConsentSection]
        var moreCount: Int
    }

    func listing(in context: Context) -> Listing {
        let all = sections(in: context)
        let more: [ConsentSection] =
            switch context.overview(of: account).map({ context.scopeIssuer(of: $0.account) }) {
            case .microsoft: all.map { $0.more(at: nil) }.filter { $0.count > 0 }
            case .server(let server): all.map { $0.more(at: server) }.filter { $0.count > 0 }
            case .other, nil: []
            }
        let wanted = AccountFilter.fold(filter.text)
        let count = more.reduce(0) { $0 + $1.count }
        guard !wanted.isEmpty else { return Listing(present: all, more: showsMore ? more : [], moreCount: count) }
        // Current scopes are always shown; the filter applies only to others.
        return Listing(present: all, more: more.compactMap { $0.filtered(by: wanted) }, moreCount: count)
    }

    /// Granted, declined and requested scopes of each client, and those from its settings.
    func sections(in context: Context) -> [ConsentSection] {
        guard let overview = context.overview(of: account) else { return [] }
        let issuer = context.scopeIssuer(of: overview.account)
        let rows = ConsentRow.rows(overview, at: issuer) { id in
            context.configured(id, of: overview.account.id)?.scopes ?? []
        }
        var sections: [ConsentSection] = []
        func section(_ clientID: String, _ realm: String) -> Int {
            if let known = sections.firstIndex(where: { $0.clientID == clientID && $0.realm == realm }) { return known }
            sections.append(ConsentSection(clientID: clientID, realm: realm))
            return sections.count - 1
        }
        func add(_ name: String, _ standing: ScopeStatus?, _ index: Int) {
            let choice = ScopeConsent.Choice(
                clientID: sections[index].clientID, realm: sections[index].realm, scope: name)
            sections[index].add(
                ConsentSection.Scope(
                    choice: choice, standing: standing,
                    meaning: ScopeMeaning.of(name, at: issuer)),
                to: ScopeNames.resource(of: name, at: issuer))
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
        for choice in typed { add(choice.scope, nil, section(choice.clientID, choice.realm)) }
        // By client, then the home tenant before others, whatever the order in the store.
        let order = overview.account.clients
        let home = overview.account.homeTenantID
        func key(_ section: ConsentSection) -> (Int, String, String) {
            (
                order.firstIndex(of: section.clientID) ?? order.count,
                section.realm == home ? "" : context.tenantName(section.realm, of: overview.account), section.realm
            )
        }
        return sections.map { (key($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    func scopes(in context: Context) -> [ConsentSection.Scope] {
        guard comparison == nil else { return [] }
        let listing = listing(in: context)
        return (listing.present + listing.more).flatMap(\.groups).flatMap(\.entries)
    }

    /// The scopes of a client's tokens for the account, in one tenant or in all.
    static func granted(_ overview: AccountOverview?, clientID: String, realm: String? = nil) -> ScopeSet {
        (overview?.credentials ?? [])
            .filter { $0.kind == .accessToken && $0.clientID == clientID && (realm == nil || $0.realm == realm) }
            .reduce(ScopeSet()) { $0.union($1.scopes) }
    }
}
