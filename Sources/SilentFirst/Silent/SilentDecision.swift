import FoundationEssentials
package import Identity
import LegacyCaches
import TokenCache

/// What a silent call does, worked out from what is known: nothing is asked, written or waited for. The silent call
/// carries it out; whoever only shows it (a picker, a dry run) makes the same one.
///
/// The order: the cached access token, then the client's refresh tokens, then the family's, then what an ADAL cache
/// left.
package struct SilentDecision: Sendable {
    package enum Outcome: Hashable, Sendable {
        /// This access token is handed out.
        case serve(CachedCredential, Serving)
        /// These refresh tokens are sent, in this order, until one is accepted. Where the first one that is not held
        /// back is none, the provider has to be waited for.
        case refresh([RefreshCandidate])
        /// These refresh tokens of an ADAL cache are sent, in this order.
        case upgrade([RefreshCandidate])
        /// A person must sign in.
        case interaction(InteractionReason)
        /// The request, the settings or the store are in the way, and no sign-in mends that.
        case failure(Failure)
    }

    /// Why an access token is handed out.
    package enum Serving: Hashable, Sendable {
        /// It lives long enough, and is not due for renewal.
        case valid
        /// Another call stored it while this one waited for its turn.
        case storedByAnother
        /// It is due for renewal and there is nothing to renew it with: it serves to its end.
        case notRenewable
        /// It is due for renewal, and the renewal did not work or is not tried now.
        case notRenewed
        /// It is over, and its extended lifetime runs while the provider is away.
        case extendedLifetime
    }

    package let outcome: Outcome
    /// Whose token; nil when that is not known.
    package let account: Account?
    let situation: SilentSituation
    /// The request made definite; nil when it cannot be.
    let resolved: ResolvedRequest?
    /// The access token that fits the request, whether or not it lives long enough.
    let fitting: CachedCredential?
    /// The refresh tokens of the unified cache that may be sent.
    let candidates: [RefreshCandidate]
    /// These, or those of an ADAL cache, as far as they were looked at.
    let tried: [RefreshCandidate]
    /// Why the first of them is not sent now.
    package let hold: RefreshCandidate.Hold?

    init(_ situation: SilentSituation) {
        var work = Work(situation)
        let outcome: Outcome
        do throws(Unresolved) { outcome = try work.decide() } catch {
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

    /// How the account stands by this decision.
    package var status: AccountStatus {
        switch outcome {
        case .serve(let token, .extendedLifetime): .valid(until: token.extendedExpiresOn ?? situation.now)
        case .serve(let token, _): .valid(until: token.expiresOn ?? .distantFuture)
        case .refresh, .upgrade: .refreshable
        case .interaction(.askedByProvider): .rejected
        case .interaction: .signInNeeded
        case .failure: .blocked
        }
    }

    /// The authority that a refresh goes to.
    package var authority: Authority? { resolved?.authority }

    /// The name of the turn that the refresh has to wait for; nil when nothing is sent.
    var turnName: String? {
        guard let resolved else { return nil }
        let names = Self.turnNames(of: resolved.account, clientID: situation.configuration.clientID)
        switch outcome {
        case .refresh: return names.refresh
        case .upgrade: return names.upgrade
        case .serve, .interaction, .failure: return nil
        }
    }

    /// The names of all turns of an account and a client.
    static func turnNames(of account: Account, clientID: String) -> (refresh: String, upgrade: String) {
        // One name for a cloud, whichever of its aliases the account was found under.
        let name = "\(account.homeAccountID) \(account.id.home) \(clientID)"
        return (name, "legacy " + name)
    }

    /// What serves in the place of a renewal that ended with a failure: the token from before, as long as it is valid,
    /// whatever went wrong (MSAL gives it back after an HTTP 5xx only, and not when offline, nor while throttled);
    /// while its extended lifetime runs, when the provider is away and the application wants that.
    func serving(after failure: Failure, at now: Date) -> Serving? {
        guard let fitting else { return nil }
        // That this machine's clock is wrong may have been found out just now.
        let clock = resolved.flatMap { situation.throttled().held(clockAt: $0.authority, at: now) }
        return Self.serving(fitting, after: failure, at: now, clock, situation.configuration)
    }

    /// - Parameter clock: what is known of this machine's clock and the provider's: by the latter a token may be valid
    ///   that is over by the former.
    fileprivate static func serving(
        _ token: CachedCredential, after failure: Failure, at now: Date, _ clock: ThrottleEntry?,
        _ configuration: ClientConfiguration
    ) -> Serving? {
        // A renewal that was refused, never reached anybody, or was not tried because the store could not be written
        // takes nothing from a token that is still valid. What became of the account or the scopes is said instead.
        switch failure.code {
        // The configuration: a proxy that cannot be used.
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

    /// A refresh token as it would be sent by this decision.
    func candidate(_ token: CachedCredential) -> RefreshCandidate? {
        resolved.flatMap { try? Work(situation).candidates(of: [(token, nil)], $0).first }
    }
}

/// The decision while it is made.
private struct Work {
    let situation: SilentSituation
    var account: Account?
    var resolved: ResolvedRequest?
    var fitting: CachedCredential?
    var candidates: [RefreshCandidate] = []
    var tried: [RefreshCandidate] = []
    var hold: RefreshCandidate.Hold?

    private var configuration: ClientConfiguration { situation.configuration }
    private var snapshot: CacheSnapshot { situation.snapshot }
    private var now: Date { situation.now }

    init(_ situation: SilentSituation) { self.situation = situation }

    mutating func decide() throws(Unresolved) -> SilentDecision.Outcome {
        if let session = situation.request.agentSession { try check(session) }
        let account = try ResolvedRequest.account(for: situation.request, in: snapshot, configuration)
        self.account = account
        guard !snapshot.isSignedOut(account.id, clientID: configuration.clientID) else {
            throw .needsPerson(.signedOut(account))
        }
        let resolved = try ResolvedRequest(
            situation.request, account: account, in: snapshot, configuration, binding: situation.binding)
        self.resolved = resolved
        let fitting = fittingAccessToken(resolved)
        self.fitting = fitting
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

    /// A provider that knows no sessions gives them no tokens: the person's are never used instead.
    private func check(_ session: String) throws(Unresolved) {
        guard (1...256).contains(session.utf8.count), session.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .failed(Failure(.usage, "the agent's session must be 1 to 256 visible ASCII characters"))
        }
        let authority = situation.request.authority ?? configuration.authority
        guard authority.kind == .aad || authority.kind == .ciam else {
            throw .failed(
                Failure(
                    .configuration, "\(authority.provider) does not support agents' sessions",
                    hint: "run this outside of the agent's session"))
        }
    }

    /// The access token that may be handed out as far as the request goes. A claims challenge wants a new one; so does
    /// a forced refresh, but for one that another call brought while this one waited for it.
    private func fittingAccessToken(_ resolved: ResolvedRequest) -> CachedCredential? {
        let request = situation.request
        guard !request.asksForClaims else { return nil }
        if request.forceRefresh, situation.turn?.waited != true { return nil }
        let buffer = configuration.expirationBuffer
        let token = snapshot.accessToken(resolved.query, at: now, buffer: buffer)
        guard request.forceRefresh, let turn = situation.turn else { return token }
        // Times are kept in whole seconds.
        let wholeSecond = Date(timeIntervalSince1970: turn.since.timeIntervalSince1970.rounded(.down))
        return token.flatMap {
            $0.isServed(at: now, buffer: buffer) && $0.cachedAt.map { $0 >= wholeSecond } ?? false ? $0 : nil
        }
    }

    /// Sending, unless it is known already what that would give.
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
            return serving(after: Failure(.unavailable, "the provider is not asked now")) ?? sending
        case .refused(let failure, let until):
            hold = candidates.first?.hold
            return serving(after: failure) ?? .interaction(.askedByProvider(failure, until: until))
        }
    }

    func candidates(of tokens: [(CachedCredential, LegacyEntry?)], _ resolved: ResolvedRequest)
        throws(Unresolved) -> [RefreshCandidate]
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
                agentSession: situation.request.agentSession)
            var hold: RefreshCandidate.Hold?
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
