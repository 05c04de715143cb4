package import FoundationEssentials
package import Identity

/// Whether a client borrows a family refresh token from another program's store, and which one.
package enum FamilyBorrowing {
    /// Whether the client has no usable refresh token, neither its own nor one of its family.
    package static func isWanted(
        in snapshot: CacheSnapshot, clientID: String, account isWanted: (Account) -> Bool
    ) -> Bool {
        !snapshot.credentials(clientID: clientID).contains { $0.kind == .refreshToken }
            && !snapshot.familyTokens().contains { $0.reach.contains(clientID) && isWanted($0.account) }
    }

    /// The first family token that the client can redeem; nil if they belong to several users: then the user must
    /// choose.
    package static func choose<Store>(
        among stores: [(store: Store, snapshot: CacheSnapshot)], clientID: String, account isWanted: (Account) -> Bool
    ) -> (store: Store, token: FamilyToken)? {
        let found = stores.flatMap { store, snapshot in
            snapshot.familyTokens().filter {
                ($0.holder == clientID || $0.reach.contains(clientID)) && isWanted($0.account)
            }.map { (store: store, token: $0) }
        }
        guard let first = found.first,
            found.allSatisfy({ $0.token.account.id.isSamePerson(as: first.token.account.id) })
        else { return nil }
        return first
    }
}

extension FamilyToken {
    /// The token as a record for foyer's store, under its own client.
    package func record(at now: Date) -> TokenRecord {
        let profile = account.tenantProfiles.first { $0.isHome } ?? account.tenantProfiles.first
        var record = TokenRecord(
            clientID: holder, homeAccountID: account.homeAccountID, environment: account.environment,
            realm: profile?.tenantID ?? "", localAccountID: account.localAccountID, username: account.username,
            name: account.name, accountSource: "refresh_token", cachedAt: now, refreshToken: token.secret,
            familyID: familyID)
        // The names are another store's, and may be older.
        (record.hasUsername, record.hasName, record.isSilent) = (false, false, true)
        return record
    }
}
