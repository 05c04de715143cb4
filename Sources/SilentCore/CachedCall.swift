import FoundationEssentials
package import Identity
import TokenCache

/// The part of a silent call that sends nothing: it answers from the store, or waits for another process's refresh.
package struct CachedCall {
    private let client: CachedClient
    private let request: TokenRequest
    private let record: StepRecorder

    package init(_ client: CachedClient, _ request: TokenRequest, _ record: StepRecorder) {
        (self.client, self.request, self.record) = (client, request, record)
    }

    func token(from snapshot: CacheSnapshot) throws(Failure) -> AcquiredToken? {
        let now = client.now()
        let decision = SilentDecision(client.situation(of: request, snapshot, at: now, keepsNewKeys: false))
        guard case .serve(let token, .valid) = decision.outcome else { return nil }
        decision.note(in: record, now)
        return try answer(with: token, .valid, decision)
    }

    /// If the decision is to refresh, returns the token that another process has just stored or is about to store. All
    /// callers that wait for the same refresh check as soon as it ends; a caller that still has to refresh then waits
    /// for the exclusive lock. Blocks the thread; sends and writes nothing.
    func renewedByAnother(than snapshot: CacheSnapshot) throws(Failure) -> RenewalByAnother {
        let started = client.now()
        let first = SilentDecision(client.situation(of: request, snapshot, at: started, keepsNewKeys: false))
        guard let key = first.turnName else { return .none(nil) }
        first.note(in: record, started)
        let begin = ContinuousClock.now
        var waited = false
        func turn(_ lock: RefreshLock.Handle? = nil) -> RefreshLockState {
            RefreshLockState(
                since: started, waited: waited, spent: waited ? ContinuousClock.now - begin : .zero, lock: lock)
        }
        do {
            let lock = try RefreshLock(client.cache, key: key)
            var isAlone = try lock.attempt(.exclusive)
            if !isAlone {
                waited = true
                noteWait()
                try lock.wait(.shared, timeout: patience)
            }
            while true {
                let decision = try decided(after: first, in: .init(since: started, waited: waited), keepsNewKeys: false)
                if case .serve(let token, .storedByAnother) = decision.outcome {
                    lock.release()
                    noteChange(from: first, to: decision)
                    return .token(try answer(with: token, .storedByAnother, decision))
                }
                guard decision.turnName == key else { return .none(turn()) }
                if isAlone { return .none(turn(lock.passOn())) }
                try lock.wait(.exclusive, timeout: max(.zero, patience - (ContinuousClock.now - begin)))
                isAlone = true
            }
        } catch {
            // The caller that runs the silent call gets the same error and reports it.
            return .none(turn())
        }
    }

    /// Decides again on the current content of the store. A sign-in may have stored another token or key; the account
    /// stays the same, even if someone else signed in.
    package func decided(after earlier: SilentDecision, in turn: SilentSituation.Turn, keepsNewKeys: Bool = true)
        throws(Failure) -> SilentDecision
    {
        var request = request
        request.account = request.account ?? earlier.account
        return SilentDecision(
            client.situation(
                of: request, try client.snapshot(), at: client.now(), turn: turn, keepsNewKeys: keepsNewKeys))
    }

    /// Records the changes since waiting for the lock, if nothing will be sent.
    package func noteChange(from earlier: SilentDecision, to decision: SilentDecision) {
        if case .upgrade = earlier.outcome, decision.account?.origin == .msal {
            record.note(.legacyRefreshToken, .skipped, "just upgraded by another process")
        }
        decision.noteChange(in: record, client.now())
    }

    /// How long to wait for another call's refresh, which can take the provider's time and that of a save. The response
    /// can come later still: it is then found by the next call.
    package var patience: Duration { .seconds(min(60, client.configuration.network.timeout + 5)) }

    package func noteWait() { record.note(.lock, .skipped, "waiting for another refresh of this account") }

    /// - Parameter failure: the error of the failed renewal, if the current token is used instead.
    package func answer(
        with found: CachedCredential, _ serving: SilentDecision.CachedTokenReason, _ decision: SilentDecision,
        instead failure: Failure? = nil
    ) throws(Failure) -> AcquiredToken {
        guard let resolved = decision.resolved else { throw Failure(.notFound, "the request was not resolved") }
        var query = resolved.query
        query.realms = [found.realm] + query.realms
        let idToken = decision.situation.snapshot.idToken(query)?.secret
        let claims = CachedClaims(idToken)
        var token = AcquiredToken(
            accessToken: found.secret, tokenType: found.tokenType, expiresOn: found.expiresOn ?? client.now(),
            extendedExpiresOn: found.extendedExpiresOn, scopes: found.scopes,
            tenantID: found.realm.isGUID ? found.realm : claims.claims.string("tid") ?? found.realm,
            clientID: client.configuration.clientID, authority: resolved.authority,
            source: serving == .extendedLifetime ? .extendedLifetime : .cache, idTokenClaims: .cached(claims),
            account: resolved.account,
            correlationID: request.correlationID, trail: record.trail, idToken: idToken,
            proof: try resolved.binding.proof(of: found.secret, for: request.proof, now: client.now()))
        var failure = failure
        if failure == nil, case .wait(let entry) = decision.hold, entry.kind == .clock {
            failure = Throttle.failure(entry, host: resolved.authority.provider, at: client.now())
        }
        if serving == .notRenewed, let failure, failure.code == .storeError || failure.code == .untrustedResponse {
            token.warning = failure.message + "; keeping the current token, still valid"
        }
        return token
    }
}
