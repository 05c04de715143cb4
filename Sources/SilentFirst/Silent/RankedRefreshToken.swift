import FoundationEssentials
import Identity
import TokenCache
import Wire

/// The refresh tokens of a person that may be sent, in the order in which they are tried.
struct RankedRefreshToken {
    /// Why one is left out.
    enum Exclusion: Hashable, Sendable {
        /// Bound to another key, by its thumbprint; a bound token goes with a proof of its key or not at all.
        case otherProofKey(String)
        /// The same secret stands in another entry.
        case duplicate
        /// The client is known not to be in the family.
        case clientNotInFamily
        /// So many others are tried before it.
        case tooMany(Int)
    }

    /// How many refresh tokens of the client, and how many of its family, are tried in one call.
    private static let mostCandidates = 4

    let token: CachedCredential
    let exclusion: Exclusion?

    /// The client's refresh tokens, the newest first, then those of the family; each secret once. Libraries that write
    /// no time, or that make a new entry for each sign-in, leave old ones behind, which may come first.
    static func rank(_ snapshot: CacheSnapshot, _ resolved: ResolvedRequest, clientID: String) -> [RankedRefreshToken] {
        let isOutsider =
            snapshot.familyMembership(clientID: clientID, environment: resolved.query.environment) == .notMember
        // Few, and long: they are compared sooner than hashed.
        var known: [Secret] = []
        let tokens = snapshot.refreshTokens(resolved.query)
        return [(tokens.own, false), (tokens.family, true)].flatMap { tokens, family in
            var count = 0
            return tokens.map { token in
                func exclusion() -> Exclusion? {
                    if family, isOutsider { return .clientNotInFamily }
                    if let key = token.keyID, key != resolved.binding.keyID { return .otherProofKey(key) }
                    guard !known.contains(token.secret) else { return .duplicate }
                    known.append(token.secret)
                    count += 1
                    return count > mostCandidates ? .tooMany(mostCandidates) : nil
                }
                return RankedRefreshToken(token: token, exclusion: exclusion())
            }
        }
    }
}

extension TokenRequest {
    /// A challenge that asks nothing passes over nothing; nor do capabilities alone.
    var asksForClaims: Bool { claims.map { !ClaimsRequest.isEmpty($0) } ?? false }

    var extCacheKey: String? { agentSession.map(ExtCacheKey.of(agentSession:)) }
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
