package import FoundationEssentials
package import Identity

/// Why a user's credential does not match a query: the first rule that fails.
package enum CredentialMismatch: Error, Hashable, Sendable {
    /// From another issuer at the same host; nil if the entry names none and cannot be assigned to one.
    case otherIssuer(String?)
    /// An access token of another client, by client ID.
    case otherClient(String)
    /// From another tenant: the realm in the entry.
    case otherTenant(String)
    /// Bound to a different key than the request's, by thumbprint; nil if a key is required and it has none.
    case otherProofKey(String?)
    /// Bound to requested claims, or to another user's assertion.
    case boundToOther
    /// The request is for an agent session or a resource, and the token for another one, by `ext_cache_key`, or none.
    case otherAgentSession(String?)
    /// The request names neither, and the token is for an agent session or a resource, by `ext_cache_key`.
    case ofAgentSession(String)
    /// The token's type.
    case otherType(String)
    /// Requested scopes that the token lacks.
    case scopesMissing(ScopeSet)
    /// The token's scopes beyond those of the request, which is for a place that has no others.
    case scopesBeyond(ScopeSet)
    /// The request has no resource scope, and the token is for a resource other than Microsoft Graph.
    case otherResource(ScopeSet)
    case damaged(String)
    /// Valid for over ten years: no provider issues such a token, so a clock was wrong.
    case tooLongLived(until: Date)
    /// A refresh token of another client, without a family.
    case notOfFamily(String)
}

/// A user's credential, and why it does not match a query.
package struct CredentialFit: Hashable, Sendable {
    /// The key of the entry; contains clients, accounts and scopes, never a secret.
    package var id: String
    package var kind: CachedCredential.Kind
    package var clientID: String
    /// Nil for an unusable entry.
    package var credential: CachedCredential?
    /// Nil for a match.
    package var mismatch: CredentialMismatch?
}

struct AccessTokenRules {
    enum Rule: Error { case client, tenant, binding, type, scopes, excess, form, lifetime }

    private static let tenYears: TimeInterval = 315_576_000

    private let query: CredentialQuery
    private let client: WantedClient
    private let target: WantedTarget
    private let now: Date

    init(_ query: CredentialQuery, at now: Date) {
        self.query = query
        client = WantedClient(query.clientID)
        target = WantedTarget(query)
        self.now = now
    }

    /// Only servers that follow the standards alone may announce no end (RFC 6749 section 5.1). Elsewhere that time is
    /// damage.
    private var mayLackEnd: Bool { query.issuer.map { Authority.kind(ofIssuer: $0).isStandard } ?? false }

    /// The token, or the first rule that fails.
    func apply(to entry: CacheEntry) -> Result<CachedCredential, Rule> {
        guard entry.isOf(client) else { return .failure(.client) }
        if !query.realms.isEmpty {
            let realm = entry.text("realm") ?? ""
            guard query.realms.contains(where: realm.isSameIgnoringCase) else {
                return .failure(.tenant)
            }
        }
        guard entry.isBound(to: query.keyID, extCacheKey: query.extCacheKey) else { return .failure(.binding) }
        guard entry.isType(query.tokenType) else { return .failure(.type) }
        guard target.isServed(by: entry.text("target")) else { return .failure(.scopes) }
        guard query.bound == nil || beyond(entry).isEmpty else { return .failure(.excess) }
        guard let token = entry.credential(.accessToken), let end = token.expiresOn else { return .failure(.form) }
        guard end.timeIntervalSince(now) <= Self.tenYears || end == .noAnnouncedEnd && mayLackEnd else {
            return .failure(.lifetime)
        }
        return .success(token)
    }

    /// The scopes of a token beyond the requested ones; none of a token that answered a request for these alone.
    private func beyond(_ entry: CacheEntry) -> ScopeSet {
        if let requested = entry.filled("requested_scopes"), ScopeSet(parsing: requested) == target.scopes { return [] }
        return ScopeSet(parsing: entry.text("target") ?? "").withoutReserved.subtracting(
            query.bound ?? target.scopes)
    }

    /// A failed rule with the entry's own value.
    func mismatch(_ rule: Rule, of entry: CacheEntry, damage: @autoclosure () -> String?) -> CredentialMismatch {
        switch rule {
        case .client: return .otherClient(entry.clientID ?? "")
        case .tenant: return .otherTenant(entry.text("realm") ?? "")
        case .binding:
            let session = entry.filled("ext_cache_key")
            guard session == query.extCacheKey else {
                return session.flatMap { query.extCacheKey == nil ? .ofAgentSession($0) : nil }
                    ?? .otherAgentSession(session)
            }
            let key = entry.filled("kid") ?? entry.filled("key_id") ?? entry.filled("keyid")
            return key != nil || query.keyID != nil ? .otherProofKey(key) : .boundToOther
        case .type: return .otherType(entry.filled("token_type") ?? "Bearer")
        case .scopes:
            let held = ScopeSet(parsing: entry.text("target") ?? "")
            let missing = target.scopes.subtracting(held)
            return missing.isEmpty ? .otherResource(held) : .scopesMissing(missing)
        case .excess: return .scopesBeyond(beyond(entry))
        case .form: return .damaged(damage() ?? "it has no expiry time")
        case .lifetime: return .tooLongLived(until: entry.date("expires_on") ?? .distantFuture)
        }
    }
}

extension CacheEntry {
    enum RefreshTokenRule: Error { case assertion, form, family }

    /// The refresh token, or the first rule that fails: tokens of other clients must belong to a family.
    func refreshToken(ofClient client: WantedClient) -> Result<CachedCredential, RefreshTokenRule> {
        guard isPlain else { return .failure(.assertion) }
        guard let token = credential(.refreshToken) else { return .failure(.form) }
        guard isOf(client) || token.familyID != nil else { return .failure(.family) }
        return .success(token)
    }

    /// Whether a refresh or ID token is usable on its own: without another user's assertion or a device key.
    var isPlain: Bool {
        filled("user_assertion_hash") == nil
            && !["BoundRefreshToken", "PrimaryRefreshToken"].contains(text("credential_type"))
    }

    /// An ID token of Entra ID's v1 endpoints, stored in addition to the v2 one.
    var isV1IDToken: Bool { text("credential_type") == "V1IdToken" }

    func isType(_ wanted: String) -> Bool {
        guard wanted.isSameIgnoringCase(as: filled("token_type") ?? "Bearer") else { return false }
        // MSAL.js also marks tokens other than bearer tokens here.
        return !wanted.isSameIgnoringCase(as: "bearer") || text("credential_type") ?? "AccessToken" == "AccessToken"
    }
}

extension CacheSnapshot {
    /// Every access and refresh token of the query's user, from any client, in file order, each with the reason it does
    /// not match. Explains the rules of ``accessToken(_:at:buffer:)`` and ``refreshTokens(_:family:)``.
    package func fits(_ query: CredentialQuery, at now: Date) -> [CredentialFit] {
        let rules = AccessTokenRules(query, at: now)
        let accessTokens = fits(query, in: .accessToken, .accessToken) { entry, damage in
            switch rules.apply(to: entry) {
            case .success(let token): (token, nil)
            case .failure(let rule):
                (entry.credential(.accessToken), rules.mismatch(rule, of: entry, damage: damage()))
            }
        }
        let client = WantedClient(query.clientID)
        return accessTokens
            + fits(query, in: .refreshToken, .refreshToken) { entry, damage in
                switch entry.refreshToken(ofClient: client) {
                case .success(let token): (token, nil)
                case .failure(.assertion): (entry.credential(.refreshToken), .boundToOther)
                case .failure(.form): (nil, .damaged(damage() ?? "it cannot be read"))
                case .failure(.family):
                    (entry.credential(.refreshToken), .notOfFamily(entry.clientID ?? ""))
                }
            }
    }

    private func fits(
        _ query: CredentialQuery, in section: Section, _ kind: CachedCredential.Kind,
        _ look: (CacheEntry, () -> String?) -> (CachedCredential?, CredentialMismatch?)
    ) -> [CredentialFit] {
        let account = AccountID(
            homeAccountID: query.homeAccountID, environment: query.environment, issuer: query.issuer)
        let mine = Set(person(query, in: section).map(\.index))
        return homonyms(account, in: section).map { entry in
            let (credential, mismatch) = look(entry) {
                damaged(in: section).first { $0.entry.index == entry.index }?.damage.why
            }
            return CredentialFit(
                id: entry.key ?? "", kind: kind, clientID: entry.clientID ?? "", credential: credential,
                mismatch: mine.contains(entry.index) ? mismatch : .otherIssuer(entry.namedIssuer(in: section)))
        }
    }
}
