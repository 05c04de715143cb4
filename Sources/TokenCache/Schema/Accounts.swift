package import Identity
import LegacyCaches
import StrictJSON
import Synchronization

extension CacheSnapshot {
    /// The accounts in the cache, each once, in file order. A guest's tenants and a cloud's aliases are merged.
    ///
    /// - Parameter clientID: only accounts for which this client has a credential or, as a family client, can use a
    ///   family refresh token; accounts signed out of it are omitted. Nil returns all.
    package func accounts(clientID: String? = nil) -> [Account] {
        guard let outline else { return [] }
        let issuers = AccountIssuers(self)
        var people = AccountIndex(outline, issuers)
        let useful = noteClients(in: &people, clientID)
        // An array by user number: Swift's first hash table of a type costs more than a whole lookup in a small store.
        var places: [Int?] = []
        var accounts: [Account] = []
        var nested: [(place: Int, profiles: [TenantProfile])] = []
        for entry in entries(.account) {
            guard let person = people.number(of: entry), clientID == nil || useful.contains(number: person),
                let home = entry.filled("home_account_id"),
                let profile = Self.profile(of: entry, home: home)
            else { continue }
            places += Array(repeating: nil, count: max(0, person + 1 - places.count))
            let place = places[person] ?? accounts.count
            if place == accounts.count {
                places[person] = place
                let clients = people.clients[person].map { people.clientNames[$0] }.sorted()
                let environment = (entry.text("environment") ?? "").hostLowercased
                accounts.append(
                    Account(
                        homeAccountID: home, environment: environment, username: "", clients: clients,
                        issuer: issuers.issuer(of: entry)))
            }
            accounts[place].tenantProfiles.append(profile)
            let more = Self.nestedProfiles(of: entry)
            if !more.isEmpty { nested.append((place, more)) }
        }
        // Their names are older than those of a tenant's own entry.
        for (place, profiles) in nested { accounts[place].tenantProfiles += profiles }
        for (person, names) in formerUsernames(&people) {
            guard person < places.count, let place = places[person] else { continue }
            accounts[place].formerUsernames = names
        }
        for index in accounts.indices {
            accounts[index].settle()
            if accounts[index].username.isEmpty { accounts[index].username = nameInIDTokens(accounts[index].id) ?? "" }
        }
        if hasLegacyEntries {
            accounts = accounts.adding(
                legacy: legacyAccounts(clientID: clientID, isFamily: clientID.map(isFamily) ?? false))
        }
        guard let clientID, outline.section(named: Section.accountMetadata.name) != nil else { return accounts }
        return accounts.filter { !isSignedOut($0.id, clientID: clientID) }
    }

    /// Accounts with their credentials, or with those a client can use. Without an account entry, they have no name.
    package func overviews(clientID: String? = nil) -> [AccountOverview] {
        guard let outline else { return [] }
        let usesFamily = clientID.map(isFamily) ?? false
        let client = clientID.map(WantedClient.init)
        let issuers = AccountIssuers(self)
        var people = AccountIndex(outline, issuers)
        let known = Set(entries(.account).compactMap { people.number(of: $0) })
        var entriesOfPeople: [Int: [(CacheEntry, CachedCredential.Kind)]] = [:]
        var credentials: [Int: [CachedCredential]] = [:]
        var orphans: [Int] = []
        for section in Section.credentials {
            guard let kind = section.kind else { continue }
            for entry in entries(section) {
                let isMine = client.map { entry.isOf($0) } ?? true
                guard isMine || (usesFamily && section == .refreshToken && entry.filled("family_id") != nil),
                    let person = people.number(of: entry)
                else { continue }
                if known.contains(person) {
                    entriesOfPeople[person, default: []].append((entry, kind))
                } else if let credential = entry.credential(kind, issuers) {
                    if isMine, credentials[person] == nil { orphans.append(person) }
                    credentials[person, default: []].append(credential)
                }
            }
        }
        var overviews: [AccountOverview] = []
        let accounts = accounts(clientID: clientID)
        let numbers = entries(.account).reduce(into: [AccountID: Int]()) { numbers, entry in
            guard let home = entry.filled("home_account_id"), let environment = entry.text("environment"),
                let person = people.number(of: entry)
            else {
                return
            }
            let id = AccountID(
                homeAccountID: home, environment: environment.hostLowercased, issuer: issuers.issuer(of: entry))
            numbers[id] = person
        }
        let consent = ConsentRecord.all(in: entries(.accountMetadata), clientID: clientID) { people.number(of: $0) }
        let uses = ClientUse.all(in: entries(.accountMetadata)) { people.number(of: $0) }
        let decoder = CredentialDecoder(entriesOfPeople, issuers)
        let reader = CredentialReader(
            credentials: decoder.credentials(of:), lives: { number, _ in decoder.credentials(of: number).map(\.life) })
        for account in accounts {
            guard let person = numbers[account.id] else {
                overviews.append(AccountOverview(account: account, credentials: []))
                continue
            }
            overviews.append(
                AccountOverview(
                    account: account, reader: reader, number: person, consent: consent[person] ?? [],
                    uses: uses[person] ?? []))
        }
        for person in orphans {
            guard let held = credentials[person], let first = held.first, let home = first.homeAccountID else {
                continue
            }
            let clients = Set(held.map(\.clientID)).sorted()
            let account = Account(
                homeAccountID: home, environment: first.environment, username: "", clients: clients,
                issuer: first.issuer)
            if let clientID, isSignedOut(account.id, clientID: clientID) { continue }
            overviews.append(AccountOverview(account: account, credentials: held))
        }
        return overviews
    }

    /// Whether a client can use family refresh tokens in some cloud: as recorded in the cache, else if well known.
    private func isFamily(_ clientID: String) -> Bool {
        let client = WantedClient(clientID)
        var isKnown = false
        for entry in entries(.appMetadata) where entry.isOf(client) {
            if entry.filled("family_id") != nil { return true }
            isKnown = true
        }
        return !isKnown && Client.wellKnown.contains { $0.isFamily && $0.id == clientID.asciiLowercased }
    }

    /// Records which clients hold credentials of which user, and returns, by user number, whether this client has a
    /// credential or can get one through its family.
    private func noteClients(in people: inout AccountIndex, _ clientID: String?) -> [Bool] {
        let client = clientID.map(WantedClient.init)
        let usesFamily = clientID.map(isFamily) ?? false
        var useful: [Bool] = []
        for section in Section.credentials {
            for entry in entries(section) {
                guard let person = people.number(of: entry), entry.hasSecret else { continue }
                people.note(entry, of: person)
                guard let client, !useful.contains(number: person) else { continue }
                if entry.isOf(client)
                    || (usesFamily && section == .refreshToken && entry.filled("family_id") != nil)
                {
                    useful += Array(repeating: false, count: max(0, person + 1 - useful.count))
                    useful[person] = true
                }
            }
        }
        // Only in a list: a client that is being signed out is one of the account's, and serves nothing.
        for entry in clientID == nil ? entries(.accountMetadata) : CacheEntries(outline: nil, range: 0..<0)
        where entry.isPendingRevocation {
            if let person = people.number(of: entry) { people.note(entry, of: person) }
        }
        return useful
    }

    /// An account that a program holds, with the names and tenants that the store has now; unchanged if there are none.
    package func current(_ account: Account) -> Account {
        let entries = person(account.id, in: .account)
        let profiles = entries.compactMap { entry in
            entry.filled("home_account_id").flatMap { Self.profile(of: entry, home: $0) }
        }
        guard !profiles.isEmpty else { return account }
        var current = account
        current.tenantProfiles = profiles + entries.flatMap(Self.nestedProfiles)
        current.settle()
        if current.username.isEmpty { current.username = account.username }
        for index in current.tenantProfiles.indices {
            let tenant = current.tenantProfiles[index].tenantID
            guard let known = account.tenantProfiles.first(where: { $0.tenantID.isSameIgnoringCase(as: tenant) })
            else { continue }
            current.tenantProfiles[index].claims = known.claims
        }
        return current
    }

    /// MSAL checks only two claims for the username; B2C has it in neither.
    private func nameInIDTokens(_ account: AccountID) -> String? {
        for entry in person(account, in: .idToken) {
            guard let secret = entry.filled("secret"), let name = (try? DecodedJWT(Secret(secret)))?.payload.username
            else { continue }
            return name
        }
        return nil
    }
}

extension Account {
    /// Orders the home tenant first and the others by ID, independent of the file's order, and removes duplicates.
    /// Names come from the first profile that has them.
    mutating func settle() {
        if tenantProfiles.count == 1, let only = tenantProfiles.first {
            username = only.username
            name = only.name
            return
        }
        var seen: Set<String> = []
        let guests = tenantProfiles.filter { !$0.isHome }
        let ordered = tenantProfiles.filter(\.isHome) + guests.sorted { $0.tenantID < $1.tenantID }
        tenantProfiles = ordered.filter { seen.insert($0.tenantID.asciiLowercased).inserted }
        username = ordered.first { !$0.username.isEmpty }?.username ?? ""
        name = ordered.compactMap(\.name).first { !$0.isEmpty }
    }
}

extension [Bool] {
    /// False for a number beyond the end.
    fileprivate func contains(number: Int) -> Bool { number < count && self[number] }
}

/// The credentials of accounts, decoded when they are first needed: a list shows few of them.
private final class CredentialDecoder: Sendable {
    private let entries: [Int: [(CacheEntry, CachedCredential.Kind)]]
    private let issuers: AccountIssuers
    private let decoded = Mutex<[Int: [CachedCredential]]>([:])

    init(_ entries: [Int: [(CacheEntry, CachedCredential.Kind)]], _ issuers: AccountIssuers) {
        (self.entries, self.issuers) = (entries, issuers)
    }

    func credentials(of person: Int) -> [CachedCredential] {
        decoded.withLock { decoded in
            if let known = decoded[person] { return known }
            let found = (entries[person] ?? []).compactMap { $0.credential($1, issuers) }
            decoded[person] = found
            return found
        }
    }
}
