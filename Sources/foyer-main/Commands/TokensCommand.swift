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
    @OptionGroup var selection: SelectionOptions
    @OptionGroup var wide: WideOption
    @Flag(help: "Show secrets")
    var reveal = false

    func run() async throws {
        let session = try CommandContext(shared.choices())
        if reveal { try session.world.requirePerson(to: "see your tokens") }
        let client = try session.clientIfAny(onlyIfNamed: true)
        let now = Date()
        func tokens(
            _ name: String, _ reading: StoreReading, _ accounts: [Account], _ overviews: [AccountOverview]
        ) -> StoredTokens {
            StoredTokens(
                name: name, reading, accounts, ClientNames(session, overviews), clientID: client?.clientID,
                withSecrets: reveal, at: now)
        }
        var accounts: [Account] = []
        var stores: [StoredTokens] = []
        if allStores.isOn {
            for (name, snapshot) in try session.readings(client, all: true) {
                let found = snapshot.accounts()
                accounts += found
                stores.append(tokens(name, .whole(snapshot), found, snapshot.overviews(clientID: nil)))
            }
        } else {
            stores = [
                try session.reading(client) { reading, overviews in
                    let found = reading.accounts(overviews)
                    if shared.account != nil { accounts = found }
                    return tokens("foyer", reading, found, overviews())
                }
            ]
        }
        let selected = try SelectedCredentials(selection.selection(session), session, all: allStores.isOn, at: now)
        if let selected { accounts = accounts.filter { selected.contains($0.id) } }
        let wanted = try shared.account.map { text in
            try allStores.isOn
                ? AccountChoice.find(text, amongStores: accounts) : AccountChoice.find(text, among: accounts)
        }
        if let wanted { for index in stores.indices { stores[index].select(wanted) } }
        if let selected {
            for index in stores.indices { stores[index].select(selected) }
        }
        // Only without a filter: these accounts belong to no client.
        let idle =
            client == nil && wanted == nil && selection.isEmpty && !allStores.isOn
            ? stores.flatMap(\.accountsWithoutTokens) : []
        if shared.json { return list(stores, idle, session, at: now) }

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
            stores.contains(where: \.hasLeftovers) || !idle.isEmpty || damaged.contains(where: \.canGo)
        {
            session.output.note("hint: \"foyer clean\" lists removable entries and asks first")
        }
    }

    private func list(_ stores: [StoredTokens], _ idle: [Account], _ session: CommandContext, at now: Date) {
        func named(_ value: JSONValue, _ store: StoredTokens) -> JSONValue {
            allStores.isOn ? value.of(store: store.name) : value
        }
        func visit(_ body: (JSONValue) -> Void) {
            for store in stores {
                for (_, held) in store.groups {
                    for one in held {
                        let name = store.clients.name(of: one.credential)
                        body(named(one.json(reveal: reveal, clientName: name, at: now), store))
                    }
                }
            }
        }
        let damaged = stores.flatMap { store in store.damaged.map { named($0.json, store) } }
        let damagedMember = ("damaged", JSONValue.array(damaged))
        if allStores.isOn { return session.output.result("tokens", [damagedMember], listing: visit) }
        let clients = stores.flatMap(\.groups).map { $0.client.json(session.clientName($0.client.clientID)) }
        session.output.result(
            "tokens",
            [
                ("clients", .array(clients)), ("accountsWithoutTokens", .array(idle.map(\.json))), damagedMember,
            ], listing: visit)
    }
}

struct StoredTokens {
    let name: String
    /// All tokens of a client, and those to show.
    private(set) var groups: [(client: ClientInventory, held: [HeldCredential])]
    let accountsWithoutTokens: [Account]
    let clients: ClientNames
    let hasLeftovers: Bool
    private(set) var damaged: [DamagedEntry]
    private let labels: AccountLabels

    /// - Parameter withSecrets: whether to keep the secrets of the tokens in memory.
    init(
        name: String, _ reading: StoreReading, _ accounts: [Account], _ clients: ClientNames, clientID: String?,
        withSecrets: Bool, at now: Date
    ) {
        let owners = Dictionary(grouping: accounts, by: \.id.canonicalHomeAccountID)
        var held: [String: [HeldCredential]] = [:]
        var visited: Set<String> = []
        var idle: Set<AccountID> = []
        var hasLeftovers = false
        var texts = SharedStrings()
        // Tokens are only compared with others of the same owner.
        reading.visitOwners { credentials in
            let home = credentials.first.flatMap { first in
                first.homeAccountID.map { HomeAccountID.canonical($0, issuer: first.issuer) }
            }
            var credentials = credentials
            for index in credentials.indices {
                if credentials[index].homeAccountID == home { credentials[index].homeAccountID = home }
                credentials[index].clientID = texts.copy(of: credentials[index].clientID)
                credentials[index].environment = texts.copy(of: credentials[index].environment)
                credentials[index].realm = texts.copy(of: credentials[index].realm)
                if !withSecrets { credentials[index].secret = Secret("") }
            }
            let all = CacheInventory(credentials, accounts: home.flatMap { owners[$0] } ?? [], at: now)
            let inventory = clientID.map(all.of) ?? all
            for client in inventory.clients { held[client.clientID, default: []] += client.credentials }
            if let home { visited.insert(home) }
            idle.formUnion(inventory.accountsWithoutTokens.map(\.id))
            hasLeftovers = hasLeftovers || !inventory.leftovers.isEmpty
        }
        (self.name, self.clients) = (name, clients)
        groups = held.keys.sorted().map { id in
            let client = ClientInventory(clientID: id, credentials: held[id] ?? [])
            return (client, client.credentials)
        }
        accountsWithoutTokens = accounts.filter {
            $0.clients.isEmpty && (!visited.contains($0.id.canonicalHomeAccountID) || idle.contains($0.id))
        }
        self.hasLeftovers = hasLeftovers
        damaged = reading.suspects.damagedEntries(clientID: clientID)
        labels = AccountLabels(accounts)
    }

    /// Hides the tokens of other accounts.
    mutating func select(_ wanted: Account) {
        groups = groups.map { client, held in (client, held.filter { wanted.isOwner(of: $0.credential) }) }
            .filter { !$0.1.isEmpty }
        damaged = damaged.filter { $0.homeAccountID.map(wanted.isIdentified(by:)) ?? true }
    }

    /// Hides the tokens of other sign-ins.
    mutating func select(_ selected: SelectedCredentials) {
        groups = groups.map { client, held in
            (
                client,
                held.filter { selected.contains($0.credential) }
            )
        }.filter { !$0.1.isEmpty }
    }

    /// - Parameter homeAccountID: nil for a token of the client itself.
    func owner(_ homeAccountID: String?) -> String { homeAccountID.map { labels[$0] ?? $0 } ?? "(the client itself)" }
}

/// The labels of accounts by home account ID, for entries whose issuer is unknown.
struct AccountLabels {
    private let labels: [String: String]

    init(_ accounts: [Account]) {
        labels = Dictionary(
            accounts.map { (Self.key($0.homeAccountID), $0.label) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(homeAccountID: String) -> String? { labels[Self.key(homeAccountID)] }

    private static func key(_ homeAccountID: String) -> String { HomeAccountID.canonical(homeAccountID, issuer: nil) }
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
            ("clientId", clientID.json), ("name", name.json), ("wellKnownName", (wellKnown?.title).json),
            ("isFamily", .bool(wellKnown?.isFamily ?? false)),
            ("accessTokens", JSONValue(integer: count(.accessToken))),
            ("refreshTokens", JSONValue(integer: count(.refreshToken))),
            ("idTokens", JSONValue(integer: count(.idToken))))
    }
}
