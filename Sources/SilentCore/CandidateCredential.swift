package import FoundationEssentials
package import Identity
import LegacyCaches
package import TokenCache

package struct CandidateCredential: Hashable, Sendable {
    /// How a credential is used, or why it is not.
    package enum Finding: Hashable, Sendable {
        case served(SilentDecision.CachedTokenReason)
        /// This refresh token is sent, as the first (1), second, ... attempt.
        case sent(order: Int)
        case notNeeded

        // Access tokens that match the request.

        case expired(Date)
        /// It expires at this time, within the required margin (seconds).
        case expiresTooSoon(Date, margin: TimeInterval)
        /// The provider recommended a refresh from this time on.
        case dueForRenewal(since: Date)
        /// It was stored in the future, so its times are unreliable.
        case storedInFuture(Date)
        case outlived
        case forcedRefresh
        case claimsAsked
        case stepUpAsked

        // Refresh tokens.

        /// It is bound to a different key, with this thumbprint.
        case otherProofKey(String)
        /// Another entry contains the same secret.
        case duplicate
        /// It is a family token, and this client is known to be outside the family.
        case clientNotInFamily
        /// The limit of attempts, this many, is used up by other tokens.
        case tooMany(Int)
        /// The provider is throttling or down until this time.
        case throttled(until: Date)
        /// The provider required a sign-in (`error` of RFC 6749); the response is reused until this time.
        case refused(error: String, until: Date)
        /// The call that this one waited for could not reach the provider.
        case notReached

        // Any credential.

        case mismatch(CredentialMismatch)
        case signedOut
        /// Its account belongs to a different provider than the requested one, given here.
        case otherProvider(asked: Authority)
        case proofKeyMissing
        /// An ADAL cache entry for another client, cloud or issuer.
        case legacyOfOther
    }

    /// The key of the cache entry; for an ADAL entry, its authority and client. Never a secret.
    package let id: String
    package let kind: CachedCredential.Kind
    package let clientID: String
    /// Nil for an entry that is not a usable credential.
    package let credential: CachedCredential?
    package let isLegacy: Bool
    package let finding: Finding

    fileprivate init(_ fit: CredentialFit, _ finding: Finding) {
        id = fit.id
        kind = fit.kind
        clientID = fit.clientID
        credential = fit.credential
        isLegacy = false
        self.finding = finding
    }

    fileprivate init(_ credential: CachedCredential, _ finding: Finding) {
        id = credential.id
        kind = credential.kind
        clientID = credential.clientID
        self.credential = credential
        isLegacy = false
        self.finding = finding
    }

    fileprivate init(_ entry: LegacyEntry, _ finding: Finding) {
        id = entry.authority.address.text + " " + entry.clientID
        kind = .refreshToken
        clientID = entry.clientID
        credential = nil
        isLegacy = true
        self.finding = finding
    }
}

extension SilentDecision {
    /// All access and refresh tokens of the account, of every client, with the result for each: access tokens, then
    /// refresh tokens in the order of attempts, then ADAL entries. Empty if the account is unknown.
    ///
    /// Computed on demand, so a call that only returns a token does not pay for it.
    package var considered: [CandidateCredential] {
        guard let account else { return [] }
        let snapshot = situation.snapshot
        guard let resolved else {
            guard let finding = unresolved else { return [] }
            return snapshot.credentials(of: account.id).filter { $0.kind != .idToken }.map {
                CandidateCredential($0, finding)
            }
        }
        let fits = snapshot.fits(resolved.query, at: situation.now)
        let ranked = RankedRefreshToken.rank(snapshot, resolved, clientID: situation.configuration.clientID)
        func rank(_ fit: CredentialFit) -> Int { ranked.firstIndex { $0.token.id == fit.id } ?? ranked.count }
        let refreshTokens = fits.filter { $0.kind == .refreshToken }.enumerated().sorted {
            (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
        }
        return fits.filter { $0.kind == .accessToken }.map { CandidateCredential($0, finding(ofAccessToken: $0)) }
            + refreshTokens.map { _, fit in
                let exclusion = ranked.first { $0.token.id == fit.id }?.exclusion
                return CandidateCredential(fit, finding(ofRefreshToken: fit, exclusion))
            } + legacy(resolved)
    }

    /// The reason that the matching access token is not used; nil if there is none, or it is used.
    package var accessTokenFinding: CandidateCredential.Finding? {
        if situation.request.asksForClaims { return .claimsAsked }
        if case .interaction(.stepUp) = outcome { return .stepUpAsked }
        if situation.request.forceRefresh { return .forcedRefresh }
        if case .serve(_, .valid) = outcome { return nil }
        return fitting.map(state)
    }

    /// The failure of the call if it neither returns a token nor sends a refresh token; otherwise nil.
    package var failure: Failure? {
        switch outcome {
        case .serve: return nil
        case .interaction(let reason): return reason.failure
        case .failure(let failure): return failure
        case .refresh, .upgrade:
            guard case .wait(let entry) = hold, let resolved else { return nil }
            return Throttle.failure(entry, host: resolved.authority.provider, at: situation.now)
        }
    }

    private var unresolved: CandidateCredential.Finding? {
        guard case .interaction(let reason) = outcome else { return nil }
        switch reason {
        case .signedOut, .signingOut: return .signedOut
        case .otherProvider(_, let asked): return .otherProvider(asked: asked)
        case .proofKeyMissing: return .proofKeyMissing
        case .nobodySignedIn, .noCredential, .stepUp, .askedByProvider: return nil
        }
    }

    private func finding(ofAccessToken fit: CredentialFit) -> CandidateCredential.Finding {
        if let mismatch = fit.mismatch { return .mismatch(mismatch) }
        guard let token = fit.credential else { return .mismatch(.damaged("it cannot be read")) }
        if case .serve(let served, let serving) = outcome, served.id == token.id { return .served(serving) }
        if situation.request.asksForClaims { return .claimsAsked }
        if case .interaction(.stepUp) = outcome { return .stepUpAsked }
        if situation.request.forceRefresh { return .forcedRefresh }
        return state(token)
    }

    private func state(_ token: CachedCredential) -> CandidateCredential.Finding {
        let (now, buffer) = (situation.now, situation.configuration.expirationBuffer)
        if token.isServed(at: now, buffer: buffer) { return .outlived }
        if token.isFresh(at: now, buffer: buffer) { return .dueForRenewal(since: token.refreshOn ?? now) }
        let end = token.expiresOn ?? .distantPast
        if end <= now { return .expired(end) }
        if let cachedAt = token.cachedAt, token.isAhead(of: now) { return .storedInFuture(cachedAt) }
        return .expiresTooSoon(end, margin: token.expirationBuffer(buffer))
    }

    private func finding(ofRefreshToken fit: CredentialFit, _ exclusion: RankedRefreshToken.SkipReason?)
        -> CandidateCredential.Finding
    {
        if let mismatch = fit.mismatch { return .mismatch(mismatch) }
        switch exclusion {
        case .otherProofKey(let key): return .otherProofKey(key)
        case .duplicate: return .duplicate
        case .clientNotInFamily: return .clientNotInFamily
        case .tooMany(let count): return .tooMany(count)
        case nil: break
        }
        return finding { $0.credential.id == fit.id }
    }

    private func legacy(_ resolved: ResolvedRequest) -> [CandidateCredential] {
        let snapshot = situation.snapshot
        let clientID = situation.configuration.clientID
        return LegacyCandidates.entries(of: resolved.account, snapshot).filter { $0.refreshToken != nil }.map { entry in
            switch outcome {
            case .upgrade, .interaction, .failure:
                if LegacyCandidates.isSignedOut(entry, snapshot, clientID: clientID) {
                    return CandidateCredential(entry, .signedOut)
                }
                let found = finding { $0.legacy == entry }
                return CandidateCredential(entry, found == .notNeeded ? .legacyOfOther : found)
            case .serve, .refresh: return CandidateCredential(entry, .notNeeded)
            }
        }
    }

    private func finding(_ matches: (RefreshCandidate) -> Bool) -> CandidateCredential.Finding {
        let isSending =
            switch outcome {
            case .refresh, .upgrade: true
            case .serve, .interaction, .failure: false
            }
        guard let index = tried.firstIndex(where: matches) else { return .notNeeded }
        switch tried[index].hold {
        case .wait(let entry): return .throttled(until: entry.until)
        case .person(let entry): return .refused(error: entry.error ?? "", until: entry.until)
        case .unreached: return .notReached
        case nil: return isSending ? .sent(order: tried[...index].count { $0.hold == nil }) : .notNeeded
        }
    }
}
