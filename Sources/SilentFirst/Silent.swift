import FoundationEssentials
import Identity
import TokenCache
import Wire

/// The silent leg, in the order in which it happens: the cached access token, then the client's refresh token, then the family's.
struct Silent {
    let application: PublicClientApplication
    let request: TokenRequest
    let record: TrailRecorder
    /// What was read a moment ago; nil reads the store.
    var snapshot: CacheSnapshot?

    private var configuration: PublicClientApplication.Configuration { application.configuration }
    private var passesOverAccessTokens: Bool { request.forceRefresh || request.claims != nil }

    func acquire() async -> Result<AcquiredToken, Failure> {
        do throws(Failure) {
            return .success(try await run())
        } catch {
            return .failure(record.failed(error, correlationID: request))
        }
    }

    private func run() async throws(Failure) -> AcquiredToken {
        let started = application.now()
        let snapshot = if let snapshot { snapshot } else { try read() }
        let account = try Aim.account(for: request, in: snapshot, configuration)
        let aim = try Aim(request, account: account, configuration)
        record.note(.account, .done, account.label)
        guard !snapshot.isSignedOut(account.id, clientID: configuration.clientID) else {
            throw Failure(.interactionRequired, "\(account.label) was signed out of this client")
        }

        let cached = find(aim, in: snapshot, at: started)
        if let cached, cached.isServed(at: started, buffer: configuration.expirationBuffer) {
            return answer(with: cached, aim, snapshot)
        }
        guard !candidates(aim, snapshot).isEmpty else {
            record.note(.refreshToken, .missing, "none for this client or its family")
            if let cached, cached.isFresh(at: started, buffer: configuration.expirationBuffer) {
                // Due for renewal is not over: what cannot be renewed serves to its end.
                record.note(.accessToken, .done, "cannot be renewed, but is still valid")
                return answer(with: cached, aim, snapshot)
            }
            throw Failure(.interactionRequired, "no token of \(account.label) in the store serves this request")
        }
        return try await refresh(aim, cached: cached, since: started)
    }

    // MARK: The access token

    private func find(_ aim: Aim, in snapshot: CacheSnapshot, at now: Date) -> CachedCredential? {
        guard !passesOverAccessTokens else {
            record.note(.accessToken, .skipped, request.claims == nil ? "a new one was asked for" : "a claims challenge needs a new one")
            return nil
        }
        let buffer = configuration.expirationBuffer
        guard let found = snapshot.accessToken(aim.query, at: now, buffer: buffer) else {
            record.note(.accessToken, .missing, "none for these scopes")
            return nil
        }
        if found.isServed(at: now, buffer: buffer) {
            record.note(.accessToken, .done, "lives for \(found.secondsLeft(at: now) / 60) more minutes")
        } else if found.isFresh(at: now, buffer: buffer) {
            record.note(.accessToken, .skipped, "still valid, but due for renewal")
        } else {
            let left = found.secondsLeft(at: now)
            record.note(.accessToken, .failed, left > 0 ? "only \(left) s left" : "expired")
        }
        return found
    }

    private func answer(with found: CachedCredential, _ aim: Aim, _ snapshot: CacheSnapshot) -> AcquiredToken {
        var query = aim.query
        query.realms = [found.realm] + query.realms
        let claims = snapshot.idToken(query).flatMap { try? DecodedJWT($0.secret).payload } ?? Claims()
        return AcquiredToken(
            accessToken: found.secret, tokenType: found.tokenType, expiresOn: found.expiresOn ?? application.now(),
            extendedExpiresOn: found.extendedExpiresOn, scopes: found.scopes, tenantID: claims.string("tid") ?? found.realm,
            clientID: configuration.clientID, authority: aim.authority, source: .cache, idTokenClaims: claims, account: aim.account,
            correlationID: request.correlationID, trail: record.trail)
    }

    // MARK: The refresh tokens

    /// The newest refresh token of this client, then the newest of the family: one each, for a refusal of one is a refusal of its elders.
    private func candidates(_ aim: Aim, _ snapshot: CacheSnapshot) -> [CachedCredential] {
        let own = snapshot.refreshTokens(aim.query, family: false).prefix(1)
        let membership = snapshot.familyMembership(clientID: configuration.clientID, environment: aim.query.environment)
        let family = membership == .notMember ? [] : snapshot.refreshTokens(aim.query, family: true).prefix(1)
        return own + family.filter { relative in !own.contains { $0.secret == relative.secret } }
    }

    /// One refresh at a time between all processes: lock, read again, look again, and only then ask the provider.
    private func refresh(_ aim: Aim, cached: CachedCredential?, since started: Date) async throws(Failure) -> AcquiredToken {
        let fallback = cached.flatMap { $0.isFresh(at: started, buffer: configuration.expirationBuffer) ? $0 : nil }
        let clock = ContinuousClock()
        let before = clock.now
        let lock: RefreshLock
        do {
            let key = "\(aim.query.homeAccountID) \(aim.query.environment) \(configuration.clientID)"
            lock = try await RefreshLock.acquire(path: application.cache.path, key: key, timeout: .seconds(60))
        } catch { throw Failure(error) }
        defer { lock.release() }
        let waited = clock.now - before > .milliseconds(8)

        let snapshot = try read()
        if let token = broughtByAnother(aim, snapshot, since: started, waited: waited) { return answer(with: token, aim, snapshot) }
        do throws(Failure) {
            return try await redeem(candidates(aim, snapshot), aim, snapshot)
        } catch {
            guard let fallback, error.code == .unavailable || error.code == .interactionRequired else { throw error }
            record.note(.accessToken, .done, "the renewal did not work, the old one is still valid")
            return answer(with: fallback, aim, snapshot)
        }
    }

    /// A token that another process stored while this one waited for the lock.
    private func broughtByAnother(_ aim: Aim, _ snapshot: CacheSnapshot, since started: Date, waited: Bool) -> CachedCredential? {
        let now = application.now()
        guard request.claims == nil, let token = snapshot.accessToken(aim.query, at: now, buffer: configuration.expirationBuffer),
            token.isServed(at: now, buffer: configuration.expirationBuffer)
        else { return nil }
        if request.forceRefresh {
            let wholeSecond = Date(timeIntervalSince1970: started.timeIntervalSince1970.rounded(.down))
            guard waited, let cachedAt = token.cachedAt, cachedAt >= wholeSecond else { return nil }
        }
        record.note(.lock, .done, "another process brought a new one meanwhile")
        return token
    }

    private func redeem(_ tokens: [CachedCredential], _ aim: Aim, _ snapshot: CacheSnapshot) async throws(Failure) -> AcquiredToken {
        let metadata = try await application.metadata(of: aim.authority, record)
        let claims = try application.claims(for: request)
        let endpoint = application.tokenEndpoint(metadata, aim.authority, request.correlationID)
        var refusal: Failure?
        var queue = tokens
        var triedAgain = false
        while !queue.isEmpty {
            let token = queue.removeFirst()
            let isRelative = token.clientID != configuration.clientID
            let spending = Spending(
                application: application, request: request, record: record, aim: aim, metadata: metadata, endpoint: endpoint,
                claims: claims,
                token: token, earlier: snapshot.idToken(aim.query))
            switch try await spending.finish() {
            case .token(let token): return token
            case .refused(let error):
                if isRelative, error.suberror == "client_mismatch" {
                    try keepStore { cache throws(StoreError) in
                        try cache.markNotInFamily(clientID: configuration.clientID, environment: aim.query.environment)
                    }
                    refusal = refusal ?? Failure(.interactionRequired, "this client is not of the family whose refresh token is there")
                    continue
                }
                let failure = Failure(error)
                guard failure.code == .interactionRequired else { throw failure }
                refusal = refusal ?? failure
                if error.suberror == "bad_token" {
                    try keepStore { cache throws(StoreError) in try cache.forgetRefreshToken(token.secret, clientID: token.clientID) }
                }
                if !triedAgain, let newer = try newer(than: token, aim, since: snapshot) {
                    // Somebody else spent this one and stored its successor (DEC16, atk-G4).
                    triedAgain = true
                    queue.insert(newer, at: 0)
                }
            }
        }
        throw refusal ?? Failure(.interactionRequired, "no refresh token is left")
    }

    /// A refresh token that came into the store after the snapshot was read; its elders are not tried.
    private func newer(than token: CachedCredential, _ aim: Aim, since snapshot: CacheSnapshot) throws(Failure) -> CachedCredential? {
        let isRelative = token.clientID != configuration.clientID
        let known = Set(snapshot.refreshTokens(aim.query, family: isRelative).map(\.secret))
        return try read().refreshTokens(aim.query, family: isRelative).first { !known.contains($0.secret) }
    }

    private func read() throws(Failure) -> CacheSnapshot {
        do { return try application.cache.read() } catch { throw Failure(error) }
    }

    private func keepStore(_ change: (TokenCache) throws(StoreError) -> Void) throws(Failure) {
        do { try change(application.cache) } catch { throw Failure(error) }
    }
}

extension CachedCredential {
    /// Fresh, and not due for renewal: what is handed out without a request.
    func isServed(at now: Date, buffer: TimeInterval) -> Bool {
        guard isFresh(at: now, buffer: buffer) else { return false }
        return refreshOn.map { $0 > now } ?? true
    }

    /// Whole seconds, negative after the end; zero when the entry does not say.
    func secondsLeft(at now: Date) -> Int {
        expiresOn.flatMap { Int(exactly: $0.timeIntervalSince(now).rounded()) } ?? 0
    }
}
