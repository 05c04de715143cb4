import FoundationEssentials
import Identity
import Proofs
import SilentCore
import TokenCache
import Wire

/// The silent call: carries out a ``SilentDecision``. Before a refresh, it acquires the lock shared by all processes,
/// then decides again on the current content of the store.
struct Silent {
    let context: ClientContext
    let request: TokenRequest
    let record: StepRecorder
    /// A snapshot that was just read; nil reads the store.
    var snapshot: CacheSnapshot?
    /// The refresh lock state of the program that ran earlier in this process.
    var turn: RefreshLockState?
    var lock: RefreshLock?

    private var configuration: ClientConfiguration { context.configuration }
    private var cached: CachedCall { CachedCall(context.cached, request, record) }
    private var throttle: Throttle {
        Throttle(
            context.cache, clientID: configuration.clientID, now: context.now, jitter: context.cached.jitter, record)
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
        let decision = SilentDecision(context.cached.situation(of: request, snapshot, at: started))
        decision.note(in: record, context.now())
        return try await carryOut(decision, since: turn?.since ?? started)
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

    /// Answers from the store. The caller's account may be of before it was renamed.
    private func answer(
        with found: CachedCredential, _ serving: SilentDecision.CachedTokenReason, _ decision: SilentDecision,
        instead failure: Failure? = nil
    ) throws(Failure) -> AcquiredToken {
        var token = try cached.answer(with: found, serving, decision, instead: failure)
        if request.account != nil { token.account = decision.situation.snapshot.current(token.account) }
        return token
    }

    /// Allows one refresh at a time across processes: lock, read and decide again, then contact the provider.
    private func inTurn(_ decision: SilentDecision, since started: Date) async throws(Failure) -> AcquiredToken {
        let earlier = decision
        var decision = decision
        let first = decision.turnName
        do throws(Failure) {
            let turn = try await waitForTurn(first ?? "")
            defer { turn.lock.release() }
            decision = try cached.decided(after: earlier, in: .init(since: started, waited: turn.waited))
            if decision.turnName == first { return try await redeem(decision, turn.lock) }
        } catch {
            let now = context.now()
            guard let token = decision.fitting, let serving = decision.serving(after: error, at: now) else {
                throw error
            }
            record.note(serving)
            return try answer(with: token, serving, decision, instead: error)
        }
        cached.noteChange(from: earlier, to: decision)
        return try await carryOut(decision, since: started)
    }

    /// Waits until no other call, in any process, refreshes the credentials of this key.
    private func waitForTurn(_ key: String) async throws(Failure) -> (lock: RefreshLock, waited: Bool) {
        var waited = turn?.waited ?? false
        if waited { cached.noteWait() }
        if let lock, lock.isOpen(for: key) { return (lock, waited) }
        do {
            let left = max(.zero, cached.patience - (turn?.spent ?? .zero))
            let lock = try await RefreshLock.acquire(context.cache, key: key, timeout: left) {
                if !waited { cached.noteWait() }
                waited = true
            }
            return (lock, waited)
        } catch { throw Failure(refreshLock: error) }
    }

    // MARK: The refresh tokens

    private func redeem(_ decision: SilentDecision, _ lock: RefreshLock) async throws(Failure) -> AcquiredToken {
        let candidates: [RefreshCandidate]
        switch decision.outcome {
        case .refresh(let tokens), .upgrade(let tokens): candidates = tokens
        case .serve, .interaction, .failure: candidates = []
        }
        guard let resolved = decision.resolved else { throw Failure(.notFound, "the request was not resolved") }
        var queue = RefreshQueue(candidates, clientID: configuration.clientID)
        var triedAgain = false
        var provider: ReachedProvider?
        var asked: [Throttle.Question] = []
        while let candidate = queue.next() {
            let error: OAuthError
            asked.append(candidate.question)
            switch try await spend(candidate, decision, resolved, lock, &provider) {
            case .token(let token): return token
            case .refused(let refusal): error = refusal
            }
            if candidate.legacy == nil, error.suberror == RefreshQueue.accountDeleted {
                // All credentials are invalid; other clients find out on their own.
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
                    // Invariant I3: a family member's entry may only be removed by its own client.
                    learn { cache throws(StoreError) in
                        try cache.forgetRefreshToken(
                            candidate.credential.secret, clientID: candidate.credential.clientID)
                    }
                }
                if !triedAgain, let newer = try newer(than: candidate, decision, resolved) {
                    // Another process used this token and stored its successor.
                    triedAgain = true
                    queue.insert(newer)
                }
            }
        }
        let refusal = queue.refusal ?? Failure(.interactionRequired, "no refresh tokens left")
        throw throttle.explained(refusal, asked)
    }

    /// The provider's metadata and the client's authentication, for all refresh tokens of the call.
    private typealias ReachedProvider = (metadata: ProviderMetadata, authentication: ClientAuthentication?)

    /// Sends one refresh token, or returns the known result if it is held back.
    private func spend(
        _ candidate: RefreshCandidate, _ decision: SilentDecision, _ resolved: ResolvedRequest, _ lock: RefreshLock,
        _ reached: inout ReachedProvider?
    ) async throws(Failure) -> RefreshTokenRedemption.Outcome {
        let throttle = throttle
        switch candidate.hold {
        case nil: break
        case .unreached:
            record.note(.lock, .failed, "the other process could not reach the provider")
            throw Failure(
                .unavailable,
                "\(resolved.authority.address.hostAndPort) is unreachable (reported by another process)",
                hint: "try again later")
        case .wait(let entry): throw throttle.failure(entry, host: resolved.authority.provider)
        case .person(let entry):
            guard let error = OAuthError(entry) else {
                throw throttle.failure(entry, host: resolved.authority.provider)
            }
            record.note(askedBy: resolved.authority.provider, entry, at: context.now())
            return .refused(error)
        }
        let (provider, authentication) =
            if let reached { reached } else { try await reach(resolved.authority, throttle) }
        reached = (provider, authentication)
        if case .dpop = resolved.binding { try ProofKeys.check(provider, isWanted: true) }
        let redemption = RefreshTokenRedemption(
            context: context, request: request, record: record, resolved: resolved, metadata: provider,
            authentication: authentication, candidate: candidate,
            earlier: candidate.legacy == nil ? decision.situation.snapshot.idToken(resolved.query) : nil,
            throttle: throttle, turn: lock)
        do throws(Failure) { return try await redemption.finish() } catch {
            // The cached metadata may be outdated: the next attempt fetches it again.
            if [.unavailable, .serverError, .untrustedResponse].contains(error.code) {
                await ProviderMetadataCache(context.cache, context.provider, context.now)
                    .forget(resolved.authority, configuration.endpoints(of: resolved.authority), provider)
            }
            throw error
        }
    }

    private func reach(_ authority: Authority, _ throttle: Throttle) async throws(Failure) -> ReachedProvider {
        let metadata: ProviderMetadata
        do { metadata = try await context.providerMetadata(of: authority, record, acceptsKept: true) } catch {
            throttle.note(error, metadataOf: authority)
            throw Failure(error)
        }
        return (metadata, try await context.authentication(metadata, at: authority))
    }

    /// A refresh token that was stored after the decision; older ones are not tried.
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

    /// Saves the consequence of a refusal. If that fails, the provider's error is still the result.
    private func learn(_ change: (TokenCache) throws(StoreError) -> Void) {
        do { try change(context.cache) } catch { record.note(.save, .failed, error.message) }
    }
}
