package import Identity
package import LegacyCaches

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
    mutating func takeOver(_ entries: [LegacyEntry]) -> [LegacyIntake] {
        var held: [String: CacheEntry] = [:]
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

    mutating func removeLegacy(_ isMeant: (CacheEntry) -> Bool) {
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
