import AppModel
import ArgumentParser
import CommandSupport
import Explain
import FoundationEssentials
import Identity
import StrictJSON
import TokenCache

struct ScopesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scopes",
        abstract: "Show what each client was granted, by account",
        discussion: "Granted, declined and requested permissions per client, account and resource.")
    @OptionGroup var allStores: AllStoresOption
    @OptionGroup var selection: SelectionOptions
    @OptionGroup var wide: WideOption
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let client = try session.clientIfAny(onlyIfNamed: true)
        var accounts: [AccountOverview] = []
        var rows: [Row] = []
        func add(_ store: String, _ overviews: [AccountOverview]) {
            for overview in overviews {
                accounts.append(overview)
                let issuer = session.scopeIssuer(of: overview.account)
                rows += ConsentRow.rows(overview, at: issuer, configured: session.askedFor).filter { row in
                    client.map { ClientID.isSame($0.clientID, row.clientID) } ?? true
                }
                .map { (store, overview.account, $0) }
            }
        }
        if client == nil, !allStores.isOn {
            try session.reading(nil) { _, overviews in
                (accounts, rows) = ([], [])
                add("foyer", overviews())
            }
        } else {
            for (store, snapshot) in try session.readings(client, all: allStores.isOn) {
                add(store, snapshot.overviews(clientID: client?.clientID))
            }
        }
        let selected = try SelectedCredentials(
            selection.selection(session), session, all: allStores.isOn, at: Date())
        if let named = session.shared.account {
            let all = accounts.map(\.account).filter { selected?.contains($0.id) ?? true }
            let account = try AccountChoice.find(named, amongStores: all)
            rows = rows.filter { $0.account.id.isSamePerson(as: account.id) }
        }
        if let selected {
            rows = rows.filter { selected.contains($0.account.id, $0.row.clientID, in: $0.row.realm) }
        }
        let clients = ClientNames(session, accounts)
        if session.output.json {
            session.output.result("scopes") { body in
                for (store, account, row) in rows {
                    let client = clients.name(of: row.clientID, account.id, in: row.realm)
                    body(Self.json(row, client, account.label).of(store: allStores.isOn ? store : nil))
                }
            }
        } else {
            list(rows, session, clients)
        }
    }

    private typealias Row = (store: String, account: Account, row: ConsentRow)

    /// Declined permissions first, then those not granted yet.
    private func list(_ rows: [Row], _ session: CommandContext, _ clients: ClientNames) {
        guard !rows.isEmpty else {
            session.output.note("foyer: no permissions yet: none granted or requested; " + session.signInHint())
            return
        }
        func isDeclined(_ row: Row) -> Bool { !row.row.declined.names.isEmpty }
        func isOpen(_ row: Row) -> Bool { !isDeclined(row) && !row.row.open.names.isEmpty }
        session.list(
            rows.filter(isDeclined) + rows.filter(isOpen) + rows.filter { !isDeclined($0) && !isOpen($0) },
            [
                .init("STORE", least: 8, isPart: allStores.isOn) { .init($0.store, .muted) },
                .init("ACCOUNT", least: 12, usual: 32) { .init($0.account.label) },
                .init("CLIENT", least: 8, usual: 20, rank: 1) {
                    .init(clients.name(of: $0.row.clientID, $0.account.id, in: $0.row.realm), .muted)
                },
                .init("TENANT", least: 13, usual: 36, rank: 3) { .init($0.row.realm, .muted) },
                .init("RESOURCE", least: 12, usual: 32, rank: 2) { .init($0.row.resource, .muted) },
                .init("GRANTED", least: 12, isList: true) { .init($0.row.granted.description) },
                .init("DECLINED", least: 10, usual: 24, isList: true) { .init($0.row.declined.description, .danger) },
                .init("NOT GRANTED YET", least: 15, usual: 24, isList: true) {
                    .init($0.row.open.description, .attention)
                },
            ], isWide: wide.isOn)
    }

    private static func json(_ row: ConsentRow, _ client: String, _ username: String) -> JSONValue {
        let all = row.granted.union(row.declined).union(row.requested)
        return JSONValue(
            ("clientId", row.clientID.json), ("client", client.json), ("username", username.json),
            ("realm", row.realm.json),
            ("resource", row.resource.json),
            ("granted", row.granted.json), ("requested", row.requested.json), ("declined", row.declined.json),
            ("adminOnly", row.administrators.json),
            (
                "meanings",
                JSONValue(
                    all.names.compactMap { name in ScopeMeaning.of(name, at: row.issuer).map { (name, $0.json) } })
            ))
    }
}

extension ScopeMeaning {
    fileprivate var json: JSONValue {
        JSONValue(
            ("sentence", sentence.json), ("risk", risk.word.json), ("needsAdministrator", .bool(needsAdministrator)),
            ("includes", .array(includes.map(\.json))))
    }
}

extension CommandContext {
    func knownServer(of account: Account) -> KnownServer? {
        KnownServer.of(account, clients: settings.clients.map { ($0.authority, $0.kind, $0.behaviour.server) })
    }

    func knownServer(of credential: CachedCredential) -> KnownServer? {
        KnownServer.of(credential, clients: settings.clients.map { ($0.authority, $0.kind, $0.behaviour.server) })
    }

    fileprivate func scopeIssuer(of account: Account) -> ScopeIssuer {
        ScopeIssuer(account, server: knownServer(of: account))
    }

    /// Scopes requested with a client: from the command line, else from the settings.
    fileprivate func askedFor(_ clientID: String) -> ScopeSet {
        if !shared.scopes.isEmpty { return ScopeSet(shared.scopes) }
        return ScopeSet(settings.clients.first { $0.clientID == clientID }?.scopes ?? [])
    }
}
