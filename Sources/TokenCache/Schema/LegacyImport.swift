package import Identity
package import LegacyCaches
import StrictJSON

// Refresh tokens of legacy caches that wait for their first use, in a section of the store's own file: all of
// Microsoft's libraries keep sections that they do not know (facts 1.3), so no second file has to be protected, locked
// and moved together with the first. Every field is a text, as a number anywhere makes MSAL for .NET clear the store
// (facts 1.7).

/// What became of an entry that was to be taken over.
package enum LegacyIntake: String, Hashable, Sendable {
    /// It waits for its first use.
    case taken
    /// It took the place of an older one with another token.
    case renewed
    /// The same token waited already.
    case unchanged
    /// The person is signed in for this client already, so that there is nothing left to take over.
    case signedIn
    /// The person was signed out of this client and stays so: only a sign-in brings them back.
    case signedOut
    /// It has no refresh token, and an access token alone is not worth keeping.
    case noRefreshToken
}

extension CacheSnapshot {
    /// The legacy entries that wait for their first use, in the order of the file. What is not understood of one leaves
    /// that one out.
    package var legacyEntries: [LegacyEntry] {
        guard hasLegacyEntries else { return [] }
        return entries(.legacy).prefix(LegacyCache.maximumItems).compactMap(\.legacyEntry)
    }

    var hasLegacyEntries: Bool { outline?.section(named: Section.legacy.name) != nil }

    /// The people whose legacy entries wait for their first use, each once.
    ///
    /// - Parameter clientID: only those whose entries this client, or its family, may use; nil gives all.
    func legacyAccounts(clientID: String?, isFamily: Bool) -> [Account] {
        let wanted = clientID?.asciiLowercased
        let useful = legacyEntries.filter { entry in
            wanted == nil || entry.clientID.asciiLowercased == wanted || (isFamily && entry.familyID?.isEmpty == false)
        }
        return useful.accounts
    }

    /// Whether what waits here could bring a person back to a client after the client's own entries of them went:
    /// another client's of the same person, or one that says nothing of whose it is.
    func mayComeBack(_ account: AccountID, clientID: String) -> Bool {
        guard hasLegacyEntries else { return false }
        let client = clientID.asciiLowercased
        let accounts = accounts().filter { $0.id.isSamePerson(as: account) }
        return legacyEntries.contains { entry in
            guard Cloud.isSame(entry.authority.environment, account.environment) else { return false }
            if entry.userID == nil, entry.homeAccountID == nil { return true }
            return entry.clientID.asciiLowercased != client && accounts.contains(where: entry.belongs(to:))
        }
    }

    /// The scopes of an account that only an ADAL cache knows: those that its token was for; nil for other accounts.
    package func scopesOfLegacy(_ account: Account, clientID: String) -> ScopeSet? {
        account.origin == .adal ? legacyScopes(of: account, clientID: clientID) : nil
    }

    /// The scopes that stand for the resource of a person's legacy entry, its own client's first; nil when no entry
    /// names a resource. A resource that ends in a slash gets two before `.default`.
    package func legacyScopes(of account: Account, clientID: String) -> ScopeSet? {
        let mine = legacyEntries.filter { $0.belongs(to: account) }
        let own = mine.filter { $0.clientID.asciiLowercased == clientID.asciiLowercased }
        return (own.isEmpty ? mine : own).lazy.compactMap(\.scopes).first
    }
}

extension LegacyEntry {
    /// What tells an entry from others: who, at which authority, for which client and resource.
    var storeKey: String {
        let who = [homeAccountID ?? "", userID ?? "", objectID ?? ""]
        return (["legacyrefreshtoken", clientID, "\(authority)", resource ?? ""] + who).joined(separator: "-")
            .asciiLowercased
    }

    fileprivate var fields: [CacheEdit.Field] {
        [
            ("credential_type", "LegacyRefreshToken"), ("kind", kind.rawValue), ("secret", refreshToken?.reveal()),
            ("client_id", clientID),
            ("authority", "\(authority)"), ("authority_kind", authority.kind.rawValue),
            ("environment", authority.environment),
            ("resource", resource), ("user_id", userID), ("user_id_shown", isUserIDShown ? nil : "false"),
            ("home_account_id", homeAccountID), ("local_account_id", objectID), ("realm", tenantID),
            ("identity_provider", identityProvider), ("name", name), ("family_id", familyID),
        ]
    }
}

extension Entry {
    /// A pending entry, its fields checked as those of the file that it came from: others write this file too.
    fileprivate var legacyEntry: LegacyEntry? {
        do {
            guard let kind = filled("kind").flatMap(LegacyEntry.Kind.init(rawValue:)),
                let token = try LegacyFields.token(filled("secret"), "refresh token"), let address = filled("authority")
            else { return nil }
            let authority = try Authority(
                address, kind: filled("authority_kind").flatMap(Authority.Kind.init(rawValue:)))
            // The cloud is compared by this field elsewhere: two that differ would make one entry answer in two.
            guard filled("environment") == authority.environment else { return nil }
            return LegacyEntry(
                kind: kind, authority: authority, resource: LegacyFields.optional(filled("resource")),
                clientID: try LegacyFields.clientID(filled("client_id")),
                userID: LegacyFields.optional(filled("user_id")),
                isUserIDShown: text("user_id_shown") != "false",
                homeAccountID: LegacyFields.homeAccountID(filled("home_account_id")),
                objectID: LegacyFields.optional(filled("local_account_id")),
                tenantID: LegacyFields.optional(filled("realm")),
                identityProvider: LegacyFields.optional(filled("identity_provider")),
                name: LegacyFields.optional(filled("name")),
                refreshToken: token, familyID: LegacyFields.optional(filled("family_id")))
        } catch { return nil }
    }
}

extension TokenCache {
    /// Keeps the refresh tokens of legacy entries until their first use; what the file that they came from says of
    /// access tokens is left.
    ///
    /// Whoever was signed out of an entry's client is not brought back by it: the entry is left where it is, and its
    /// refresh token is sent nowhere.
    ///
    /// - Returns: what became of each, in their order.
    /// - Throws: ``StoreError``; then nothing was changed.
    package func takeOver(_ entries: [LegacyEntry]) throws(StoreError) -> [LegacyIntake] {
        guard entries.contains(where: { $0.refreshToken != nil }) else { return entries.map { _ in .noRefreshToken } }
        return try change { $0.takeOver(entries) }
    }

    /// Notes whose a legacy refresh token is, now that the provider has said it of one whose file does not: what is
    /// known of the person, such as that they were signed out, is then known of the entry before its token is sent
    /// again.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func learnOwner(ofLegacy secret: Secret, homeAccountID: String) throws(StoreError) {
        try change { edit in
            let token = Array(secret.reveal().utf8)
            for entry in edit.snapshot.entries(.legacy)
            where entry.isEqual("secret", token) && entry.filled("home_account_id") == nil {
                edit.update(entry, in: .legacy, [("home_account_id", homeAccountID)])
            }
        }
    }

    /// Removes every legacy entry of a refresh token that the provider called dead.
    ///
    /// - Throws: ``StoreError``; then nothing was changed.
    package func forgetLegacy(refreshToken secret: Secret) throws(StoreError) {
        try change { edit in edit.removeLegacy { $0.isEqual("secret", Array(secret.reveal().utf8)) } }
    }
}

extension CacheEdit {
    fileprivate mutating func takeOver(_ entries: [LegacyEntry]) -> [LegacyIntake] {
        var held: [String: Entry] = [:]
        for entry in snapshot.entries(.legacy) {
            if let key = entry.legacyEntry?.storeKey, held[key] == nil { held[key] = entry }
        }
        var signedIn: [String: [Account]] = [:]
        var signedOut: [String: [Account]] = [:]
        var outcomes = [LegacyIntake](repeating: .noRefreshToken, count: entries.count)
        // Of several with one meaning the last counts, as it is the one that was written last.
        var places: [String: Int] = [:]
        for (place, entry) in entries.enumerated() where entry.refreshToken != nil { places[entry.storeKey] = place }
        var room = max(0, LegacyCache.maximumItems - held.count)
        for (place, entry) in entries.enumerated() {
            guard let token = entry.refreshToken else { continue }
            let key = entry.storeKey
            let accounts = signedIn[entry.clientID] ?? snapshot.accountsHoldingRefreshTokens(clientID: entry.clientID)
            signedIn[entry.clientID] = accounts
            let left = signedOut[entry.clientID] ?? snapshot.accountsSignedOut(clientID: entry.clientID)
            signedOut[entry.clientID] = left
            if accounts.contains(where: entry.belongs(to:)) {
                outcomes[place] = .signedIn
            } else if snapshot.isSignedOut(entry, among: left) {
                outcomes[place] = .signedOut
            } else if let known = held[key] {
                outcomes[place] = known.isEqual("secret", Array(token.reveal().utf8)) ? .unchanged : .renewed
                if places[key] == place { update(known, in: .legacy, entry.fields) }
            } else {
                outcomes[place] = .taken
                guard places[key] == place, room > 0 else { continue }
                room -= 1
                insert(key, in: .legacy, entry.fields)
            }
        }
        return outcomes
    }

    mutating func removeLegacy(_ isMeant: (Entry) -> Bool) {
        for entry in snapshot.entries(.legacy) where isMeant(entry) { remove(entry, from: .legacy) }
    }

    /// Removes a person's legacy entries.
    ///
    /// - Parameter clientID: only this client's; nil removes all.
    /// - Returns: how many went.
    mutating func removeLegacy(of account: AccountID, clientID: String?) -> Int {
        guard snapshot.hasLegacyEntries else { return 0 }
        let accounts = snapshot.accounts().filter { $0.id.isSamePerson(as: account) }
        var count = 0
        removeLegacy { entry in
            guard let legacy = entry.legacyEntry,
                clientID.map({ legacy.clientID.asciiLowercased == $0.asciiLowercased }) ?? true,
                accounts.contains(where: legacy.belongs(to:))
            else { return false }
            count += 1
            return true
        }
        return count
    }

    /// Removes what a new sign-in, or the first use of a legacy token, made needless: this client's entries of the
    /// person, and those that stood for all clients of a family whose token the person has now. Another client's stay
    /// its own.
    mutating func removeLegacy(replacedBy record: TokenRecord) {
        guard snapshot.hasLegacyEntries else { return }
        let person = Account(
            homeAccountID: record.homeAccountID, environment: record.environment, username: record.username,
            tenantProfiles: [
                TenantProfile(
                    tenantID: record.realm, localAccountID: record.localAccountID, username: record.username,
                    isHome: true)
            ], issuer: record.issuer)
        removeLegacy { entry in
            guard let legacy = entry.legacyEntry else { return false }
            let isClient =
                legacy.clientID.asciiLowercased == record.clientID.asciiLowercased
                || (LegacyFields.family(ofClient: legacy.clientID) != nil && record.familyID == legacy.familyID)
            return isClient && (legacy.belongs(to: person) || record.upgrades.map(legacy.isSamePerson(as:)) ?? false)
        }
    }
}

extension LegacyEntry {
    fileprivate func isSamePerson(as other: LegacyEntry) -> Bool { [self, other].people.count == 1 }
}

extension CacheSnapshot {
    /// Whether the person of a legacy entry was signed out of its client, as far as the entry and the store say who it
    /// is.
    package func isSignedOut(_ entry: LegacyEntry) -> Bool {
        isSignedOut(entry, among: accountsSignedOut(clientID: entry.clientID))
    }

    fileprivate func isSignedOut(_ entry: LegacyEntry, among left: [Account]) -> Bool {
        if let home = entry.homeAccountID {
            let account = AccountID(
                homeAccountID: home, environment: entry.authority.environment, issuer: entry.authority.issuer)
            return isSignedOut(account, clientID: entry.clientID)
        }
        return left.contains(where: entry.belongs(to:))
    }

    fileprivate func accountsSignedOut(clientID: String) -> [Account] {
        guard outline?.section(named: Section.accountMetadata.name) != nil else { return [] }
        return accounts(clientID: nil).filter { isSignedOut($0.id, clientID: clientID) }
    }

    fileprivate func accountsHoldingRefreshTokens(clientID: String) -> [Account] {
        overviews(clientID: clientID).filter { overview in
            overview.account.origin == .msal && overview.credentials.contains { $0.kind == .refreshToken }
        }.map(\.account)
    }
}
