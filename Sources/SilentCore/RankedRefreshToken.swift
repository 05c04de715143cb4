import FoundationEssentials
package import Identity
import Proofs
import TokenCache

/// The refresh tokens of an account that may be sent, in the order of attempts.
struct RankedRefreshToken {
    enum SkipReason: Hashable, Sendable {
        /// It is bound to a different key, with this thumbprint; a bound token requires a proof with its key.
        case otherProofKey(String)
        case duplicate
        case clientNotInFamily
        /// The limit of attempts, this many, is used up.
        case tooMany(Int)
    }

    /// The limit of attempts per call, for the client's own refresh tokens and for the family's.
    private static let mostCandidates = 4

    let token: CachedCredential
    let exclusion: SkipReason?

    /// The client's refresh tokens, newest first, then those of the family, without duplicate secrets. Libraries that
    /// record no time, or add an entry per sign-in, leave old tokens behind, which can come first.
    static func rank(_ snapshot: CacheSnapshot, _ resolved: ResolvedRequest, clientID: String) -> [RankedRefreshToken] {
        let isOutsider =
            snapshot.familyMembership(clientID: clientID, environment: resolved.query.environment) == .notMember
        // Few and long strings: comparing is faster than hashing.
        var known: [Secret] = []
        let tokens = snapshot.refreshTokens(resolved.query)
        return [(tokens.own, false), (tokens.family, true)].flatMap { tokens, family in
            var count = 0
            return tokens.map { token in
                func exclusion() -> SkipReason? {
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
    /// Whether the request has a nonempty claims challenge. Capabilities alone do not count.
    var asksForClaims: Bool { claims.map { !ClaimsRequest.isEmpty($0) } ?? false }

    /// - Throws: `usage` for what the provider does not know: a resource indicator, or one that is not a URL, a tenant,
    ///   a claims request, and `openid`. Ignored, it would yield another token than requested.
    package func check(at authority: Authority) throws(Failure) {
        if tenant != nil, !authority.kind.hasTenants {
            throw Failure(
                .usage, "\(authority.kind.words) has no tenants to choose from",
                hint: "leave out the tenant, or name another authority")
        }
        if claims != nil, !authority.kind.takesClaims {
            throw Failure(
                .usage, "\(authority.kind.words) has no claims requests",
                hint: "leave out the claims; a forced refresh brings a new token")
        }
        if authority.kind == .oauth2, scopes.union(extraScopes).contains("openid") { throw .openIDAtOAuth }
        guard let resource else { return }
        guard !authority.kind.isEntra else {
            throw Failure(
                .usage, "\(authority.kind.words) takes the resource from the scopes, not as a resource indicator",
                hint: "request a scope of the resource, such as RESOURCE/.default")
        }
        guard resource.utf8.count <= 2048, resource.contains(":"), !resource.contains("#"),
            resource.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw Failure(.usage, "the resource must be an absolute URI without a fragment") }
    }

    package var extCacheKey: String? { ExtCacheKey.of(agentSession: agentSession, resource: resource) }
}

extension Failure {
    /// For `openid` at a server that has OAuth alone.
    package static var openIDAtOAuth: Failure {
        Failure(
            .usage, "the scope openid requires the kind oidc: ID tokens of a server with OAuth alone are not checked",
            hint: "remove openid from the scopes, or set the kind oidc")
    }
}

extension CachedCredential {
    /// Whether it is fresh and not due for renewal, so it can be used without a request.
    func isServed(at now: Date, buffer: TimeInterval) -> Bool {
        guard isFresh(at: now, buffer: buffer) else { return false }
        return refreshOn.map { $0 > now } ?? true
    }

    /// Whether it is within its extended lifetime, in which the provider allows its use while unreachable.
    func isExtended(at now: Date) -> Bool {
        guard let extendedExpiresOn, extendedExpiresOn > now else { return false }
        // A token stored in the future has unreliable times.
        return cachedAt.map { $0.timeIntervalSince(now) <= 120 } ?? true
    }

    /// Whole seconds, negative after expiry; zero if the entry has no expiry.
    func secondsLeft(at now: Date) -> Int {
        expiresOn.flatMap { Int(exactly: $0.timeIntervalSince(now).rounded()) } ?? 0
    }
}
