import AppModel
import ArgumentParser
import CommandSupport
import Console
import FoundationEssentials
import Identity
import StrictJSON
import TokenCache

struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts", abstract: "List accounts (offline)",
        discussion: "Accounts that need sign-in come first.")
    @Flag(name: .customLong("needs-sign-in"), help: "Only accounts that need sign-in")
    var needsSignIn = false
    @Option(help: ArgumentHelp("Show at most this many", valueName: "number"))
    var limit: Int?
    @OptionGroup var allStores: AllStoresOption
    @OptionGroup var wide: WideOption
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
    }

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let client = try session.clientIfAny(onlyIfNamed: true)
        let own: StoreReading
        var overviews: [(store: String, overview: AccountOverview)]
        if client == nil, !allStores.isOn {
            let found = try session.reading()
            own = found.reading
            overviews = found.overviews.map { (Self.ownStore, $0) }
        } else {
            let readings = try session.readings(client, all: allStores.isOn)
            own = .whole(readings.first?.snapshot ?? .empty)
            overviews = readings.flatMap { store, snapshot in
                snapshot.overviews(clientID: client?.clientID).map { (store, $0) }
            }
        }
        let legacy = LegacySources(session.environment)
        if overviews.isEmpty {
            // No account is signed in: list the accounts of an old Azure CLI, with the command to import them.
            overviews = legacy.accounts().filter { client == nil || $0.clients.contains(client?.clientID ?? "") }
                .map { (legacy.path, AccountOverview(account: $0, credentials: [])) }
            if !overviews.isEmpty {
                session.output.warn(
                    "these are in \(legacy.path); run \"foyer import \(legacy.path.shellWord)\" to use them")
            }
        }
        // The JSON does not include the status.
        if shared.json, !needsSignIn { return show(overviews, session) }
        let now = Date()
        let usual = try session.clientIfAny()?.clientID
        let planner = try SilentCallPlanner.listing(session, client, own)
        // The status is the decision of a silent call, as in the interface; for other stores, the existing credentials.
        let all = overviews.map { store, overview in
            let meant = overview.account.client(meant: client?.clientID, default: usual)
            let planned =
                store == Self.ownStore
                ? meant.map { planner.call(for: overview.account, clientID: $0, at: now).status } : nil
            return AccountRow(
                store: store, overview: overview,
                status: planned ?? overview.standing(at: now, clientID: client?.clientID))
        }
        let wanted = needsSignIn ? all.filter(\.status.needsPerson) : all
        if shared.json { return show(wanted.map { ($0.store, $0.overview) }, session) }
        guard !wanted.isEmpty else {
            return session.output.note(
                "foyer: " + (all.isEmpty ? session.nobodySignedIn : "no account needs sign-in"))
        }
        let rows = Array(AccountRow.mostUrgentFirst(wanted).prefix(limit ?? .max))
        let screen = session.screen
        let table = AccountRow.listing(rows, session, namesStores: allStores.isOn, at: now)
        session.output.listing(table, on: screen, isWide: wide.isOn)
        let urgent = all.count { $0.status.needsPerson }
        session.output.trailer(
            counted(all.count, "account") + (urgent == 0 ? "" : ", " + needingSignIn(urgent)), on: screen)
    }

    private static let ownStore = "foyer"

    private func show(_ overviews: [(store: String, overview: AccountOverview)], _ session: CommandContext) {
        let accounts = overviews.prefix(limit ?? .max).map { store, overview in
            overview.account.listJSON.of(store: allStores.isOn ? store : nil)
        }
        session.output.result(JSONValue(("accounts", .array(accounts))))
    }
}

private struct AccountRow {
    let store: String
    let overview: AccountOverview
    let status: AccountStatus

    var account: Account { overview.account }

    /// Accounts that need sign-in first, then by name.
    static func mostUrgentFirst(_ rows: [AccountRow]) -> [AccountRow] {
        rows.map { ($0.status.needsPerson ? 0 : 1, $0.account.label.lowercased(), $0.account.homeAccountID, $0) }
            .sorted { ($0.0, $0.1, $0.2, $0.3.store) < ($1.0, $1.1, $1.2, $1.3.store) }.map(\.3)
    }

    static func listing(_ rows: [AccountRow], _ session: CommandContext, namesStores: Bool, at now: Date) -> Listing {
        let clock = Clock(now: now, secondsFromGMT: 0)
        func label(_ row: AccountRow) -> AccountStatusLabel { AccountStatusLabel(row.status, clock: clock) }
        return Listing(
            rows,
            [
                .init("STORE", least: 8, isPart: namesStores) { .init($0.store, .muted) },
                .init("ACCOUNT", least: 16) {
                    .init($0.account.label, sign: TextSpan("", label($0).tone, sign: label($0).sign))
                },
                .init("CLIENT", least: 8, usual: 20, rank: 1) {
                    .init($0.account.clients.map(session.clientName).joined(separator: ", "), .muted)
                },
                .init("TOKEN") { .init(label($0).word, label($0).wordTone) },
                .init("NOTE", least: 8, rank: 2) { .init($0.note, .muted) },
                .init("NAME", least: 8, usual: 24, rank: 3) { .init($0.account.name ?? "", .muted) },
                .init("TENANT", least: 13, rank: 4) { .init($0.account.homeTenantID ?? $0.account.provider, .muted) },
                .init("ID", least: 16, usual: 80, rank: 5, isForPipes: !hasHomonyms(rows)) {
                    .init($0.account.homeAccountID, .muted)
                },
            ])
    }

    /// Whether two rows differ only in their identifiers.
    private static func hasHomonyms(_ rows: [AccountRow]) -> Bool {
        Set(rows.map { [$0.store, $0.account.label, $0.account.homeTenantID ?? $0.account.provider] }).count
            < rows.count
    }

    private var note: String {
        let guests = account.tenantProfiles.count { !$0.isHome }
        return [account.origin == .adal ? "from ADAL" : "", guests == 0 ? "" : "+" + counted(guests, "guest tenant")]
            .filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

struct ClientsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients", abstract: "List configured clients; --all adds well-known ones")
    @Flag(help: "Include well-known clients")
    var all = false
    @OptionGroup var wide: WideOption
    @OptionGroup(title: "Common options") var shared: SharedOptions

    private typealias Row = (name: String, id: String, authority: String, origin: String)

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let usual = try session.clientIfAny()
        func isDefault(_ client: Row) -> Bool { usual?.name == client.name && usual?.clientID == client.id }
        var configured: [Row] = session.settings.clients.map { ($0.name, $0.clientID, $0.authority ?? "", "settings") }
        let known: [Row] = Client.wellKnown.map {
            ($0.name, $0.id, "", $0.isFamily ? "well known, family" : "well known")
        }
        // The client of the first sign-in, if the settings do not have it.
        if let usual, !(configured + known).contains(where: { $0.id == usual.clientID }) {
            configured.append((usual.name, usual.clientID, usual.authority ?? "", "first sign-in"))
        }
        if shared.json {
            let clients = (configured + known).map {
                JSONValue(
                    ("name", $0.name.json), ("clientId", $0.id.json), ("authority", $0.authority.json),
                    ("origin", $0.origin.json), ("isDefault", .bool(isDefault($0))))
            }
            return session.output.result(JSONValue(("clients", .array(clients))))
        }
        // A configured client is not listed again as well known.
        let others = known.filter { known in !configured.contains { $0.id == known.id } }
        let shown = configured + (all ? others : others.filter(isDefault))
        let screen = session.screen
        if !shown.isEmpty {
            session.list(
                shown,
                [
                    .init("NAME", least: 12) { .init($0.name) },
                    .init("CLIENT ID", least: 13) { .init($0.id, .muted) },
                    .init("AUTHORITY", least: 20, usual: 60, rank: 1) { .init($0.authority, .muted) },
                    .init("FROM", rank: 2) { .init($0.origin + (isDefault($0) ? ", default" : ""), .muted) },
                ], isWide: wide.isOn)
        }
        guard !all else { return }
        let hint = "\"foyer clients --all\" lists \(others.count) well-known clients that --client takes by name"
        if configured.isEmpty {
            session.output.note("foyer: no client is configured; \(hint)")
        } else {
            session.output.trailer("hint: \(hint)", on: screen)
        }
    }
}

extension CommandContext {
    /// Listings cover the whole store unless a client is named.
    func clientIfAny(onlyIfNamed: Bool) throws(Failure) -> ClientChoice? {
        guard shared.clientID != nil || shared.client != nil || environment["FOYER_CLIENT"] != nil else { return nil }
        return try clientIfAny()
    }

    func snapshot(_ client: ClientChoice?) throws(Failure) -> CacheSnapshot {
        let anyClient = try clientIfAny()
        return try read(client ?? anyClient) { cache throws(StoreError) in try cache.read() }
    }

    /// All accounts in foyer's own store; in a large store, an account's entries are read on demand.
    func reading() throws(Failure) -> (reading: StoreReading, overviews: [AccountOverview]) {
        try read(try clientIfAny()) { cache throws(StoreError) in try cache.reading() }
    }

    /// Reads foyer's own store, piece by piece if it is large; see ``TokenCache/TokenCache/reading(_:)``.
    func reading<Value>(_ client: ClientChoice?, _ body: (StoreReading, () -> [AccountOverview]) -> Value)
        throws(Failure) -> Value
    {
        let anyClient = try clientIfAny()
        return try read(client ?? anyClient) { cache throws(StoreError) in try cache.reading(body) }
    }

    private func read<Found>(_ client: ClientChoice?, _ read: (TokenCache) throws(StoreError) -> Found)
        throws(Failure) -> Found
    {
        let cache = try cache(client)
        let found = try Failure.translating(try read(cache))
        for warning in cache.warnings() { output.warn(warning) }
        return found
    }
}
