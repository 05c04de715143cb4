package import Identity

/// A refresh token of Microsoft's family, which any client of the family can redeem.
package struct FamilyToken: Hashable, Sendable {
    package var holder: String
    package var account: Account
    package var familyID: String
    /// Other family clients, well known or recorded in the store, sorted by client ID.
    package var reach: [String]
    package var token: CachedCredential
}

/// Whether a client belongs to Microsoft's family, according to the cache.
package enum FamilyMembership: Hashable, Sendable {
    /// No entry: never tried.
    case unknown
    case notMember
    case member(String)
}

extension CacheSnapshot {
    /// Whether a client is in the family: an entry without a family means no; no entry means unknown.
    package func familyMembership(clientID: String, environment: String) -> FamilyMembership {
        let client = WantedClient(clientID)
        let names = EnvironmentNames(environment)
        var answer = FamilyMembership.unknown
        for entry in entries(.appMetadata) where entry.isOf(client) && entry.isIn(names) {
            if let family = entry.filled("family_id") { return .member(family) }
            answer = .notMember
        }
        return answer
    }

    /// The family refresh tokens, each with its possible clients: recorded members, and well-known ones without a
    /// record.
    package func familyTokens() -> [FamilyToken] {
        let people = accounts(clientID: nil)
        return credentials().compactMap { token in
            guard token.kind == .refreshToken, let family = token.familyID, !family.isEmpty,
                let home = token.homeAccountID,
                let account = people.first(where: {
                    $0.id.isSamePerson(
                        as: AccountID(homeAccountID: home, environment: token.environment, issuer: token.issuer))
                })
            else { return nil }
            return FamilyToken(
                holder: token.clientID, account: account, familyID: family,
                reach: members(of: family, environment: token.environment).filter { $0 != token.clientID }, token: token
            )
        }
    }

    private func members(of family: String, environment: String) -> [String] {
        let noted = Set(entries(.appMetadata).compactMap(\.clientID))
        let known = Client.wellKnown.filter(\.isFamily).map(\.id).filter { id in
            familyMembership(clientID: id, environment: environment) != .notMember
        }
        let said = noted.filter { familyMembership(clientID: $0, environment: environment) == .member(family) }
        return Set(known).union(said).sorted()
    }

    /// A snapshot with a token added; the store itself is unchanged.
    package func with(_ record: TokenRecord) throws(StoreError) -> CacheSnapshot {
        var edit = CacheEdit(self)
        edit.save(record)
        return try edit.text.map { text throws(StoreError) in try CacheSnapshot(text, path: "") } ?? self
    }
}
