import AppModel
import Identity
import TOMLKit
import TokenCache

/// `[stores.NAME]`: a store of another program, or leave to change one that is known.
struct StoreSettings: Sendable {
    var name: String
    /// Nil for a program that is known by its name.
    var path: String?
    /// Whether it may be changed; only reading unless the person says so.
    var mayWrite: Bool
    /// Whether its accounts are left out of the interface.
    var isHidden: Bool
}

/// `[family] other_stores`: who may use a family refresh token that another program's store has.
enum FamilyOfOtherStores: Equatable, Sendable {
    case never, always
    /// These, by name or identifier.
    case clients([String])

    func serves(_ client: ClientChoice) -> Bool {
        switch self {
        case .never: false
        case .always: true
        case .clients(let names): names.contains(client.name) || names.contains(client.clientID)
        }
    }

    /// For a column of a table.
    var words: String {
        switch self {
        case .never: "no: switched off"
        case .always: "yes"
        case .clients(let names): "for " + names.joined(separator: ", ")
        }
    }
}

extension SettingsReader {
    func otherStores(_ table: TOMLTable) throws(Failure) -> [StoreSettings] {
        guard let value = table["stores"] else { return [] }
        guard let tables = value.table else {
            throw wrong(line: line(of: "stores", in: nil), "stores is not a table", write: "[stores.azure-cli]")
        }
        var stores: [StoreSettings] = []
        for name in tables.keys.sorted() {
            let section = "stores.\(name)"
            guard let table = tables[name]?.table else {
                throw wrong(line: line(of: name, in: "stores"), "\(section) is not a table", write: "[\(section)]")
            }
            try refuseUnknown(in: table, known: SettingsTable.names(SettingsTable.store), at: section)
            let path = try string("path", in: table, at: section)
            let isKnown = KnownPlaces.isKnown(name)
            guard name != "foyer" else {
                throw wrong(
                    line: headerLine(section), "the store of foyer is named by store",
                    write: "store = \"file:PATH\" at the top")
            }
            guard isKnown != (path != nil) else {
                throw wrong(
                    line: headerLine(section),
                    isKnown ? "\(name) is where its program keeps it" : "[\(section)] has no path",
                    write: isKnown
                        ? "write = true or hidden = true only, or another name" : "path = \"/PATH/OF/A/CACHE.json\"")
            }
            if let path {
                do { _ = try StoreSpec(path) } catch {
                    throw wrong(
                        line: line(of: "path", in: section), error.message,
                        write: "path = \"file:PATH\", \"encrypted:PATH\" or \"keyring:NAME\"")
                }
            }
            stores.append(
                StoreSettings(
                    name: name, path: path, mayWrite: try flag("write", in: table, at: section) ?? false,
                    isHidden: try flag("hidden", in: table, at: section) ?? false))
        }
        return stores
    }

    func familyOfOtherStores(_ table: TOMLTable) throws(Failure) -> FamilyOfOtherStores {
        guard let value = table["family"] else { return .never }
        guard let family = value.table else {
            throw wrong(
                line: line(of: "family", in: nil), "family is not a table", write: "[family] and other_stores = true")
        }
        try refuseUnknown(in: family, known: SettingsTable.names(SettingsTable.family), at: "family")
        if family["other_stores"]?.array != nil {
            let names = try strings("other_stores", in: family, at: "family")
            return names.isEmpty ? .never : .clients(names)
        }
        return try flag("other_stores", in: family, at: "family") ?? false ? .always : .never
    }
}

extension CommandContext {
    /// Every store that is looked for: foyer's own first, then the known programs', then those of the settings.
    func sources(_ client: ClientChoice?) throws(Failure) -> [StoreSource] {
        let own = try storeSpec(client)
        let environment = environment
        let isElsewhere = homeOfPrograms != nil
        let places = KnownPlaces(home: homeOfPrograms ?? environment.home) { isElsewhere ? nil : environment[$0] }
        let known = places.sources.map { source in
            var source = source
            source.mayWrite = settings.stores.first { $0.name == source.name }?.mayWrite ?? false
            return source
        }
        var named: [StoreSource] = []
        for store in settings.stores {
            guard let path = store.path else { continue }
            named.append(.named(store.name, try spec(path), mayWrite: store.mayWrite))
        }
        // A store that is foyer's own by option or settings is not another program's as well.
        return [.own(own)] + (known + named).filter { $0.place != own.path }
    }

    /// What is found at all these places; nothing is changed at any, and nobody is asked for a passphrase.
    func findings(_ client: ClientChoice?) throws(Failure) -> [StoreProbe] {
        let hasSession = DefaultStore(environment).hasSession
        return try sources(client).map { $0.look(hasSession: hasSession) }
    }

    /// The accounts of other programs' stores, each with the store that it is in; those of stores that the person has
    /// hidden are left out.
    func accountsElsewhere() throws(Failure) -> [AccountOverview] {
        let hidden = settings.stores.filter(\.isHidden).map(\.name)
        let hasSession = DefaultStore(environment).hasSession
        return try sources(try clientIfAny()).dropFirst().filter { !hidden.contains($0.name) }.map {
            $0.look(hasSession: hasSession)
        }
        .filter(\.isUsable).flatMap { finding in
            let store = otherStore(finding.source)
            return finding.snapshot.overviews(clientID: nil).map { overview in
                var overview = overview
                overview.store = store
                return overview
            }
        }
    }

    private func otherStore(_ source: StoreSource) -> OtherStore {
        OtherStore(
            name: source.name, program: source.program, place: short(source.place), isWritable: source.mayWrite,
            profile: source.profile.map(short))
    }

    /// Every store as the screens tell it, foyer's own first.
    func storeLines() throws(Failure) -> [StoreLine] {
        let hasSession = DefaultStore(environment).hasSession
        return try sources(try clientIfAny()).enumerated().map { index, source in
            // Only foyer's own store is opened with the keys that the person has given.
            let finding = source.look(keys: index == 0 ? keys : StoreKeys(), hasSession: hasSession)
            return StoreLine(
                name: source.name, program: source.program, place: short(source.place), state: finding.state,
                findings: finding.findings,
                badge: finding.spec?.kind.badge, accounts: finding.accountCount, tokens: finding.tokenCount,
                isWritable: source.mayWrite,
                isHidden: settings.stores.first { $0.name == source.name }?.isHidden ?? false)
        }
    }

    /// The stores that a command reads: foyer's own, or with `--all-stores` each usable one, with its name.
    func readings(_ client: ClientChoice?, all: Bool) throws(Failure) -> [(name: String, snapshot: CacheSnapshot)] {
        guard all else { return [("foyer", try snapshot(client))] }
        let anyClient = try clientIfAny()
        let found = try findings(client ?? anyClient)
        // What is wrong with the person's own store is not passed over.
        let own = try snapshot(client)
        return [("foyer", own)] + found.dropFirst().filter(\.isUsable).map { ($0.source.name, $0.snapshot) }
    }
}
