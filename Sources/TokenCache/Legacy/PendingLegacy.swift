package import FoundationEssentials
package import Identity

// Refresh tokens that were taken over from a legacy cache and wait for their first use. They have a section of their own: the unified schema
// files a refresh token under a home account, which most legacy caches do not name and nobody must guess. Every library keeps a section that it
// does not know as it is; the values are all texts, as .NET's wants them to be.

extension CacheSnapshot {
    /// What waits, in the order in which it was taken over.
    package func pendingLegacyEntries() -> [LegacyEntry] { entries(.legacyRefreshToken).compactMap(\.legacyEntry) }

    /// The entries of somebody that wait: by the identifier that ``LegacyEntry/pendingAccountID`` gives or by name, within the cloud.
    func pending(of account: AccountID, usernames: Set<String>) -> [Entry] {
        entries(.legacyRefreshToken).filter { entry in
            guard let legacy = entry.legacyEntry, Cloud.isSame(legacy.authority.environment, account.environment) else { return false }
            if let home = legacy.homeAccountID { return home == account.homeAccountID }
            return LegacyEntry.isPendingAccountID(account.homeAccountID, of: legacy)
                || legacy.userID.map { usernames.contains($0.asciiLowercased) } ?? false
        }
    }

    /// Adds the people of whom only legacy tokens are there, and for a client also those whose account another client holds.
    func withPending(_ accounts: [Account], clientID: String?, isFamily: Bool, everybody: () -> [Account]) -> [Account] {
        var waiting = pendingLegacyEntries()
        if let clientID {
            waiting = waiting.filter { $0.clientID.asciiLowercased == clientID.asciiLowercased || (isFamily && $0.familyID != nil) }
        }
        guard !waiting.isEmpty else { return accounts }
        var accounts = accounts
        let known = clientID == nil ? accounts : everybody()
        let people = waiting.onePerPerson
        for person in people {
            if accounts.contains(where: { person.isOf($0) }) { continue }
            if let other = known.first(where: { person.isOf($0) }) {
                if let clientID, isSignedOut(other.id, clientID: clientID) { continue }
                accounts.append(other)
                continue
            }
            let account = person.account(
                clients: Set(waiting.filter { [person, $0].onePerPerson.count == 1 }.map(\.clientID)).sorted(),
                isNameShared: people.count { $0.userID?.asciiLowercased == person.userID?.asciiLowercased } > 1)
            if let clientID, isSignedOut(account.id, clientID: clientID) { continue }
            accounts.append(account)
        }
        return accounts
    }
}

extension LegacyEntry {
    private static let prefix = "adal:"

    /// How somebody is named whose home account the legacy cache does not tell: never written where a home account identifier belongs.
    package var pendingAccountID: String { homeAccountID ?? Self.prefix + (userID?.asciiLowercased ?? "") }

    /// - Parameter id: as of ``account(clients:isNameShared:)``, with what tells people of one name apart.
    fileprivate static func isPendingAccountID(_ id: String, of entry: LegacyEntry) -> Bool {
        id == entry.pendingAccountID || id == entry.identifierAmongNamesakes
    }

    private var identifierAmongNamesakes: String { pendingAccountID + "#" + (objectID ?? tenantID ?? "") }

    /// The person as an account that has not been upgraded yet.
    fileprivate func account(clients: [String], isNameShared: Bool) -> Account {
        var profiles: [TenantProfile] = []
        if let tenantID, let objectID {
            profiles = [TenantProfile(tenantID: tenantID, localAccountID: objectID, username: userID ?? "", name: name, isHome: false)]
        }
        return Account(
            homeAccountID: isNameShared && homeAccountID == nil ? identifierAmongNamesakes : pendingAccountID,
            environment: authority.environment, username: userID ?? "", name: name, tenantProfiles: profiles, clients: clients,
            origin: .adal)
    }

    /// Whether an account of the unified cache is the entry's person.
    fileprivate func isOf(_ account: Account) -> Bool {
        guard Cloud.isSame(authority.environment, account.environment) else { return false }
        if let homeAccountID { return homeAccountID == account.homeAccountID }
        guard let name = userID?.asciiLowercased else { return false }
        return account.username.asciiLowercased == name || account.tenantProfiles.contains { $0.username.asciiLowercased == name }
    }
}

extension Entry {
    /// The entry as what was taken over; nil when a field is not fit to be used.
    fileprivate var legacyEntry: LegacyEntry? {
        guard let secret = filled("secret"), let clientID = filled("client_id"), let kind = filled("kind").flatMap(LegacyEntry.Kind.init),
            let authority = filled("authority").flatMap({ try? Authority($0) })
        else { return nil }
        return LegacyEntry(
            kind: kind, authority: authority, resource: filled("resource"), clientID: clientID, userID: filled("username"),
            homeAccountID: filled("home_account_id"), objectID: filled("local_account_id"), tenantID: filled("realm"),
            identityProvider: filled("identity_provider"), name: filled("name"), refreshToken: Secret(secret), familyID: filled("family_id")
        )
    }
}

/// What came of taking over one entry.
package enum LegacyOutcome: String, Hashable, Sendable, CaseIterable {
    case taken
    /// The store has the refresh token already, waiting or in use.
    case known
    /// There is no refresh token: nothing that could be used once the access token ends.
    case noRefreshToken
}

extension CacheEdit {
    /// Puts refresh tokens where they wait. Entries that share one, as ADAL's for several resources do, wait once.
    mutating func keepPending(_ entries: [LegacyEntry], at now: Date) -> [LegacyOutcome] {
        var known = Set(snapshot.pendingLegacyEntries().map(Self.identity))
        let inUse = Set(snapshot.entries(.refreshToken).compactMap { entry in entry.filled("secret").map(Secret.init) })
        return entries.map { entry in
            guard let secret = entry.refreshToken else { return .noRefreshToken }
            guard !inUse.contains(secret), known.insert(Self.identity(entry)).inserted else { return .known }
            insertPending(entry, secret, at: now)
            return .taken
        }
    }

    private static func identity(_ entry: LegacyEntry) -> [String] {
        [entry.refreshToken?.reveal() ?? "", entry.clientID.asciiLowercased, entry.pendingAccountID, entry.authority.environment]
    }

    private mutating func insertPending(_ entry: LegacyEntry, _ secret: Secret, at now: Date) {
        insert(
            "legacyrefreshtoken-\(entry.pendingAccountID)-\(entry.authority.environment)-\(entry.clientID)".asciiLowercased,
            in: .legacyRefreshToken,
            [
                ("credential_type", "LegacyRefreshToken"), ("secret", secret.reveal()), ("client_id", entry.clientID),
                ("environment", entry.authority.environment), ("authority", entry.authority.address.text), ("kind", entry.kind.rawValue),
                ("username", entry.userID), ("home_account_id", entry.homeAccountID), ("local_account_id", entry.objectID),
                ("realm", entry.tenantID), ("identity_provider", entry.identityProvider), ("name", entry.name),
                ("family_id", entry.familyID), ("resource", entry.resource), ("taken_at", Self.seconds(now)),
            ])
    }

    /// Every entry that shares a refresh token goes with it (T99).
    mutating func forgetPending(refreshToken secret: Secret) {
        guard !secret.isEmpty else { return }
        let wanted = Array(secret.reveal().utf8)
        for entry in snapshot.entries(.legacyRefreshToken) where entry.isEqual("secret", wanted) {
            remove(entry, from: .legacyRefreshToken)
        }
    }

    /// What waits for a client's first use of an account; the account was reached, or removed.
    ///
    /// - Parameter clientID: nil takes every client's.
    /// - Returns: how many went.
    mutating func dropPending(of account: AccountID, usernames: Set<String>, clientID: String?) -> Int {
        let client = clientID.map { $0.asciiLowercased }
        let going = snapshot.pending(of: account, usernames: usernames).filter { entry in
            client.map { entry.isEqualIgnoringCase("client_id", $0) } ?? true
        }
        for entry in going { remove(entry, from: .legacyRefreshToken) }
        return going.count
    }

    /// The names that the store knows an account by, lower-case.
    func usernames(of account: AccountID) -> Set<String> {
        Set(snapshot.person(account.homeAccountID, account.environment, in: .account).compactMap { $0.filled("username")?.asciiLowercased })
    }
}

extension TokenCache {
    /// Takes refresh tokens of a legacy cache over: they wait in the store until the first silent call redeems them.
    ///
    /// - Parameters:
    ///   - entries: as read.
    ///   - now: noted beside them.
    /// - Returns: what came of each, in their order.
    /// - Throws: ``StoreError``; then nothing was changed.
    package func takeOver(_ entries: [LegacyEntry], at now: Date) throws(StoreError) -> [LegacyOutcome] {
        try change { $0.keepPending(entries, at: now) }
    }

    /// Forgets a waiting refresh token that the provider called dead, under every entry that shares it (T99).
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func forgetPending(refreshToken secret: Secret) throws(StoreError) {
        try change { $0.forgetPending(refreshToken: secret) }
    }
}
