import Identity
import LegacyCaches
import TokenCache
import Wire

/// What an ADAL cache left is used when the unified cache has no refresh token of the person: redeemed at the present
/// endpoint, kept in the unified form, and then gone from where it waited (facts 3.6, 3.7).
extension Silent {
    /// The legacy refresh tokens that may answer, in the order in which they are tried: the client's own, then the
    /// family's.
    ///
    /// - Throws: `ambiguous` when several people are behind the name: none is guessed.
    func legacyCandidates(_ resolved: ResolvedRequest, _ snapshot: CacheSnapshot) throws(Failure) -> [LegacyEntry] {
        let clientID = application.configuration.clientID
        let membership = snapshot.familyMembership(clientID: clientID, environment: resolved.query.environment)
        let family: String? =
            switch membership {
            case .unknown: "1"
            case .member(let family): family
            case .notMember: nil
            }
        // Whose they are is settled by the account, which may be known by several names, one in each tenant.
        // Of who was signed out of this client nothing is redeemed: the answer would be thrown away.
        let mine = snapshot.legacyEntries.filter { $0.belongs(to: resolved.account) }.filter { entry in
            var asked = entry
            asked.clientID = clientID
            return !snapshot.isSignedOut(asked)
        }
        guard !mine.isEmpty else { return [] }
        let query = LegacyQuery(
            userID: nil, homeAccountID: nil, clientID: clientID, familyID: family, authority: resolved.authority)
        switch mine.find(query) {
        case .none: return []
        case .candidates(let entries): return entries
        case .ambiguous(let people):
            record.note(.legacyRefreshToken, .failed, "\(people.count) people are called \(resolved.account.label)")
            throw Failure(
                .ambiguous, "\(people.count) people of an ADAL cache are called \(resolved.account.label)",
                hint: .nameAccountByIdentifier)
        }
    }

    /// One upgrade at a time between all processes: lock, read again, see whether another has done it, and only then
    /// ask the provider.
    func upgrade(_ resolved: ResolvedRequest) async throws(Failure) -> AcquiredToken {
        let started = application.now()
        let turn = try await waitForTurn(
            "legacy \(resolved.query.homeAccountID) \(resolved.account.id.home) \(application.configuration.clientID)")
        defer { turn.lock.release() }
        let snapshot = try read()
        let known = ResolvedRequest.settled(resolved.account, in: snapshot, application.configuration)
        if known.id != resolved.account.id {
            record.note(.legacyRefreshToken, .skipped, "upgraded by another process meanwhile")
            var request = request
            request.account = known
            return try await Silent(application: application, request: request, record: record, snapshot: snapshot)
                .run()
        }
        if turn.waited { try takeFailureOfAnother(resolved, since: started) }
        return try await redeem(legacy: try legacyCandidates(resolved, snapshot), resolved, snapshot)
    }

    private func redeem(legacy entries: [LegacyEntry], _ resolved: ResolvedRequest, _ snapshot: CacheSnapshot)
        async throws(Failure) -> AcquiredToken
    {
        let claims = try application.claims(for: request)
        let throttle = Throttle(application, record)
        let clientID = application.configuration.clientID
        var metadata: ProviderMetadata?
        var refusal: Failure?
        for entry in entries {
            guard let token = CachedCredential(legacy: entry, account: resolved.account, clientID: clientID) else {
                continue
            }
            switch try await spend(
                token, resolved, claims: claims, throttle, earlier: nil, legacy: entry, metadata: &metadata)
            {
            case .token(let token): return token
            case .refused(let error):
                if token.clientID != clientID, error.suberror == "client_mismatch" {
                    keepStore { cache throws(StoreError) in
                        try cache.markNotInFamily(clientID: clientID, environment: resolved.query.environment)
                    }
                    refusal = refusal ?? Failure(notInFamily: error)
                    continue
                }
                let failure = Failure(error)
                guard failure.code == .interactionRequired else { throw failure }
                refusal = refusal ?? failure
                if Self.isDead(error) {
                    keepStore { cache throws(StoreError) in try cache.forgetLegacy(refreshToken: token.secret) }
                    record.note(.legacyRefreshToken, .failed, "no longer accepted, and forgotten")
                }
            }
        }
        throw refusal ?? Failure(.interactionRequired, "no refresh token is left")
    }

    /// ADAL removed what was answered with `invalid_grant`, but for a want of consent. Where a condition is not met (a
    /// second factor, a terms of use page, a managed device), the token is as good as before and is kept as well, as
    /// MSAL does.
    private static func isDead(_ error: OAuthError) -> Bool {
        guard error.error == "invalid_grant" else { return false }
        let conditions: Set<String> = [
            "consent_required", "basic_action", "additional_action", "message_only", "protection_policy_required",
            "client_mismatch",
        ]
        return !(error.suberror.map(conditions.contains) ?? false)
    }
}

extension ResolvedRequest {
    /// Who a legacy account is by now: once it was upgraded, by this or another process, the unified cache has the
    /// person under the same name.
    static func settled(
        _ account: Account, in snapshot: CacheSnapshot, _ configuration: PublicClientApplication.Configuration
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

extension TokenResponseProcessor {
    /// Whether the answer to a legacy refresh token is of the person whose token it was: a file that says of a
    /// stranger's token that it is somebody else's must not make them one.
    ///
    /// The home account decides where the file, or the account, says it; else the object identifier where both are of
    /// one tenant; else the name. A guest has another name in each tenant, so that nothing can be compared where only
    /// the name of a guest is known.
    static func isAnswer(for entry: LegacyEntry, of account: Account, home: String, claims: Claims) -> Bool {
        if let known = account.identifier ?? entry.homeAccountID { return known == home }
        if let object = entry.objectID, let tenant = entry.tenantID, let answered = claims.string("oid"),
            claims.string("tid")?.asciiLowercased == tenant.asciiLowercased
        {
            return answered.asciiLowercased == object.asciiLowercased
        }
        guard let name = entry.userID?.asciiLowercased, entry.isUserIDShown, !entry.isGuest else { return true }
        return ["preferred_username", "upn", "unique_name", "email", "sub", "oid"].contains {
            claims.string($0)?.asciiLowercased == name
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
