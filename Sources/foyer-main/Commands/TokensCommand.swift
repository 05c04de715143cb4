import ArgumentParser
import CommandSupport
import Console
import FoundationEssentials
import Identity
import StrictJSON
import TokenCache

struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "List cached tokens by client",
        discussion: "Secrets are hidden unless --reveal is given.")
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var allStores: AllStoresOption
    @OptionGroup var wide: WideOption
    @Flag(help: "Show secrets")
    var reveal = false

    func run() async throws {
        let session = try CommandContext(shared.choices())
        let client = try session.clientIfAny(onlyIfNamed: true)
        let now = Date()
        let readings = try session.readings(client, all: allStores.isOn)
        let accounts = readings.flatMap { $0.snapshot.accounts(clientID: nil) }
        let wanted = try shared.account.map { text in
            try allStores.isOn
                ? AccountChoice.find(text, amongStores: accounts) : AccountChoice.find(text, among: accounts)
        }
        let stores = readings.map { name, snapshot in
            StoredTokens(name: name, snapshot: snapshot, clientID: client?.clientID, of: wanted, at: now)
        }
        // Only without a filter: these accounts belong to no client.
        let idle = client == nil && wanted == nil && !allStores.isOn ? stores.flatMap(\.accountsWithoutTokens) : []
        if shared.json { return session.output.result(json(stores, idle, session, at: now)) }

        let screen = session.screen
        let table = TokenTable(session, stores, namesStores: allStores.isOn, reveals: reveal, at: now)
        if !table.isEmpty { session.output.listing(table.listing, on: screen, isWide: wide.isOn) }
        if let damaged = table.damaged, screen.columns != nil {
            if !table.isEmpty { session.output.text("\n") }
            session.output.listing(damaged, on: screen, isWide: wide.isOn)
        }
        if !idle.isEmpty {
            session.output.note("accounts without tokens: " + idle.map(\.label).joined(separator: ", "))
        }
        if table.isEmpty, table.damaged == nil, idle.isEmpty {
            session.output.note(
                allStores.isOn
                    ? "foyer: no tokens are cached in any store; see \"foyer stores\""
                    : wanted.map { "foyer: no tokens of \($0.label) are cached" }
                        ?? "foyer: no tokens are cached; " + session.signInHint())
        } else {
            session.output.trailer(table.summary, on: screen)
        }
        let damaged = stores.flatMap(\.damaged)
        if !allStores.isOn,
            stores.contains(where: { !$0.leftovers.isEmpty }) || !idle.isEmpty || damaged.contains(where: \.canGo)
        {
            session.output.note("hint: \"foyer clean\" lists removable entries and asks first")
        }
    }

    private func json(_ stores: [StoredTokens], _ idle: [Account], _ session: CommandContext, at now: Date)
        -> JSONValue
    {
        func named(_ value: JSONValue, _ store: StoredTokens) -> JSONValue {
            allStores.isOn ? value.of(store: store.name) : value
        }
        let tokens = stores.flatMap { store in
            store.groups.flatMap { group, held in
                held.map {
                    named($0.json(reveal: reveal, clientName: session.clientName(group.clientID), at: now), store)
                }
            }
        }
        let damaged = stores.flatMap { store in store.damaged.map { named($0.json, store) } }
        if allStores.isOn { return JSONValue(("tokens", .array(tokens)), ("damaged", .array(damaged))) }
        let clients = stores.flatMap(\.groups).map { $0.client.json(session.clientName($0.client.clientID)) }
        return JSONValue(
            ("tokens", .array(tokens)), ("clients", .array(clients)),
            ("accountsWithoutTokens", .array(idle.map(\.json))), ("damaged", .array(damaged)))
    }
}

struct StoredTokens {
    let name: String
    let groups: [(client: ClientInventory, held: [HeldCredential])]
    let accountsWithoutTokens: [Account]
    let leftovers: [HeldCredential]
    let damaged: [DamagedEntry]
    /// Labels by home account identifier.
    let names: [String: String]

    init(name: String, snapshot: CacheSnapshot, clientID: String?, of wanted: Account?, at now: Date) {
        let inventory = CacheInventory(snapshot, clientID: clientID, at: now)
        self.name = name
        groups = inventory.clients.map { client in
            (client, client.credentials.filter { wanted?.isOwner(of: $0.credential) ?? true })
        }
        .filter { !$0.1.isEmpty }
        accountsWithoutTokens = inventory.accountsWithoutTokens
        leftovers = inventory.leftovers
        damaged = snapshot.damagedEntries(clientID: clientID).filter { entry in
            wanted.map { entry.homeAccountID == nil || entry.homeAccountID == $0.homeAccountID } ?? true
        }
        names = snapshot.labels
    }

    /// - Parameter homeAccountID: nil for a token of the client itself.
    func owner(_ homeAccountID: String?) -> String { homeAccountID.map { names[$0] ?? $0 } ?? "(the client itself)" }
}

extension CacheSnapshot {
    /// By home account identifier.
    var labels: [String: String] {
        Dictionary(
            accounts(clientID: nil).map { ($0.homeAccountID, $0.label) }, uniquingKeysWith: { first, _ in first })
    }
}

extension Account {
    func isOwner(of credential: CachedCredential) -> Bool {
        guard let home = credential.homeAccountID else { return false }
        return id.isSamePerson(
            as: AccountID(homeAccountID: home, environment: credential.environment, issuer: credential.issuer))
    }
}

extension ClientInventory {
    fileprivate func json(_ name: String) -> JSONValue {
        JSONValue(
            ("clientId", clientID.json), ("name", name.json), ("wellKnownName", (wellKnown?.name).json),
            ("isFamily", .bool(wellKnown?.isFamily ?? false)),
            ("accessTokens", JSONValue(integer: count(.accessToken))),
            ("refreshTokens", JSONValue(integer: count(.refreshToken))),
            ("idTokens", JSONValue(integer: count(.idToken))))
    }
}
