import FoundationEssentials
import Identity
import TokenCache
import Wire

/// The silent call: carries out what ``SilentDecision`` says. What needs a refresh token waits for its turn among all
/// processes and is decided anew then, on what the store holds by that time.
struct Silent {
    let context: ClientContext
    let request: TokenRequest
    let record: StepRecorder
    /// What was read a moment ago; nil reads the store.
    var snapshot: CacheSnapshot?
    /// What the program before this one, in the same process, found of the turn to refresh.
    var turn: RefreshTurn?
    /// Its lock.
    var lock: RefreshLock?

    private var configuration: ClientConfiguration { context.configuration }
    private var throttle: Throttle {
        Throttle(path: context.cache.path, clientID: configuration.clientID, now: context.now, record)
    }

    func acquire() async -> Result<AcquiredToken, Failure> {
        defer { lock?.release() }
        do throws(Failure) {
            return .success(try await run())
        } catch {
            return .failure(record.failed(error, correlationID: request))
        }
    }

    private func run() async throws(Failure) -> AcquiredToken {
        let started = context.now()
        let snapshot = if let snapshot { snapshot } else { try context.snapshot() }
        let decision = SilentDecision(context.situation(of: request, snapshot, at: started))
        decision.note(in: record, context.now())
        return try await carryOut(decision, since: turn?.since ?? started)
    }

    /// The cached access token, where that is the decision.
    func fromCache() throws(Failure) -> AcquiredToken? {
        let now = context.now()
        let snapshot = if let snapshot { snapshot } else { try context.snapshot() }
        let decision = SilentDecision(context.situation(of: request, snapshot, at: now, keepsNewKeys: false))
        guard case .serve(let token, .valid) = decision.outcome else { return nil }
        decision.note(in: record, now)
        return try answer(with: token, .valid, decision)
    }

    private func carryOut(_ decision: SilentDecision, since started: Date) async throws(Failure) -> AcquiredToken {
        switch decision.outcome {
        case .serve(let token, let serving): return try answer(with: token, serving, decision)
        case .interaction(let reason):
            if let token = await fromBrokerFirst(decision) { return token }
            throw reason.failure
        case .failure(let failure): throw failure
        case .refresh, .upgrade:
            if let token = await fromBrokerFirst(decision) { return token }
            do throws(Failure) { return try await inTurn(decision, since: started) } catch {
                if let token = await fromBroker(decision, after: error) { return token }
                throw error
            }
        }
    }

    /// One refresh at a time between all processes: lock, read again, decide again, and only then ask the provider.
    private func inTurn(_ decision: SilentDecision, since started: Date) async throws(Failure) -> AcquiredToken {
        let earlier = decision
        var decision = decision
        let first = decision.turnName
        do throws(Failure) {
            let turn = try await waitForTurn(first ?? "")
            defer { turn.lock.release() }
            decision = try decided(after: earlier, in: .init(since: started, waited: turn.waited))
            if decision.turnName == first { return try await redeem(decision) }
        } catch {
            let now = context.now()
            guard let token = decision.fitting, let serving = decision.serving(after: error, at: now) else {
                throw error
            }
            record.note(serving)
            return try answer(with: token, serving, decision, instead: error)
        }
        noteChange(from: earlier, to: decision)
        return try await carryOut(decision, since: started)
    }

    /// The decision anew, on what the store holds by now. A sign-in may have brought another token, or another key;
    /// whose token it is stays settled, whoever else signed in.
    func decided(after earlier: SilentDecision, in turn: SilentSituation.Turn, keepsNewKeys: Bool = true)
        throws(Failure) -> SilentDecision
    {
        var request = request
        request.account = request.account ?? earlier.account
        return SilentDecision(
            context.situation(
                of: request, try context.snapshot(), at: context.now(), turn: turn, keepsNewKeys: keepsNewKeys))
    }

    /// Tells what is different since the turn was waited for, where nothing is sent any more.
    func noteChange(from earlier: SilentDecision, to decision: SilentDecision) {
        if case .upgrade = earlier.outcome, decision.account?.origin == .msal {
            record.note(.legacyRefreshToken, .skipped, "upgraded by another process meanwhile")
        }
        decision.noteChange(in: record, context.now())
    }

    /// Waits until no other call of this or another process refreshes what the key names.
    ///
    /// - Returns: the lock, and whether another had it.
    private func waitForTurn(_ key: String) async throws(Failure) -> (lock: RefreshLock, waited: Bool) {
        var waited = turn?.waited ?? false
        if waited { noteWait() }
        if let lock, lock.isOpen(for: key) { return (lock, waited) }
        do {
            let left = max(.zero, Self.patience - (turn?.spent ?? .zero))
            let lock = try await RefreshLock.acquire(path: context.cache.path, key: key, timeout: left) {
                if !waited { noteWait() }
                waited = true
            }
            return (lock, waited)
        } catch { throw Failure(refreshLock: error) }
    }

    /// How long the refresh of another is waited for.
    static let patience: Duration = .seconds(60)

    func noteWait() { record.note(.lock, .skipped, "another call refreshes this sign-in; its answer is waited for") }

    /// - Parameter failure: what the renewal ended with, in whose place an older token is handed out.
    func answer(
        with found: CachedCredential, _ serving: SilentDecision.Serving, _ decision: SilentDecision,
        instead failure: Failure? = nil
    ) throws(Failure) -> AcquiredToken {
        guard let resolved = decision.resolved else { throw Failure(.notFound, "the request was not worked out") }
        var query = resolved.query
        query.realms = [found.realm] + query.realms
        let claims = CachedClaims(decision.situation.snapshot.idToken(query)?.secret)
        var token = AcquiredToken(
            accessToken: found.secret, tokenType: found.tokenType, expiresOn: found.expiresOn ?? context.now(),
            extendedExpiresOn: found.extendedExpiresOn, scopes: found.scopes,
            tenantID: found.realm.isGUID ? found.realm : claims.claims.string("tid") ?? found.realm,
            clientID: configuration.clientID, authority: resolved.authority,
            source: serving == .extendedLifetime ? .extendedLifetime : .cache, idTokenClaims: .cached(claims),
            account: resolved.account,
            correlationID: request.correlationID, trail: record.trail,
            proof: try resolved.binding.proof(of: found.secret, for: request.proof, now: context.now()))
        var failure = failure
        if failure == nil, case .wait(let entry) = decision.hold, entry.kind == .clock {
            failure = Throttle.failure(entry, host: resolved.authority.provider, at: context.now())
        }
        if serving == .notRenewed, let failure, failure.code == .storeError || failure.code == .untrustedResponse {
            token.warning = failure.message + "; the token from before is still valid, and was not renewed"
        }
        return token
    }

    // MARK: The refresh tokens

    private func redeem(_ decision: SilentDecision) async throws(Failure) -> AcquiredToken {
        let candidates: [RefreshCandidate]
        switch decision.outcome {
        case .refresh(let tokens), .upgrade(let tokens): candidates = tokens
        case .serve, .interaction, .failure: candidates = []
        }
        guard let resolved = decision.resolved else { throw Failure(.notFound, "the request was not worked out") }
        var queue = RefreshQueue(candidates, clientID: configuration.clientID)
        var triedAgain = false
        var metadata: ProviderMetadata?
        while let candidate = queue.next() {
            let error: OAuthError
            switch try await spend(candidate, decision, resolved, metadata: &metadata) {
            case .token(let token): return token
            case .refused(let refusal): error = refusal
            }
            if candidate.legacy == nil, error.suberror == RefreshQueue.accountDeleted {
                // Nothing of it will ever work again; other clients find out for themselves.
                learn { cache throws(StoreError) in
                    _ = try cache.forget(resolved.account.id, clientID: configuration.clientID)
                }
                record.note(.remove, .done, "the provider has deleted the account")
            }
            switch try queue.refused(candidate, error) {
            case .notInFamily:
                learn { cache throws(StoreError) in
                    try cache.markNotInFamily(clientID: configuration.clientID, environment: resolved.query.environment)
                }
            case .needsPerson where candidate.legacy != nil:
                guard error.endsLegacyToken else { continue }
                learn { cache throws(StoreError) in
                    try cache.forgetLegacy(refreshToken: candidate.credential.secret)
                }
                record.note(.legacyRefreshToken, .failed, "rejected, and removed")
            case .needsPerson:
                if error.suberror == "bad_token", candidate.credential.clientID == configuration.clientID {
                    // I3: a relative's entry is its client's to remove.
                    learn { cache throws(StoreError) in
                        try cache.forgetRefreshToken(
                            candidate.credential.secret, clientID: candidate.credential.clientID)
                    }
                }
                if !triedAgain, let newer = try newer(than: candidate, decision, resolved) {
                    // Somebody else spent this one and stored its successor.
                    triedAgain = true
                    queue.insert(newer)
                }
            }
        }
        throw queue.refusal ?? Failure(.interactionRequired, "no refresh token is left")
    }

    /// Sends one refresh token, unless it is held back: then with what is known of the answer.
    private func spend(
        _ candidate: RefreshCandidate, _ decision: SilentDecision, _ resolved: ResolvedRequest,
        metadata: inout ProviderMetadata?
    ) async throws(Failure) -> RefreshTokenRedemption.Outcome {
        let throttle = throttle
        switch candidate.hold {
        case nil: break
        case .unreached:
            record.note(.lock, .failed, "the call that was waited for did not reach the provider")
            throw Failure(
                .unavailable,
                "\(resolved.authority.address.hostAndPort) was not reached by the call that this one waited for",
                hint: "try again later")
        case .wait(let entry): throw throttle.failure(entry, host: resolved.authority.provider)
        case .person(let entry):
            guard let error = OAuthError(entry) else {
                throw throttle.failure(entry, host: resolved.authority.provider)
            }
            record.note(askedBy: resolved.authority.provider, entry, at: context.now())
            return .refused(error)
        }
        let provider = if let metadata { metadata } else { try await self.metadata(resolved.authority, throttle) }
        metadata = provider
        if case .dpop = resolved.binding { try ProofKeys.check(provider, isWanted: true) }
        let redemption = RefreshTokenRedemption(
            context: context, request: request, record: record, resolved: resolved, metadata: provider,
            candidate: candidate,
            earlier: candidate.legacy == nil ? decision.situation.snapshot.idToken(resolved.query) : nil,
            throttle: throttle)
        do throws(Failure) { return try await redemption.finish() } catch {
            // Perhaps what was kept of the provider is out of date: whoever tries again asks.
            if [.unavailable, .serverError, .untrustedResponse].contains(error.code) {
                await ProviderMetadataCache(context.cache, context.provider, context.now)
                    .forget(resolved.authority, context.endpoints(of: resolved.authority), provider)
            }
            throw error
        }
    }

    private func metadata(_ authority: Authority, _ throttle: Throttle) async throws(Failure) -> ProviderMetadata {
        do { return try await context.providerMetadata(of: authority, record, acceptsKept: true) } catch {
            throttle.note(error, metadataOf: authority)
            throw Failure(error)
        }
    }

    /// A refresh token that came into the store after the decision; its elders are not tried.
    private func newer(than refused: RefreshCandidate, _ decision: SilentDecision, _ resolved: ResolvedRequest)
        throws(Failure) -> RefreshCandidate?
    {
        let isRelative = refused.credential.clientID != configuration.clientID
        let earlier = decision.situation.snapshot.refreshTokens(resolved.query, family: isRelative)
        let known = Set(earlier.map(\.secret))
        let token = try context.snapshot().refreshTokens(resolved.query, family: isRelative).first {
            !known.contains($0.secret) && ($0.keyID == nil || $0.keyID == resolved.binding.keyID)
        }
        return token.flatMap { decision.candidate($0) }
    }

    /// Notes in the store what a refusal taught. What the provider said stays the answer when that cannot be written.
    private func learn(_ change: (TokenCache) throws(StoreError) -> Void) {
        do { try change(context.cache) } catch { record.note(.save, .failed, error.message) }
    }
}
