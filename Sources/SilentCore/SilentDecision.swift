package import FoundationEssentials
package import Identity
import LegacyCaches
import TokenCache

/// The action of a silent call, derived from the known state without requests, writes or waiting. The silent call
/// carries it out; a picker or a dry run only shows it.
///
/// The order: the cached access token, the client's refresh tokens, the family's, then those of an ADAL cache.
package struct SilentDecision: Sendable {
    package enum Outcome: Hashable, Sendable {
        case serve(CachedCredential, CachedTokenReason)
        /// Send these refresh tokens in order until one is accepted. If all are held back, wait for the provider.
        case refresh([RefreshCandidate])
        case upgrade([RefreshCandidate])
        case interaction(InteractionReason)
        /// The request, the settings or the store prevent it; signing in does not help.
        case failure(Failure)
    }

    package enum CachedTokenReason: Hashable, Sendable {
        /// It remains valid long enough and is not due for renewal.
        case valid
        /// Another call stored it while this one waited for the lock.
        case storedByAnother
        /// Renewal is due, but there is no refresh token: it is used until it expires.
        case notRenewable
        /// Renewal is due, but it failed or is not attempted now.
        case notRenewed
        /// Expired, but within its extended lifetime while the provider is unreachable.
        case extendedLifetime
    }

    package let outcome: Outcome
    package let account: Account?
    package let situation: SilentSituation
    /// The resolved request; nil if it cannot be resolved.
    package let resolved: ResolvedRequest?
    /// The access token that matches the request, even if it expires too soon.
    package let fitting: CachedCredential?
    /// The usable refresh tokens of the unified cache.
    package let candidates: [RefreshCandidate]
    /// ``candidates``, or those of an ADAL cache, as far as checked.
    let tried: [RefreshCandidate]
    /// The reason that the first of them is not sent now.
    package let hold: RefreshCandidate.RefreshDelay?

    package init(_ situation: SilentSituation) {
        var work = Work(situation)
        let outcome: Outcome
        do throws(ResolutionError) { outcome = try work.decide() } catch {
            switch error {
            case .needsPerson(let reason): outcome = .interaction(reason)
            case .failed(let failure): outcome = .failure(failure)
            }
        }
        self.outcome = outcome
        self.situation = situation
        account = work.resolved?.account ?? work.account
        resolved = work.resolved
        fitting = work.fitting
        candidates = work.candidates
        tried = work.tried
        hold = work.hold
    }

    package var status: AccountStatus {
        switch outcome {
        case .serve(let token, .extendedLifetime): .valid(until: token.extendedExpiresOn ?? situation.now)
        case .serve(let token, _): .valid(until: token.expiresOn ?? .distantFuture)
        case .refresh, .upgrade: .refreshable
        case .interaction(.askedByProvider): .rejected
        case .interaction(.signingOut): .signingOut
        case .interaction: .signInNeeded
        case .failure: .blocked
        }
    }

    package var authority: Authority? { resolved?.authority }

    /// Whether a silent call requests a token from the broker before carrying out this decision.
    package var asksBroker: Bool {
        let use = situation.configuration.broker
        // A broker does not report the session of its tokens.
        guard use != .never, situation.request.agentSession == nil else { return false }
        switch outcome {
        case .serve, .failure: return false
        case .refresh, .upgrade: return use == .always
        case .interaction(.nobodySignedIn), .interaction(.noCredential): return true
        case .interaction(.askedByProvider(let failure, _)): return use == .always || failure.wantsDevice
        // A signed-out account stays signed out, and one provider's tokens never serve another.
        // A token of the broker does not show how the user signed in either.
        case .interaction(.signedOut), .interaction(.signingOut), .interaction(.otherProvider),
            .interaction(.proofKeyMissing), .interaction(.stepUp):
            return false
        }
    }

    /// The key of the refresh lock; nil if nothing is sent.
    package var turnName: String? {
        guard let resolved else { return nil }
        let names = Self.turnNames(of: resolved.account, clientID: situation.configuration.clientID)
        switch outcome {
        case .refresh: return names.refresh
        case .upgrade: return names.upgrade
        case .serve, .interaction, .failure: return nil
        }
    }

    package static func turnNames(of account: Account, clientID: String) -> (refresh: String, upgrade: String) {
        // One name per account, whichever alias of its cloud and spelling it was found under.
        let name = "\(account.id.canonicalHomeAccountID) \(account.id.home) \(clientID)"
        return (name, "legacy " + name)
    }

    /// The fallback after a failed renewal: the current token while it is valid (MSAL does so only after an HTTP 5xx),
    /// or within its extended lifetime if the provider is unreachable and the application allows it.
    package func serving(after failure: Failure, at now: Date) -> CachedTokenReason? {
        guard let fitting else { return nil }
        // The wrong clock may have just been detected.
        let clock = resolved.flatMap { situation.throttled().held(clockAt: $0.authority, at: now) }
        return Self.serving(fitting, after: failure, at: now, clock, situation.configuration)
    }

    /// - Parameter clock: the known clock difference: by the provider's clock, the token may still be valid.
    fileprivate static func serving(
        _ token: CachedCredential, after failure: Failure, at now: Date, _ clock: ThrottleEntry?,
        _ configuration: ClientConfiguration
    ) -> CachedTokenReason? {
        // A renewal that was refused, did not reach the provider, or could not be saved does not affect a valid token.
        // Failures that concern the account or the scopes are reported instead.
        switch failure.code {
        // For example, an unusable proxy.
        case .unavailable, .serverError, .untrustedResponse, .storeError, .configuration: break
        case .interactionRequired: guard failure.suberror != RefreshQueue.accountDeleted else { return nil }
        case .declinedScopes, .notFound, .ambiguous, .usage, .invalidInput, .cancelled: return nil
        }
        if token.isFresh(at: now, buffer: configuration.expirationBuffer) { return .notRenewed }
        if let ahead = clock?.ahead,
            token.isFresh(at: now.addingTimeInterval(-TimeInterval(ahead)), buffer: configuration.expirationBuffer)
        {
            return .notRenewed
        }
        let isExtended =
            configuration.extendedLifetime && failure.code == .unavailable && token.isExtended(at: now)
        return isExtended ? .extendedLifetime : nil
    }

    package func candidate(_ token: CachedCredential) -> RefreshCandidate? {
        resolved.flatMap { try? Work(situation).candidates(of: [(token, nil)], $0).first }
    }
}

private struct Work {
    let situation: SilentSituation
    var account: Account?
    var resolved: ResolvedRequest?
    var fitting: CachedCredential?
    var candidates: [RefreshCandidate] = []
    var tried: [RefreshCandidate] = []
    var hold: RefreshCandidate.RefreshDelay?

    private var configuration: ClientConfiguration { situation.configuration }
    private var snapshot: CacheSnapshot { situation.snapshot }
    private var now: Date { situation.now }

    init(_ situation: SilentSituation) { self.situation = situation }

    mutating func decide() throws(ResolutionError) -> SilentDecision.Outcome {
        if let session = situation.request.agentSession { try check(session) }
        do throws(Failure) {
            try situation.request.check(at: situation.request.authority ?? configuration.authority)
        } catch { throw .failed(error) }
        let account = try ResolvedRequest.account(for: situation.request, in: snapshot, configuration)
        self.account = account
        guard !snapshot.isSignedOut(account.id, clientID: configuration.clientID) else {
            let isWaiting = snapshot.isSigningOut(account.id, clientID: configuration.clientID)
            throw .needsPerson(isWaiting ? .signingOut(account) : .signedOut(account))
        }
        let resolved = try ResolvedRequest(
            situation.request, account: account, in: snapshot, configuration, binding: situation.binding)
        self.resolved = resolved
        let fitting = fittingAccessToken(resolved)
        self.fitting = fitting
        if let stepUp = situation.request.stepUp {
            // A token of an earlier step-up has the scopes; its authentication is unknown.
            guard let fitting, !stepUp.scopes.isEmpty, fitting.isFresh(at: now, buffer: configuration.expirationBuffer)
            else { throw .needsPerson(.stepUp(account, stepUp)) }
            return .serve(fitting, .valid)
        }
        if let fitting, fitting.isServed(at: now, buffer: configuration.expirationBuffer) {
            return .serve(fitting, situation.turn == nil ? .valid : .storedByAnother)
        }
        let tokens = RankedRefreshToken.rank(snapshot, resolved, clientID: configuration.clientID)
        candidates = try candidates(of: tokens.filter { $0.exclusion == nil }.map { ($0.token, nil) }, resolved)
        if !candidates.isEmpty { return outcome(of: candidates, .refresh(candidates)) }
        if let fitting, fitting.isFresh(at: now, buffer: configuration.expirationBuffer) {
            return .serve(fitting, .notRenewable)
        }
        let legacy = try candidates(
            of: try LegacyCandidates.find(resolved, snapshot, clientID: configuration.clientID), resolved)
        guard !legacy.isEmpty else { throw .needsPerson(.noCredential(account)) }
        return outcome(of: legacy, .upgrade(legacy))
    }

    /// Providers without session support issue no tokens for them, and the user's are never used instead.
    private func check(_ session: String) throws(ResolutionError) {
        guard (1...256).contains(session.utf8.count), session.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .failed(Failure(.usage, "the agent session ID must be 1 to 256 visible ASCII characters"))
        }
        let authority = situation.request.authority ?? configuration.authority
        guard authority.kind.hasAgentSessions else {
            throw .failed(
                Failure(
                    .configuration, "\(authority.provider) does not support agents' sessions",
                    hint: "run this outside of the agent's session"))
        }
    }

    /// The access token that the request allows. A claims challenge requires a new one; so does a forced refresh,
    /// except for a token that another call stored while this one waited.
    private func fittingAccessToken(_ resolved: ResolvedRequest) -> CachedCredential? {
        let request = situation.request
        guard !request.asksForClaims else { return nil }
        if request.forceRefresh, situation.turn?.waited != true { return nil }
        let buffer = configuration.expirationBuffer
        let token = snapshot.accessToken(resolved.query, at: now, buffer: buffer)
        guard request.forceRefresh, let turn = situation.turn else { return token }
        // Stored times are whole seconds.
        let wholeSecond = Date(timeIntervalSince1970: turn.since.timeIntervalSince1970.rounded(.down))
        return token.flatMap {
            $0.isServed(at: now, buffer: buffer) && $0.cachedAt.map { $0 >= wholeSecond } ?? false ? $0 : nil
        }
    }

    private mutating func outcome(
        of candidates: [RefreshCandidate], _ sending: SilentDecision.Outcome
    ) -> SilentDecision.Outcome {
        tried = candidates
        func serving(after failure: Failure, _ clock: ThrottleEntry? = nil) -> SilentDecision.Outcome? {
            guard let fitting else { return nil }
            return SilentDecision.serving(fitting, after: failure, at: now, clock, configuration).map {
                .serve(fitting, $0)
            }
        }
        switch RefreshQueue(candidates, clientID: configuration.clientID).prospect() {
        case .sends: return sending
        case .held(let hold):
            self.hold = hold
            if case .wait(let entry) = hold, entry.kind == .clock {
                return serving(after: Throttle.failure(entry, host: "", at: now), entry) ?? sending
            }
            return serving(after: Failure(.unavailable, "provider on hold")) ?? sending
        case .refused(let failure, let until):
            hold = candidates.first?.hold
            let explained = situation.throttled().explained(failure, candidates.map(\.question), at: now)
            return serving(after: failure) ?? .interaction(.askedByProvider(explained, until: until))
        }
    }

    func candidates(of tokens: [(CachedCredential, LegacyEntry?)], _ resolved: ResolvedRequest)
        throws(ResolutionError) -> [RefreshCandidate]
    {
        guard !tokens.isEmpty else { return [] }
        let claims: String?
        do throws(Failure) { claims = try configuration.claims(for: situation.request) } catch { throw .failed(error) }
        let throttled = situation.throttled()
        let isUnreached =
            situation.turn.map { $0.waited && throttled.wasUnreached(resolved.authority, since: $0.since) } ?? false
        let all = throttled.held(clockAt: resolved.authority, at: now) ?? throttled.held(metadataOf: resolved.authority)
        return tokens.map { token, legacy in
            let question = Throttle.Question(
                clientID: configuration.clientID, authority: resolved.authority, account: resolved.account.id,
                token: token.secret, scopes: resolved.query.scopes, claims: claims, keyID: resolved.query.keyID,
                agentSession: situation.request.agentSession, resource: situation.request.resource)
            var hold: RefreshCandidate.RefreshDelay?
            if isUnreached {
                hold = .unreached
            } else if let entry = throttled.held(question) {
                hold = entry.kind == .person && entry.error != nil ? .person(entry) : .wait(entry)
            } else if let all {
                hold = .wait(all)
            }
            return RefreshCandidate(credential: token, legacy: legacy, hold: hold, question: question)
        }
    }
}
