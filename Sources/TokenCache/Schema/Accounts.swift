package import Identity
import LegacyCaches
import StrictJSON

extension CacheSnapshot {
    /// The people in the cache, each once, in the order of the file; a guest's tenants and a cloud's aliases are
    /// merged.
    ///
    /// - Parameter clientID: only accounts that this client holds a credential of, or that a family refresh token
    ///   serves when the client is, or is known to be, of the family; accounts that are signed out of it are left out.
    ///   Nil gives all.
    package func accounts(clientID: String? = nil) -> [Account] {
        guard let outline else { return [] }
        let issuers = AccountIssuers(self)
        var people = AccountIndex(outline, issuers)
        let useful = noteClients(in: &people, clientID)
        // Where in the list each person is, by number. Lists of numbers: the first hash table of a kind costs more than
        // the whole look-up in a small store.
        var places: [Int?] = []
        var accounts: [Account] = []
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
            accounts[place].tenantProfiles += Self.nestedProfiles(of: entry)
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

    /// Accounts with their credentials. Credentials whose account entry is missing get an account without a name.
    ///
    /// - Parameter clientID: only what this client may use; nil gives all.
    package func overviews(clientID: String? = nil) -> [AccountOverview] {
        guard let outline else { return [] }
        let usesFamily = clientID.map(isFamily) ?? false
        let client = clientID.map { Array($0.utf8) }
        let issuers = AccountIssuers(self)
        var people = AccountIndex(outline, issuers)
        let known = Set(entries(.account).compactMap { people.number(of: $0) })
        var credentials: [Int: [CachedCredential]] = [:]
        var orphans: [Int] = []
        for section in Section.credentials {
            guard let kind = section.kind else { continue }
            for entry in entries(section) {
                let isMine = client.map { entry.isEqual("client_id", $0) } ?? true
                guard isMine || (usesFamily && section == .refreshToken && entry.filled("family_id") != nil),
                    let person = people.number(of: entry),
                    let credential = entry.credential(kind, issuers)
                else { continue }
                if isMine, credentials[person] == nil, !known.contains(person) { orphans.append(person) }
                credentials[person, default: []].append(credential)
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
        for account in accounts {
            let person = numbers[account.id]
            overviews.append(
                AccountOverview(
                    account: account, credentials: person.flatMap { credentials[$0] } ?? [],
                    consent: person.flatMap { consent[$0] } ?? []))
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

    /// Whether a client may use the family's refresh tokens in some cloud: the cache says so, or says nothing and the
    /// client is known for it.
    private func isFamily(_ clientID: String) -> Bool {
        let client = Array(clientID.utf8)
        var isKnown = false
        for entry in entries(.appMetadata) where entry.isEqual("client_id", client) {
            if entry.filled("family_id") != nil { return true }
            isKnown = true
        }
        return !isKnown && Client.wellKnown.contains { $0.isFamily && $0.id == clientID.asciiLowercased }
    }

    /// Notes which clients hold credentials of whom.
    ///
    /// - Returns: the people whom this client holds a credential of, or may get one for through its family.
    private func noteClients(in people: inout AccountIndex, _ clientID: String?) -> [Bool] {
        let client = clientID.map { Array($0.utf8) }
        let usesFamily = clientID.map(isFamily) ?? false
        var useful: [Bool] = []
        for section in Section.credentials {
            for entry in entries(section) {
                guard let person = people.number(of: entry), entry.hasSecret else { continue }
                people.note(entry, of: person)
                guard let client, !useful.contains(number: person) else { continue }
                if entry.isEqual("client_id", client)
                    || (usesFamily && section == .refreshToken && entry.filled("family_id") != nil)
                {
                    useful += Array(repeating: false, count: max(0, person + 1 - useful.count))
                    useful[person] = true
                }
            }
        }
        return useful
    }

    /// MSAL looks for two claims only when it names an account, and B2C has the name in neither.
    private func nameInIDTokens(_ account: AccountID) -> String? {
        for entry in person(account, in: .idToken) {
            guard let secret = entry.filled("secret"), let name = (try? DecodedJWT(Secret(secret)))?.payload.username
            else { continue }
            return name
        }
        return nil
    }

    static func profile(of entry: CacheEntry, home: String) -> TenantProfile? {
        let texts: [StaticString] = ["username", "local_account_id", "realm", "name"]
        guard texts.allSatisfy({ entry.isTextOrMissing($0) || entry.isNull($0) }) else { return nil }
        let local = entry.filled("local_account_id") ?? home
        return TenantProfile(
            tenantID: entry.text("realm") ?? "", localAccountID: local, username: entry.text("username") ?? "",
            name: entry.filled("name"),
            isHome: isHome(local, home))
    }

    /// JavaScript's library keeps a guest's tenants inside one entry, each as JSON in a string.
    static func nestedProfiles(of entry: CacheEntry) -> [TenantProfile] {
        entry.texts("tenantProfiles").compactMap { text in
            guard
                let value = try? JSONValue(
                    parsing: Array(text.utf8), limits: JSONLimits(maximumBytes: 65_536, maximumDepth: 4)),
                let tenant = value["tenantId"]?.string, let local = value["localAccountId"]?.string
            else { return nil }
            return TenantProfile(
                tenantID: tenant, localAccountID: local, username: value["username"]?.string ?? "",
                name: value["name"]?.string,
                isHome: value["isHomeTenant"]?.bool ?? false)
        }
    }

    /// The home identifier begins with the local one of the home tenant; B2C puts the policy's name after it.
    private static func isHome(_ local: String, _ home: String) -> Bool {
        home == local || home.hasPrefix(local + ".") || home.hasPrefix(local + "-")
    }
}

extension Account {
    /// The home tenant first, the others by name, whatever the order of the file; each tenant once, and the names from
    /// the first profile that has them.
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
    /// Whether the mark of that number is set; a number beyond the end has none.
    fileprivate func contains(number: Int) -> Bool { number < count && self[number] }
}
