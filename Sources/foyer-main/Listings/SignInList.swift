import AppModel
import CommandSupport
import Console
import FoundationEssentials
import Identity
import StrictJSON
import TokenCache

/// The sign-ins that a command lists: the rows of the interface's list, with the statuses of silent calls.
struct SignInList {
    let list: AccountList
    let clients: KnownClients
    private let uses: AccountUses
    private let planner: SilentCallPlanner?
    private let decided = Decided()

    /// A decision reads the store and its side files, so each row is decided once.
    private final class Decided {
        var calls: [Int: PlannedCall?] = [:]
    }

    /// - Parameter all: whether to read other programs' stores, too.
    init(_ session: CommandContext, all: Bool = false) throws(Failure) {
        let client = try session.clientIfAny(onlyIfNamed: true)
        var overviews: [AccountOverview]
        let reading: StoreReading
        if all {
            let anyClient = try session.clientIfAny()
            let found = try session.shownFindings(client ?? anyClient)
            // An error in foyer's own store ends the command.
            let own = try session.snapshot(client)
            reading = .whole(own)
            overviews =
                own.overviews(clientID: nil)
                + session.accounts(in: found.dropFirst().filter(\.isUsable), readsHidden: true)
        } else {
            (reading, overviews) = try session.reading(of: client)
        }
        let planner = try SilentCallPlanner.listing(session, client, reading)
        let uses = planner.clients.read(overviews)
        self.init(
            AccountList(overviews, clientName: session.clientName, uses: uses), planner.clients.known, session, planner)
    }

    /// The accounts of a legacy cache.
    init(_ legacy: LegacySources, _ session: CommandContext) {
        let overviews = legacy.accounts().map { account in
            var overview = AccountOverview(account: account, credentials: [])
            overview.store = OtherStore(name: legacy.path, program: legacy.path, place: legacy.path, isWritable: false)
            return overview
        }
        self.init(
            AccountList(overviews, clientName: session.clientName), KnownClients(session.settings, uses: []), session,
            nil)
    }

    private init(_ list: AccountList, _ clients: KnownClients, _ session: CommandContext, _ planner: SilentCallPlanner?)
    {
        (self.list, self.clients, self.planner) = (list, clients, planner)
        uses = session.homeOfPrograms == nil ? RecentAccounts(session.environment).read() : AccountUses()
    }

    var rows: [AccountOverview] { list.accounts }

    /// The decision of a silent call, as in the interface; in other stores, the existing credentials.
    private func call(_ place: Int, at now: Date) -> PlannedCall? {
        if let known = decided.calls[place] { return known }
        let row = rows[place]
        guard row.store == nil, let use = row.use else { return nil }
        let call = planner?.call(for: row.account, use, at: now)
        decided.calls[place] = .some(call)
        return call
    }

    func status(_ place: Int, at now: Date) -> AccountStatus {
        call(place, at: now)?.status ?? rows[place].standing(at: now)
    }

    /// The rows that are selected, and of an account if it is named.
    func places(_ selection: SignInSelection, _ account: String?, at now: Date) throws(Failure) -> [Int] {
        let places = selection.positions(in: list) { status($0, at: now) }
        guard let account else { return places }
        let found = try AccountChoice.find(account, amongStores: places.map { rows[$0].account })
        return places.filter { rows[$0].account.id.isSamePerson(as: found.id) }
    }

    /// The number of accounts of these rows, each once.
    func count(_ places: [Int]) -> Int { Set(places.map { rows[$0].id.whole }).count }

    /// Accounts that need sign-in first, then by name.
    func mostUrgentFirst(_ places: [Int], at now: Date) -> [Int] {
        let needy = Set(places.filter { status($0, at: now).needsPerson })
        return places.filter(needy.contains) + places.filter { !needy.contains($0) }
    }

    // MARK: Text

    func listing(_ places: [Int], namesStores: Bool, at now: Date) -> Listing {
        let clock = Clock(now: now, secondsFromGMT: 0)
        func label(_ place: Int) -> AccountStatusLabel { AccountStatusLabel(status(place, at: now), clock: clock) }
        return Listing(
            places,
            [
                .init("STORE", least: 8, isPart: namesStores) { .init(rows[$0].store?.name ?? "foyer", .muted) },
                .init("ACCOUNT", least: 16) {
                    .init(rows[$0].account.label, sign: TextSpan("", label($0).tone, sign: label($0).sign))
                },
                .init("CLIENT", least: 8, usual: 20, rank: 1) { .init(client(rows[$0]), .muted) },
                .init("TOKEN") { .init(label($0).word, label($0).wordTone) },
                .init("NOTE", least: 8, rank: 2) { .init(note(rows[$0], status($0, at: now)), .muted) },
                .init("NAME", least: 8, usual: 24, rank: 3) { .init(rows[$0].account.name ?? "", .muted) },
                .init("TENANT", least: 13, rank: 4) { .init(tenant(rows[$0]), .muted) },
                .init("ID", least: 16, usual: 80, rank: 5, isForPipes: !hasHomonyms(places)) {
                    .init(rows[$0].account.homeAccountID, .muted)
                },
            ])
    }

    private func client(_ row: AccountOverview) -> String {
        row.use?.plainName
            ?? row.account.clients.map { list.names(ofClient: $0, of: nil, in: "").first ?? $0 }
            .joined(separator: ", ")
    }

    /// The directory's domain, else its ID; a provider without tenants.
    private func tenant(_ row: AccountOverview) -> String {
        list.directory(of: row).map { $0.name ?? $0.id } ?? row.account.provider
    }

    /// Whether two rows differ only in their identifiers.
    private func hasHomonyms(_ places: [Int]) -> Bool {
        let shown = places.map {
            [rows[$0].store?.name ?? "", rows[$0].account.label, client(rows[$0]), tenant(rows[$0])]
        }
        return Set(shown).count < places.count
    }

    /// How to sign in to an account of another program that needs it; nil for others.
    private func signInElsewhere(_ row: AccountOverview, _ status: AccountStatus) -> String? {
        guard status.needsPerson, let store = row.store, row.account.origin != .adal else { return nil }
        return store.signIn.map { "sign in with \($0)" } ?? "sign in with \(store.program)"
    }

    private func note(_ row: AccountOverview, _ status: AccountStatus) -> String {
        let guests = row.account.tenantProfiles.count { !$0.isHome }
        return [
            row.account.origin == .adal ? "from ADAL" : "", signInElsewhere(row, status) ?? "",
            guests == 0 ? "" : "+" + counted(guests, "guest tenant"),
        ]
        .filter { !$0.isEmpty }.joined(separator: ", ")
    }

    // MARK: JSON

    /// `client` is the name that `--client` accepts; `tenant` is null at a provider without tenants.
    func json(_ place: Int, namesStore: Bool, at now: Date) -> JSONValue {
        let row = rows[place]
        let (call, status) = (call(place, at: now), status(place, at: now))
        var end: Date?
        if case .valid(let until) = status { end = until }
        let directory = list.directory(of: row)
        let members: [(String, JSONValue)] = [
            ("state", SignInSelection.State(status).rawValue.json),
            ("cause", (call?.cause ?? signInElsewhere(row, status)).json),
            ("validUntil", end.flatMap(\.announced).json), ("client", row.use?.plainName.json ?? .null),
            ("clientId", row.use?.clientID.json ?? .null),
            ("authority", row.use?.authority.json ?? .null),
            (
                "tenant",
                directory.map { JSONValue(("id", $0.id.json), ("name", $0.name.json)) } ?? .null
            ),
            ("lastUsed", (uses.use(of: row.account.id)?.at).json),
        ]
        let json = row.account.listJSON.object.map { $0.members } ?? []
        return JSONValue.object(JSONObject(json + members.map { JSONMember(name: $0.0, value: $0.1) }))
            .of(store: namesStore ? row.store?.name ?? "foyer" : nil)
    }
}

extension CommandContext {
    /// The accounts in foyer's own store or a client's; in a large store, an account's entries are read on demand.
    func reading(of client: ClientChoice?) throws(Failure) -> (reading: StoreReading, overviews: [AccountOverview]) {
        if client == nil { return try reading() }
        let snapshot = try snapshot(client)
        return (.whole(snapshot), snapshot.overviews(clientID: nil))
    }
}
