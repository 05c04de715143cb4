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
        discussion: "One line for each client by which an account has signed in; those that need sign-in come first.")
    @Flag(name: .customLong("needs-sign-in"), help: "Only accounts that need sign-in")
    var needsSignIn = false
    @Option(help: ArgumentHelp("Show at most this many", valueName: "number"))
    var limit: Int?
    @OptionGroup var selection: SelectionOptions
    @OptionGroup var allStores: AllStoresOption
    @OptionGroup var wide: WideOption
    @OptionGroup(title: "Common options") var shared: SharedOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
    }

    func run() async throws {
        let session = try CommandContext(shared.choices())
        var wanted = try selection.selection(session)
        if needsSignIn { wanted.states.formUnion([.needsSignIn, .rejected]) }
        let found = try SignInList(session, all: allStores.isOn)
        var list = found
        if list.rows.isEmpty {
            // No account is signed in: list the accounts of an old Azure CLI, with the command to import them.
            let legacy = LegacySources(session.environment)
            list = SignInList(legacy, session)
            if !list.rows.isEmpty {
                session.output.warn(
                    "these are in \(legacy.path); run \"foyer import \(legacy.path.shellWord)\" to use them")
            }
        }
        let now = Date()
        let places = try list.places(wanted, shared.account, at: now)
        if shared.json {
            let rows = places.prefix(limit ?? .max).map { list.json($0, namesStore: allStores.isOn, at: now) }
            return session.output.result(JSONValue(("accounts", .array(rows))))
        }
        let all = list.rows.indices.filter { wanted.isOfClient?(list.rows[$0]) ?? true }
        guard !places.isEmpty else {
            return session.output.note(
                "foyer: "
                    + (all.isEmpty
                        ? session.nobodySignedIn : needsSignIn ? "no account needs sign-in" : "no account matches"))
        }
        let screen = session.screen
        let shown = Array(list.mostUrgentFirst(places, at: now).prefix(limit ?? .max))
        session.output.listing(
            list.listing(shown, namesStores: allStores.isOn, at: now), on: screen, isWide: wide.isOn)
        let urgent = all.filter { list.status($0, at: now).needsPerson }
        let elsewhere = urgent.count { list.rows[$0].store != nil }
        let words = needingSignIn(urgent.count - elsewhere, elsewhere: elsewhere)
        session.output.trailer(
            counted(list.count(all), "account") + (words.isEmpty ? "" : ", " + words), on: screen)
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
        let settings = session.settings
        var configured: [Row] = settings.clients.map { ($0.name, $0.clientID, $0.authority ?? "", "settings") }
        let known: [Row] = Client.wellKnown.map {
            (settings.nameOutside($0.id), $0.id, "", $0.isFamily ? "well known, family" : "well known")
        }
        // The client of the first sign-in, if the settings do not have it.
        if let usual, !(configured + known).contains(where: { $0.id == usual.clientID }) {
            configured.append((usual.name, usual.clientID, usual.authority ?? "", "first sign-in"))
        }
        for client in KnownClients(settings, uses: session.world.uses()).signedIn
        where !configured.contains(where: { $0.name == client.name }) {
            configured.append((client.name, client.clientID, client.authority ?? "", "sign-in"))
        }
        if shared.json {
            let clients = (configured + known).map {
                JSONValue(
                    ("name", $0.name.json), ("title", (Client.wellKnown($0.id)?.title).json),
                    ("clientId", $0.id.json), ("authority", $0.authority.json),
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
