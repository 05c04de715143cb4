import Identity
import LegacyCaches
import TokenCache
import Wire

/// What an ADAL cache left is used when the unified cache has no refresh token of the person: redeemed at the present
/// endpoint, kept in the unified form, and then gone from where it waited.
enum LegacyCandidates {
    /// The legacy refresh tokens that may answer, in the order in which they are tried: the client's own, then the
    /// family's.
    ///
    /// - Throws: `ambiguous` when several people are behind the name: none is guessed.
    static func find(_ resolved: ResolvedRequest, _ snapshot: CacheSnapshot, clientID: String)
        throws(Unresolved) -> [(CachedCredential, LegacyEntry?)]
    {
        let membership = snapshot.familyMembership(clientID: clientID, environment: resolved.query.environment)
        let family: String? =
            switch membership {
            case .unknown: "1"
            case .member(let family): family
            case .notMember: nil
            }
        // Whose they are is settled by the account, which may be known by several names, one in each tenant.
        // Of who was signed out of this client nothing is redeemed: the answer would be thrown away.
        let mine = entries(of: resolved.account, snapshot).filter { !isSignedOut($0, snapshot, clientID: clientID) }
        guard !mine.isEmpty else { return [] }
        let query = LegacyQuery(
            userID: nil, homeAccountID: nil, clientID: clientID, familyID: family, authority: resolved.authority)
        switch mine.find(query) {
        case .none: return []
        case .candidates(let entries):
            return entries.compactMap { entry in
                CachedCredential(legacy: entry, account: resolved.account, clientID: clientID).map { ($0, entry) }
            }
        case .ambiguous(let people):
            throw .failed(
                Failure(
                    .ambiguous, "\(people.count) people of an ADAL cache are called \(resolved.account.label)",
                    hint: .nameAccountByIdentifier))
        }
    }

    static func entries(of account: Account, _ snapshot: CacheSnapshot) -> [LegacyEntry] {
        snapshot.legacyEntries.filter { $0.belongs(to: account) }
    }

    static func isSignedOut(_ entry: LegacyEntry, _ snapshot: CacheSnapshot, clientID: String) -> Bool {
        var asked = entry
        asked.clientID = clientID
        return snapshot.isSignedOut(asked)
    }
}

extension OAuthError {
    /// Whether a legacy refresh token is dead for good. ADAL removed what was answered with `invalid_grant`, but for a
    /// want of consent. Where a condition is not met (a second factor, a terms of use page, a managed device), the
    /// token is as good as before and is kept as well, as MSAL does.
    var endsLegacyToken: Bool {
        guard error == "invalid_grant" else { return false }
        let conditions: Set<String> = [
            "consent_required", "basic_action", "additional_action", "message_only", "protection_policy_required",
            "client_mismatch",
        ]
        return !(suberror.map(conditions.contains) ?? false)
    }
}

extension ResolvedRequest {
    /// Who a legacy account is by now: once it was upgraded, by this or another process, the unified cache has the
    /// person under the same name.
    static func settled(
        _ account: Account, in snapshot: CacheSnapshot, _ configuration: ClientConfiguration
    ) -> Account {
        guard account.origin == .adal else { return account }
        let known = snapshot.accounts(clientID: configuration.clientID).filter {
            $0.origin == .msal && Cloud.isSame($0.environment, account.environment)
                && (account.issuer == nil || $0.issuer == nil || $0.issuer == account.issuer)
        }
        if let identifier = account.identifier { return known.first { $0.homeAccountID == identifier } ?? account }
        let name = account.username.asciiLowercased
        let namesakes = known.filter { person in
            !name.isEmpty && person.homeTenantID != Account.personalTenant
                && ([person.username] + person.tenantProfiles.map(\.username)).contains { $0.asciiLowercased == name }
        }
        return namesakes.count == 1 ? namesakes[0] : account
    }
}

extension Account {
    /// Whether a legacy account, whose home nobody knew, goes by the name of a person who signed in now.
    func isNamesake(of person: Account) -> Bool {
        guard identifier == nil, !username.isEmpty, Cloud.isSame(environment, person.environment) else { return false }
        return ([person.username] + person.tenantProfiles.map(\.username)).contains {
            $0.asciiLowercased == username.asciiLowercased
        }
    }
}

extension CachedCredential {
    /// A legacy entry's refresh token as a refresh takes it; nil when the entry has none.
    fileprivate init?(legacy entry: LegacyEntry, account: Account, clientID: String) {
        guard let secret = entry.refreshToken else { return nil }
        let isOwn = entry.clientID.asciiLowercased == clientID.asciiLowercased
        self.init(
            id: "legacy", kind: .refreshToken, clientID: isOwn ? clientID : entry.clientID,
            homeAccountID: account.identifier,
            environment: entry.authority.environment, realm: "", scopes: [], secret: secret, tokenType: "Bearer",
            cachedAt: nil,
            expiresOn: nil, extendedExpiresOn: nil, refreshOn: nil, familyID: entry.familyID)
    }
}
