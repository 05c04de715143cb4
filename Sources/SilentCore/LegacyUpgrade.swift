package import Identity
import LegacyCaches
import TokenCache

/// Refresh tokens of an ADAL cache are used if the unified cache has none for the account. They are redeemed at the
/// current endpoint, saved in the unified format, and removed from the pending entries.
enum LegacyCandidates {
    /// The legacy refresh tokens to try, in order: the client's own, then the family's.
    ///
    /// - Throws: `ambiguous` if several users have the name.
    static func find(_ resolved: ResolvedRequest, _ snapshot: CacheSnapshot, clientID: String)
        throws(ResolutionError) -> [(CachedCredential, LegacyEntry?)]
    {
        let membership = snapshot.familyMembership(clientID: clientID, environment: resolved.query.environment)
        let family: String? =
            switch membership {
            case .unknown: "1"
            case .member(let family): family
            case .notMember: nil
            }
        // The account determines the owner; it may have a different name in each tenant. Entries of a signed-out
        // account are not redeemed, because the response would be discarded.
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
                    .ambiguous, "\(people.count) accounts in an ADAL cache are named \(resolved.account.label)",
                    hint: .nameAccountByIdentifier, naming: resolved.account.names))
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
    /// Whether a legacy refresh token is permanently invalid. ADAL removed a token after any `invalid_grant` except
    /// missing consent. An unmet condition (multifactor authentication, terms of use, a managed device) does not
    /// invalidate the token, so it is also kept, as in MSAL.
    package var endsLegacyToken: Bool {
        guard error == "invalid_grant" else { return false }
        let conditions: Set<String> = [
            "consent_required", "basic_action", "additional_action", "message_only", "protection_policy_required",
            "client_mismatch",
        ]
        return !(suberror.map(conditions.contains) ?? false)
    }
}

extension ResolvedRequest {
    /// The account that replaced a legacy one: after an upgrade, the unified cache has the same username.
    static func settled(
        _ account: Account, in snapshot: CacheSnapshot, _ configuration: ClientConfiguration
    ) -> Account {
        guard account.origin == .adal else { return account }
        let known = snapshot.accounts(clientID: configuration.clientID).filter {
            $0.origin == .msal && Cloud.isSame($0.environment, account.environment)
                && (account.issuer == nil || $0.issuer == nil || $0.issuer == account.issuer)
        }
        if let identifier = account.identifier { return known.first { $0.isIdentified(by: identifier) } ?? account }
        let name = account.username.asciiLowercased
        let namesakes = known.filter { person in
            !name.isEmpty && person.homeTenantID != Account.personalTenant
                && ([person.username] + person.tenantProfiles.map(\.username)).contains { $0.asciiLowercased == name }
        }
        return namesakes.count == 1 ? namesakes[0] : account
    }
}

extension Account {
    /// Whether a legacy account with an unknown home has the username of a newly signed-in account.
    package func isNamesake(of person: Account) -> Bool {
        guard identifier == nil, !username.isEmpty, Cloud.isSame(environment, person.environment) else { return false }
        return ([person.username] + person.tenantProfiles.map(\.username)).contains {
            $0.asciiLowercased == username.asciiLowercased
        }
    }
}

extension CachedCredential {
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
