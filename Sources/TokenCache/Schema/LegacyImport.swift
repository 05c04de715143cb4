package import Identity
package import LegacyCaches

package enum LegacyIntake: String, Hashable, Sendable {
    /// Pending until its first use.
    case taken
    /// Replaces an older pending token.
    case renewed
    /// The same token is already pending.
    case unchanged
    /// The user is already signed in for this client, so the import is unnecessary.
    case signedIn
    /// The user signed out of this client, and stays signed out until they sign in.
    case signedOut
    /// It has no refresh token, and an access token alone is not worth importing.
    case noRefreshToken
}

extension TokenCache {
    /// Imports the refresh tokens of legacy entries as pending until their first use; access tokens are not imported.
    /// An entry of a user who signed out of its client is skipped, and its refresh token is never sent. Returns a
    /// result per entry.
    package func takeOver(_ entries: [LegacyEntry]) throws(StoreError) -> [LegacyIntake] {
        guard entries.contains(where: { $0.refreshToken != nil }) else { return entries.map { _ in .noRefreshToken } }
        return try change { $0.takeOver(entries) }
    }

    /// Records the owner of a legacy refresh token after the provider has named it. The user's state, such as a
    /// sign-out, then applies to the entry before its token is sent again.
    package func learnOwner(ofLegacy secret: Secret, homeAccountID: String) throws(StoreError) {
        try change { edit in
            let token = Array(secret.reveal().utf8)
            for entry in edit.snapshot.entries(.legacy)
            where entry.isEqual("secret", token) && entry.filled("home_account_id") == nil {
                edit.update(entry, in: .legacy, [("home_account_id", homeAccountID)])
            }
        }
    }

    /// Removes every legacy entry of a refresh token that the provider rejected as expired or revoked.
    package func forgetLegacy(refreshToken secret: Secret) throws(StoreError) {
        try change { edit in edit.removeLegacy { $0.isEqual("secret", Array(secret.reveal().utf8)) } }
    }
}

extension CacheEdit {
    mutating func takeOver(_ entries: [LegacyEntry]) -> [LegacyIntake] {
        var held: [String: CacheEntry] = [:]
        for entry in snapshot.entries(.legacy) {
            if let key = entry.legacyEntry?.storeKey, held[key] == nil { held[key] = entry }
        }
        var signedIn: [String: [Account]] = [:]
        var signedOut: [String: [Account]] = [:]
        var outcomes = [LegacyIntake](repeating: .noRefreshToken, count: entries.count)
        // Among entries with one key the last wins, as it was written last.
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

    mutating func removeLegacy(_ matches: (CacheEntry) -> Bool) {
        for entry in snapshot.entries(.legacy) where matches(entry) { remove(entry, from: .legacy) }
    }

    /// Removes a user's legacy entries of a client, or of all, and returns their number.
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

    /// Removes legacy entries that a sign-in, or the first use of a legacy token, made unnecessary: this client's
    /// entries of the user, and the family's if the user now has its token. Other clients' entries stay.
    mutating func removeLegacy(replacedBy record: TokenRecord) {
        guard snapshot.hasLegacyEntries else { return }
        var person = Account(
            homeAccountID: record.homeAccountID, environment: record.environment, username: record.username,
            tenantProfiles: [
                TenantProfile(
                    tenantID: record.realm, localAccountID: record.localAccountID, username: record.username,
                    isHome: true)
            ], issuer: record.issuer)
        person.formerUsernames = usernames(of: person.id)
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
