package import FoundationEssentials
package import Identity

/// Why a credential of a person does not answer a query: the first rule that it does not meet.
package enum CredentialMismatch: Error, Hashable, Sendable {
    /// Of another issuer at the same host; nil when the entry names none that it could be of.
    case otherIssuer(String?)
    /// An access token of another client, by its identifier.
    case otherClient(String)
    /// For another tenant: the realm as the entry has it.
    case otherTenant(String)
    /// Bound to another key than the request's, by its thumbprint; nil when it is bound to none and one is wanted.
    case otherProofKey(String?)
    /// Bound to requested claims, or to an assertion of somebody else.
    case boundToOther
    /// The request is for an agent's session, and this token for another one, by its `ext_cache_key`, or for a person.
    case otherAgentSession(String?)
    /// The request is for a person, and this token for an agent's session, by its `ext_cache_key`.
    case ofAgentSession(String)
    /// Its token type.
    case otherType(String)
    /// The scopes of the request that it does not have.
    case scopesMissing(ScopeSet)
    /// No scope of a resource was asked for, and it is for another resource than Microsoft Graph.
    case otherResource(ScopeSet)
    /// What is wrong with the entry.
    case damaged(String)
    /// It claims to live for more than ten years: no provider gives such a token, so a clock was wrong.
    case tooLongLived(until: Date)
    /// A refresh token of another client that belongs to no family.
    case notOfFamily(String)
}

/// A credential of a person, and why it does not answer a query.
package struct CredentialFit: Hashable, Sendable {
    /// The key of the entry; names clients, accounts and scopes, never a secret.
    package var id: String
    package var kind: CachedCredential.Kind
    package var clientID: String
    /// Nil for an entry that cannot be used as a credential.
    package var credential: CachedCredential?
    /// Nil when it answers.
    package var mismatch: CredentialMismatch?
}

/// The rules by which an access token answers a query, in the order in which they are applied.
struct AccessTokenRules {
    enum Rule: Error { case client, tenant, binding, type, scopes, form, lifetime }

    private static let tenYears: TimeInterval = 315_576_000

    private let query: CredentialQuery
    private let client: [UInt8]
    private let target: WantedTarget
    private let now: Date

    init(_ query: CredentialQuery, at now: Date) {
        self.query = query
        client = Array(query.clientID.utf8)
        target = WantedTarget(query)
        self.now = now
    }

    /// The token, or the first rule that it does not meet.
    func apply(to entry: CacheEntry) -> Result<CachedCredential, Rule> {
        guard entry.isEqual("client_id", client) else { return .failure(.client) }
        if !query.realms.isEmpty {
            let realm = entry.text("realm") ?? ""
            guard query.realms.contains(where: { $0.asciiLowercased == realm.asciiLowercased }) else {
                return .failure(.tenant)
            }
        }
        guard entry.isBound(to: query.keyID, extCacheKey: query.extCacheKey) else { return .failure(.binding) }
        guard entry.isType(query.tokenType) else { return .failure(.type) }
        guard target.isServed(by: entry.text("target")) else { return .failure(.scopes) }
        guard let token = entry.credential(.accessToken), let end = token.expiresOn else { return .failure(.form) }
        guard end.timeIntervalSince(now) <= Self.tenYears else { return .failure(.lifetime) }
        return .success(token)
    }

    /// A rule with what the entry has instead.
    func mismatch(_ rule: Rule, of entry: CacheEntry, damage: @autoclosure () -> String?) -> CredentialMismatch {
        switch rule {
        case .client: return .otherClient(entry.text("client_id") ?? "")
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
        case .form: return .damaged(damage() ?? "it does not say when it expires")
        case .lifetime: return .tooLongLived(until: entry.date("expires_on") ?? .distantFuture)
        }
    }
}

extension CacheEntry {
    enum RefreshTokenRule: Error { case assertion, form, family }

    /// The refresh token, or the first rule that it does not meet.
    ///
    /// - Parameter client: the bytes of the client's identifier; tokens of others have to belong to a family.
    func refreshToken(ofClient client: [UInt8]) -> Result<CachedCredential, RefreshTokenRule> {
        guard isPlain else { return .failure(.assertion) }
        guard let token = credential(.refreshToken) else { return .failure(.form) }
        guard isEqual("client_id", client) || token.familyID != nil else { return .failure(.family) }
        return .success(token)
    }

    /// Whether a refresh or ID token is for whoever has it: not got with the assertion of somebody else, and no refresh
    /// token that is worth nothing without the key of the device.
    var isPlain: Bool {
        filled("user_assertion_hash") == nil
            && !["BoundRefreshToken", "PrimaryRefreshToken"].contains(text("credential_type"))
    }

    /// An ID token of Entra ID's first endpoints, which stands beside the other one.
    var isV1IDToken: Bool { text("credential_type") == "V1IdToken" }

    func isType(_ wanted: String) -> Bool {
        guard (filled("token_type") ?? "Bearer").asciiLowercased == wanted.asciiLowercased else { return false }
        // JavaScript's library marks what is not a bearer token here as well.
        return wanted.asciiLowercased != "bearer" || text("credential_type") ?? "AccessToken" == "AccessToken"
    }
}

extension CacheSnapshot {
    /// Every access and refresh token of the query's person, of whichever client, in the order of the file, each with
    /// the reason for which it does not answer: the same rules as ``accessToken(_:at:buffer:)`` and
    /// ``refreshTokens(_:family:)`` apply, as an explanation.
    package func fits(_ query: CredentialQuery, at now: Date) -> [CredentialFit] {
        let rules = AccessTokenRules(query, at: now)
        let accessTokens = fits(query, in: .accessToken, .accessToken) { entry, damage in
            switch rules.apply(to: entry) {
            case .success(let token): (token, nil)
            case .failure(let rule):
                (entry.credential(.accessToken), rules.mismatch(rule, of: entry, damage: damage()))
            }
        }
        let client = Array(query.clientID.utf8)
        return accessTokens
            + fits(query, in: .refreshToken, .refreshToken) { entry, damage in
                switch entry.refreshToken(ofClient: client) {
                case .success(let token): (token, nil)
                case .failure(.assertion): (entry.credential(.refreshToken), .boundToOther)
                case .failure(.form): (nil, .damaged(damage() ?? "it cannot be read"))
                case .failure(.family):
                    (entry.credential(.refreshToken), .notOfFamily(entry.text("client_id") ?? ""))
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
                id: entry.key ?? "", kind: kind, clientID: entry.text("client_id") ?? "", credential: credential,
                mismatch: mine.contains(entry.index) ? mismatch : .otherIssuer(entry.namedIssuer(in: section)))
        }
    }
}
