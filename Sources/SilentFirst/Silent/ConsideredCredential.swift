package import FoundationEssentials
package import Identity
import LegacyCaches
package import TokenCache
import Wire

/// A credential that a silent call looks at, and what becomes of it.
package struct ConsideredCredential: Hashable, Sendable {
    /// What becomes of a credential, or why it does not do.
    package enum Finding: Hashable, Sendable {
        /// This access token is handed out.
        case served(SilentDecision.Serving)
        /// This refresh token is sent, as the first (1), second, ... of those that are tried.
        case sent(order: Int)
        /// Another credential serves, so that this one is not used.
        case notNeeded

        // Access tokens that would fit the request.

        case expired(Date)
        /// It expires then, which is within the margin (seconds) that a token must still live.
        case expiresTooSoon(Date, margin: TimeInterval)
        /// The provider asked for its renewal from then on.
        case dueForRenewal(since: Date)
        /// It was stored at a time to come, so nothing that it says of times is believed.
        case storedInFuture(Date)
        /// Another one that fits lives longer.
        case outlived
        case forcedRefresh
        case claimsAsked

        // Refresh tokens.

        /// Bound to another key than the request's, by its thumbprint.
        case otherProofKey(String)
        /// The same secret stands in another entry.
        case duplicate
        /// It is a family's, and this client is known not to be in the family.
        case clientNotInFamily
        /// So many others are tried before it.
        case tooMany(Int)
        /// The provider asked to wait until then, or is down.
        case throttled(until: Date)
        /// The provider asked for the person (`error` of RFC 6749), and answers so again until then.
        case refused(error: String, until: Date)
        /// The call that was waited for did not reach the provider.
        case notReached

        // Any of them.

        case mismatch(CredentialMismatch)
        /// Its account was signed out of this client.
        case signedOut
        /// Its account is of another provider than the one that is asked, which this is.
        case otherProvider(asked: Authority)
        /// The key that the account's tokens are bound to is gone.
        case proofKeyMissing
        /// An entry of an ADAL cache that is for another client, cloud or issuer.
        case legacyOfOther
    }

    /// The key of the entry; for one of an ADAL cache its authority and client. Never a secret.
    package let id: String
    package let kind: CachedCredential.Kind
    package let clientID: String
    /// Nil for an entry that cannot be used as a credential.
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
    /// Every access and refresh token of the account, whichever client's, with what becomes of it: first the access
    /// tokens, then the refresh tokens in the order in which they are tried, then what an ADAL cache left. Empty when
    /// it is not known whose token is wanted.
    ///
    /// It is worked out when it is asked for: a call that only hands out a token does not pay for it.
    package var considered: [ConsideredCredential] {
        guard let account else { return [] }
        let snapshot = situation.snapshot
        guard let resolved else {
            guard let finding = unresolved else { return [] }
            return snapshot.credentials(of: account.id).filter { $0.kind != .idToken }.map {
                ConsideredCredential($0, finding)
            }
        }
        let fits = snapshot.fits(resolved.query, at: situation.now)
        let ranked = RankedRefreshToken.rank(snapshot, resolved, clientID: situation.configuration.clientID)
        func rank(_ fit: CredentialFit) -> Int { ranked.firstIndex { $0.token.id == fit.id } ?? ranked.count }
        let refreshTokens = fits.filter { $0.kind == .refreshToken }.enumerated().sorted {
            (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
        }
        return fits.filter { $0.kind == .accessToken }.map { ConsideredCredential($0, finding(ofAccessToken: $0)) }
            + refreshTokens.map { _, fit in
                let exclusion = ranked.first { $0.token.id == fit.id }?.exclusion
                return ConsideredCredential(fit, finding(ofRefreshToken: fit, exclusion))
            } + legacy(resolved)
    }

    /// What keeps the access token that fits the request from being handed out; nil when none fits, or it is handed
    /// out.
    package var accessTokenFinding: ConsideredCredential.Finding? {
        if situation.request.asksForClaims { return .claimsAsked }
        if situation.request.forceRefresh { return .forcedRefresh }
        if case .serve(_, .valid) = outcome { return nil }
        return fitting.map(state)
    }

    /// What the call ends with when nothing is handed out and nothing is sent: nil when a token would be served, or a
    /// refresh token sent.
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

    private var unresolved: ConsideredCredential.Finding? {
        guard case .interaction(let reason) = outcome else { return nil }
        switch reason {
        case .signedOut: return .signedOut
        case .otherProvider(_, let asked): return .otherProvider(asked: asked)
        case .proofKeyMissing: return .proofKeyMissing
        case .nobodySignedIn, .noCredential, .askedByProvider: return nil
        }
    }

    private func finding(ofAccessToken fit: CredentialFit) -> ConsideredCredential.Finding {
        if let mismatch = fit.mismatch { return .mismatch(mismatch) }
        guard let token = fit.credential else { return .mismatch(.damaged("it cannot be read")) }
        if case .serve(let served, let serving) = outcome, served.id == token.id { return .served(serving) }
        if situation.request.asksForClaims { return .claimsAsked }
        if situation.request.forceRefresh { return .forcedRefresh }
        return state(token)
    }

    /// How a token that fits stands by the clock.
    private func state(_ token: CachedCredential) -> ConsideredCredential.Finding {
        let (now, buffer) = (situation.now, situation.configuration.expirationBuffer)
        if token.isServed(at: now, buffer: buffer) { return .outlived }
        if token.isFresh(at: now, buffer: buffer) { return .dueForRenewal(since: token.refreshOn ?? now) }
        let end = token.expiresOn ?? .distantPast
        if end <= now { return .expired(end) }
        if let cachedAt = token.cachedAt, token.isAhead(of: now) { return .storedInFuture(cachedAt) }
        return .expiresTooSoon(end, margin: token.expirationBuffer(buffer))
    }

    private func finding(ofRefreshToken fit: CredentialFit, _ exclusion: RankedRefreshToken.Exclusion?)
        -> ConsideredCredential.Finding
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

    private func legacy(_ resolved: ResolvedRequest) -> [ConsideredCredential] {
        let snapshot = situation.snapshot
        let clientID = situation.configuration.clientID
        return LegacyCandidates.entries(of: resolved.account, snapshot).filter { $0.refreshToken != nil }.map { entry in
            switch outcome {
            case .upgrade, .interaction, .failure:
                if LegacyCandidates.isSignedOut(entry, snapshot, clientID: clientID) {
                    return ConsideredCredential(entry, .signedOut)
                }
                let found = finding { $0.legacy == entry }
                return ConsideredCredential(entry, found == .notNeeded ? .legacyOfOther : found)
            case .serve, .refresh: return ConsideredCredential(entry, .notNeeded)
            }
        }
    }

    /// What becomes of a refresh token that may be sent.
    private func finding(_ isMeant: (RefreshCandidate) -> Bool) -> ConsideredCredential.Finding {
        let isSending =
            switch outcome {
            case .refresh, .upgrade: true
            case .serve, .interaction, .failure: false
            }
        guard let index = tried.firstIndex(where: isMeant) else { return .notNeeded }
        switch tried[index].hold {
        case .wait(let entry): return .throttled(until: entry.until)
        case .person(let entry): return .refused(error: entry.error ?? "", until: entry.until)
        case .unreached: return .notReached
        case nil: return isSending ? .sent(order: tried[...index].count { $0.hold == nil }) : .notNeeded
        }
    }
}
