import FoundationEssentials
import Identity
import LegacyCaches
import TokenCache
import Wire

/// The silent flow, in the order in which it happens: the cached access token, then the client's refresh token, then
/// the family's, then what an ADAL cache left.
struct Silent {
    let application: PublicClientApplication
    let request: TokenRequest
    let record: StepRecorder
    /// What was read a moment ago; nil reads the store.
    var snapshot: CacheSnapshot?

    private var configuration: PublicClientApplication.Configuration { application.configuration }
    /// A challenge that asks nothing passes over nothing; nor do capabilities alone.
    private var passesOverAccessTokens: Bool {
        request.forceRefresh || request.claims.map { !ClaimsRequest.isEmpty($0) } ?? false
    }
    private static let accountDeleted = "user_account_deleted"

    func acquire() async -> Result<AcquiredToken, Failure> {
        do throws(Failure) {
            return .success(try await run())
        } catch {
            return .failure(record.failed(error, correlationID: request))
        }
    }

    func run() async throws(Failure) -> AcquiredToken {
        let started = application.now()
        let snapshot = if let snapshot { snapshot } else { try read() }
        let account = try ResolvedRequest.account(for: request, in: snapshot, configuration)
        guard !snapshot.isSignedOut(account.id, clientID: configuration.clientID) else {
            record.note(.account, .failed, "signed out")
            throw Failure(.interactionRequired, "\(account.label) was signed out of this client")
        }
        let resolved = try ResolvedRequest(request, account: account, in: snapshot, application)
        record.note(.account, .done, account.label)

        let cached = find(resolved, in: snapshot, at: started)
        if let cached, cached.isServed(at: started, buffer: configuration.expirationBuffer) {
            return try answer(with: cached, resolved, snapshot)
        }
        guard !candidates(resolved, snapshot).isEmpty else {
            record.note(.refreshToken, .missing, "none for this client or its family")
            if let cached, cached.isFresh(at: started, buffer: configuration.expirationBuffer) {
                // Due for renewal is not over: what cannot be renewed serves to its end.
                record.note(.accessToken, .done, "cannot be renewed, but is still valid")
                return try answer(with: cached, resolved, snapshot)
            }
            guard try legacyCandidates(resolved, snapshot).isEmpty else { return try await upgrade(resolved) }
            throw Failure(.interactionRequired, "no token of \(account.label) in the store serves this request")
        }
        return try await refresh(resolved, cached: cached, snapshot, since: started)
    }

    // MARK: The access token

    private func find(_ resolved: ResolvedRequest, in snapshot: CacheSnapshot, at now: Date) -> CachedCredential? {
        guard !passesOverAccessTokens else {
            record.note(
                .accessToken, .skipped,
                request.forceRefresh ? "a new one was asked for" : "a claims challenge needs a new one")
            return nil
        }
        let buffer = configuration.expirationBuffer
        guard let found = snapshot.accessToken(resolved.query, at: now, buffer: buffer) else {
            record.note(.accessToken, .missing, "none for these scopes")
            return nil
        }
        if found.isServed(at: now, buffer: buffer) {
            record.note(.accessToken, .done, "lives for \(found.secondsLeft(at: now) / 60) more minutes")
        } else if found.isFresh(at: now, buffer: buffer) {
            record.note(.accessToken, .skipped, "still valid, but due for renewal")
        } else {
            let left = found.secondsLeft(at: now)
            let why =
                found.isAhead(of: now) ? "a clock was wrong: it was stored at a time to come" : "only \(left) s left"
            record.note(.accessToken, .failed, left > 0 ? why : "expired")
        }
        return found
    }

    private func answer(
        with found: CachedCredential, _ resolved: ResolvedRequest, _ snapshot: CacheSnapshot,
        source: AcquiredToken.Source = .cache
    ) throws(Failure) -> AcquiredToken {
        var query = resolved.query
        query.realms = [found.realm] + query.realms
        let claims = snapshot.idToken(query).flatMap { try? DecodedJWT($0.secret).payload } ?? Claims()
        return AcquiredToken(
            accessToken: found.secret, tokenType: found.tokenType, expiresOn: found.expiresOn ?? application.now(),
            extendedExpiresOn: found.extendedExpiresOn, scopes: found.scopes,
            tenantID: claims.string("tid") ?? found.realm,
            clientID: configuration.clientID, authority: resolved.authority, source: source, idTokenClaims: claims,
            account: resolved.account,
            correlationID: request.correlationID, trail: record.trail,
            proof: try resolved.binding.proof(of: found.secret, for: request.proof, now: application.now()))
    }

    // MARK: The refresh tokens

    /// How many refresh tokens of the client, and how many of its family, are tried in one call.
    private static let mostCandidates = 4

    /// This client's refresh tokens, the newest first, then those of the family; each secret once. Libraries that write
    /// no time, or that make a new entry for each sign-in, leave old ones behind, which may come first.
    private func candidates(_ resolved: ResolvedRequest, _ snapshot: CacheSnapshot) -> [CachedCredential] {
        let membership = snapshot.familyMembership(
            clientID: configuration.clientID, environment: resolved.query.environment)
        var known: Set<Secret> = []
        // A bound token goes with a proof of its key or not at all.
        func isUsable(_ token: CachedCredential) -> Bool {
            (token.keyID == nil || token.keyID == resolved.binding.keyID) && known.insert(token.secret).inserted
        }
        let own = snapshot.refreshTokens(resolved.query, family: false).filter(isUsable)
        guard membership != .notMember else { return Array(own.prefix(Self.mostCandidates)) }
        let family = snapshot.refreshTokens(resolved.query, family: true).filter(isUsable)
        return Array(own.prefix(Self.mostCandidates)) + family.prefix(Self.mostCandidates)
    }

    /// One refresh at a time between all processes: lock, read again, look again, and only then ask the provider.
    private func refresh(
        _ resolved: ResolvedRequest, cached: CachedCredential?, _ earlier: CacheSnapshot, since started: Date
    ) async throws(Failure)
        -> AcquiredToken
    {
        var resolved = resolved
        let turn: (lock: RefreshLock, waited: Bool)
        do throws(Failure) {
            // One name for a cloud, whichever of its aliases the account was found under.
            turn = try await waitForTurn(
                "\(resolved.query.homeAccountID) \(resolved.account.id.home) \(configuration.clientID)")
        } catch {
            guard error.code != .cancelled, let token = try fallback(cached, resolved, earlier, error) else {
                throw error
            }
            return token
        }
        defer { turn.lock.release() }

        let snapshot: CacheSnapshot
        do throws(Failure) { snapshot = try read() } catch {
            guard let token = try fallback(cached, resolved, earlier, error) else { throw error }
            return token
        }
        // A sign-in may have brought another key meanwhile.
        resolved = try ResolvedRequest(request, account: resolved.account, in: snapshot, application)
        if let token = broughtByAnother(resolved, snapshot, since: started, waited: turn.waited) {
            return try answer(with: token, resolved, snapshot)
        }
        do throws(Failure) {
            if turn.waited { try takeFailureOfAnother(resolved, since: started) }
            return try await redeem(candidates(resolved, snapshot), resolved, snapshot)
        } catch {
            guard mayFallBack(after: error), let token = try fallback(cached, resolved, snapshot, error) else {
                throw error
            }
            return token
        }
    }

    /// Waits until no other call of this or another process refreshes what the key names.
    ///
    /// - Returns: the lock, and whether another had it.
    func waitForTurn(_ key: String) async throws(Failure) -> (lock: RefreshLock, waited: Bool) {
        var waited = false
        do {
            let lock = try await RefreshLock.acquire(path: application.cache.path, key: key, timeout: .seconds(60)) {
                waited = true
                record.note(.lock, .skipped, "another call refreshes this sign-in; its answer is waited for")
            }
            return (lock, waited)
        } catch { throw Failure(refreshLock: error) }
    }

    /// When the call that this one waited for did not reach the provider, that is the answer here, too: else each in
    /// the line would wait for the provider once more.
    func takeFailureOfAnother(_ resolved: ResolvedRequest, since started: Date) throws(Failure) {
        guard Throttle(application, record).wasUnreached(resolved.authority, since: started) else { return }
        record.note(.lock, .failed, "the call that was waited for did not reach the provider")
        throw Failure(
            .unavailable,
            "\(resolved.authority.address.hostAndPort) was not reached by the call that this one waited for",
            hint: "try again later")
    }

    // MARK: What serves when the renewal does not work

    /// A renewal that was refused, never reached anybody, or was not tried because the store could not be written takes
    /// nothing from a token that is still valid. What became of the account or the scopes is said instead.
    private func mayFallBack(after failure: Failure) -> Bool {
        switch failure.code {
        // The configuration: a proxy that cannot be used.
        case .unavailable, .serverError, .untrustedResponse, .storeError, .configuration: true
        case .interactionRequired: failure.suberror != Self.accountDeleted
        case .declinedScopes, .notFound, .ambiguous, .usage, .invalidInput, .cancelled: false
        }
    }

    /// The token from before: as long as it is valid, whatever went wrong (MSAL gives it back after an HTTP 5xx only,
    /// and not when offline); while its extended lifetime runs, when the provider is away and the application wants
    /// that. Also while throttled, where MSAL gives the error.
    private func fallback(
        _ cached: CachedCredential?, _ resolved: ResolvedRequest, _ snapshot: CacheSnapshot, _ failure: Failure
    ) throws(Failure)
        -> AcquiredToken?
    {
        let now = application.now()
        guard let cached else { return nil }
        if cached.isFresh(at: now, buffer: configuration.expirationBuffer) {
            record.note(.accessToken, .done, "the renewal did not work, the old one is still valid")
            var token = try answer(with: cached, resolved, snapshot)
            if failure.code == .storeError {
                token.warning = failure.message + "; the token from before is still valid, and was not renewed"
            }
            return token
        }
        guard configuration.extendedLifetime, failure.code == .unavailable, cached.isExtended(at: now) else {
            return nil
        }
        record.note(.accessToken, .done, "the provider is away, the extended lifetime runs")
        return try answer(with: cached, resolved, snapshot, source: .extendedLifetime)
    }

    /// A token that another process stored while this one waited for the lock.
    private func broughtByAnother(
        _ resolved: ResolvedRequest, _ snapshot: CacheSnapshot, since started: Date, waited: Bool
    )
        -> CachedCredential?
    {
        let now = application.now()
        guard request.claims.map(ClaimsRequest.isEmpty) ?? true,
            let token = snapshot.accessToken(resolved.query, at: now, buffer: configuration.expirationBuffer),
            token.isServed(at: now, buffer: configuration.expirationBuffer)
        else { return nil }
        if request.forceRefresh {
            let wholeSecond = Date(timeIntervalSince1970: started.timeIntervalSince1970.rounded(.down))
            guard waited, let cachedAt = token.cachedAt, cachedAt >= wholeSecond else { return nil }
        }
        record.note(.lock, .done, "another process brought a new one meanwhile")
        return token
    }

    private func redeem(_ tokens: [CachedCredential], _ resolved: ResolvedRequest, _ snapshot: CacheSnapshot)
        async throws(Failure) -> AcquiredToken
    {
        let claims = try application.claims(for: request)
        let throttle = Throttle(application, record)
        var refusal: Failure?
        var isDeadEnd = false
        var queue = tokens
        var triedAgain = false
        var metadata: ProviderMetadata?
        while !queue.isEmpty {
            let token = queue.removeFirst()
            let isRelative = token.clientID != configuration.clientID
            switch try await spend(
                token, resolved, claims: claims, throttle, earlier: snapshot.idToken(resolved.query),
                metadata: &metadata)
            {
            case .token(let token): return token
            case .refused(let error):
                if isRelative, error.suberror == "client_mismatch" {
                    keepStore { cache throws(StoreError) in
                        try cache.markNotInFamily(
                            clientID: configuration.clientID, environment: resolved.query.environment)
                    }
                    refusal = refusal ?? Failure(notInFamily: error)
                    continue
                }
                let failure = Failure(error)
                if error.suberror == Self.accountDeleted {
                    // Nothing of it will ever work again; other clients find out for themselves.
                    keepStore { cache throws(StoreError) in
                        _ = try cache.forget(resolved.account.id, clientID: configuration.clientID)
                    }
                    record.note(.remove, .done, "the provider has deleted the account")
                    throw failure
                }
                guard failure.code == .interactionRequired else { throw failure }
                // What a person has to do says more than that a token is dead.
                if refusal == nil || (isDeadEnd && !error.isOfTheToken) { refusal = failure }
                isDeadEnd = error.isOfTheToken
                if error.suberror == "bad_token", !isRelative {
                    // I3: a relative's entry is its client's to remove.
                    keepStore { cache throws(StoreError) in
                        try cache.forgetRefreshToken(token.secret, clientID: token.clientID)
                    }
                }
                // A condition has to be met whichever of the client's tokens is sent; the family's may have met it
                // elsewhere.
                if !error.isOfTheToken { queue.removeAll { $0.clientID == configuration.clientID } }
                if !triedAgain, let newer = try newer(than: token, resolved, since: snapshot) {
                    // Somebody else spent this one and stored its successor.
                    triedAgain = true
                    queue.insert(newer, at: 0)
                }
            }
        }
        throw refusal ?? Failure(.interactionRequired, "no refresh token is left")
    }

    /// Sends one refresh token, unless a short while ago the provider said that there is no use in it.
    func spend(
        _ token: CachedCredential, _ resolved: ResolvedRequest, claims: String?, _ throttle: Throttle,
        earlier: CachedCredential?,
        legacy: LegacyEntry? = nil,
        metadata: inout ProviderMetadata?
    ) async throws(Failure) -> RefreshTokenRedemption.Outcome {
        let question = Throttle.Question(
            authority: resolved.authority, account: resolved.account.id, token: token.secret,
            scopes: resolved.query.scopes,
            claims: claims,
            keyID: resolved.query.keyID)
        if let held = throttle.held(question) {
            guard held.kind == .person, let error = held.error else {
                throw throttle.failure(held, host: resolved.authority.provider)
            }
            record.note(
                .throttle, .skipped, "\(resolved.authority.provider) asked for a sign-in a moment ago (\(error))")
            return .refused(OAuthError(error: error, suberror: held.suberror, codes: held.codes, claims: held.claims))
        }
        let provider = if let metadata { metadata } else { try await self.metadata(resolved.authority, throttle) }
        metadata = provider
        if case .dpop = resolved.binding { try ProofKeys.check(provider, isWanted: true) }
        let spending = RefreshTokenRedemption(
            application: application, request: request, record: record, resolved: resolved, metadata: provider,
            claims: claims,
            token: token,
            earlier: earlier, legacy: legacy, throttle: throttle, question: question)
        do throws(Failure) { return try await spending.finish() } catch {
            // Perhaps what was kept of the provider is out of date: whoever tries again asks.
            if [.unavailable, .serverError, .untrustedResponse].contains(error.code) {
                await ProviderMetadataCache(application).forget(resolved.authority, provider)
            }
            throw error
        }
    }

    private func metadata(_ authority: Authority, _ throttle: Throttle) async throws(Failure) -> ProviderMetadata {
        if let held = throttle.held(metadataOf: authority) { throw throttle.failure(held, host: authority.provider) }
        do { return try await application.providerMetadata(of: authority, record, acceptsKept: true) } catch {
            throttle.note(error, metadataOf: authority)
            throw Failure(error)
        }
    }

    /// A refresh token that came into the store after the snapshot was read; its elders are not tried.
    private func newer(than token: CachedCredential, _ resolved: ResolvedRequest, since snapshot: CacheSnapshot)
        throws(Failure) -> CachedCredential?
    {
        let isRelative = token.clientID != configuration.clientID
        let known = Set(snapshot.refreshTokens(resolved.query, family: isRelative).map(\.secret))
        return try read().refreshTokens(resolved.query, family: isRelative).first {
            !known.contains($0.secret) && ($0.keyID == nil || $0.keyID == resolved.binding.keyID)
        }
    }

    func read() throws(Failure) -> CacheSnapshot {
        do { return try application.cache.read() } catch { throw Failure(error) }
    }

    /// Notes in the store what a refusal taught. What the provider said stays the answer when that cannot be written.
    func keepStore(_ change: (TokenCache) throws(StoreError) -> Void) {
        do { try change(application.cache) } catch { record.note(.save, .failed, error.message) }
    }
}

extension CachedCredential {
    /// Fresh, and not due for renewal: what is handed out without a request.
    func isServed(at now: Date, buffer: TimeInterval) -> Bool {
        guard isFresh(at: now, buffer: buffer) else { return false }
        return refreshOn.map { $0 > now } ?? true
    }

    /// Whether the extended lifetime runs: what the provider allows to be used while it is away.
    func isExtended(at now: Date) -> Bool {
        guard let extendedExpiresOn, extendedExpiresOn > now else { return false }
        // A clock that went back tells nothing of it either.
        return cachedAt.map { $0.timeIntervalSince(now) <= 120 } ?? true
    }

    /// Whole seconds, negative after the end; zero when the entry does not say.
    func secondsLeft(at now: Date) -> Int {
        expiresOn.flatMap { Int(exactly: $0.timeIntervalSince(now).rounded()) } ?? 0
    }
}
