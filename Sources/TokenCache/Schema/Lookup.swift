package import FoundationEssentials
package import Identity

/// Which credential is looked for.
package struct CredentialQuery: Hashable, Sendable {
    /// Compared exactly. Credentials without one belong to an application and never match a person.
    package var homeAccountID: String
    /// Any alias of its cloud matches.
    package var environment: String
    /// The issuer, as ``Identity/Issuer`` spells it, at AD FS and OpenID Connect providers: nothing of another issuer
    /// matches, whatever the host. Nil for Entra ID.
    package var issuer: String?
    /// Any of these, without regard to case; none means any. Refresh tokens have no tenant, so they are not asked for
    /// theirs.
    package var realms: [String] = []
    package var clientID: String
    package var scopes: ScopeSet = []
    package var tokenType = "Bearer"
    /// The thumbprint of the key that the token is bound to; nil finds tokens that are bound to none.
    package var keyID: String?
    /// ``ExtCacheKey/of(agentSession:)`` of the session that the access token is for; nil finds a person's own.
    package var extCacheKey: String?
}

extension CredentialQuery {
    /// Any token of the account at a client.
    package init(of account: Account, clientID: String) {
        self.init(
            homeAccountID: account.homeAccountID, environment: account.environment, issuer: account.issuer,
            clientID: clientID)
    }
}

extension CacheSnapshot {
    /// A cached access token for a query.
    ///
    /// Tokens that are bound to another key than the query's, or to anything else (certificates, requested claims,
    /// another's assertion), never answer, nor do tokens of more than ten years: no provider gives them, so a clock was
    /// wrong.
    ///
    /// - Parameter buffer: seconds that must be left of its life.
    /// - Returns: a fresh one if there is any, the one that lives longest; else the one that expired last; else nil. Of
    ///   two that expire in the same second, the one that comes last in the file: writers append.
    package func accessToken(_ query: CredentialQuery, at now: Date, buffer: TimeInterval) -> CachedCredential? {
        let rules = AccessTokenRules(query, at: now)
        var fresh: CachedCredential?
        var stale: CachedCredential?
        for entry in person(query, in: .accessToken) {
            guard case .success(let token) = rules.apply(to: entry), let end = token.expiresOn else { continue }
            if token.isFresh(at: now, buffer: buffer) {
                if end >= fresh?.expiresOn ?? .distantPast { fresh = token }
            } else if end >= stale?.expiresOn ?? .distantPast {
                stale = token
            }
        }
        return fresh ?? stale
    }

    /// Refresh tokens for a query, the newest first.
    ///
    /// - Parameter family: false gives the client's own; true those of the family that other clients hold.
    package func refreshTokens(_ query: CredentialQuery, family: Bool) -> [CachedCredential] {
        let tokens = refreshTokens(query)
        return family ? tokens.family : tokens.own
    }

    /// Refresh tokens for a query, the newest first: the client's own, and those of the family that other clients hold.
    package func refreshTokens(_ query: CredentialQuery) -> (own: [CachedCredential], family: [CachedCredential]) {
        let client = Array(query.clientID.utf8)
        let entries = person(query, in: .refreshToken)
        let own = entries.filter { $0.isEqual("client_id", client) }
        let others = entries.filter { !$0.isEqual("client_id", client) }
        return (newest(own, client), newest(others, client))
    }

    private func newest(_ entries: [CacheEntry], _ client: [UInt8]) -> [CachedCredential] {
        var found: [(token: CachedCredential, modified: Date)] = []
        for entry in entries {
            guard case .success(let token) = entry.refreshToken(ofClient: client) else { continue }
            found.append((token, entry.date("last_modification_time") ?? .distantPast))
        }
        guard found.count > 1 else { return found.map(\.token) }
        // Of two that are as old, or say nothing of it, the one that comes last in the file: writers append.
        return found.enumerated().sorted { ($0.element.modified, $0.offset) > ($1.element.modified, $1.offset) }.map(
            \.element.token)
    }

    /// The keys that tokens of the store are bound to, by their thumbprints.
    package var boundKeyIDs: Set<String> {
        Set(
            [Section.accessToken, .refreshToken].flatMap { section in entries(section).compactMap { $0.filled("kid") } }
        )
    }

    /// The key that the newest bound access token of a client is bound to. Entries of refresh tokens did not always
    /// name theirs.
    package func accessTokenKeyID(_ query: CredentialQuery) -> String? {
        matches(query, in: .accessToken, checkRealm: false).filter { $0.filled("kid") != nil && $0.isType("DPoP") }
            .max { ($0.date("cached_at") ?? .distantPast) < ($1.date("cached_at") ?? .distantPast) }?.filled("kid")
    }

    /// The ID token of an account for a client, in the first of the query's realms that has one.
    package func idToken(_ query: CredentialQuery) -> CachedCredential? {
        let entries = matches(query, in: .idToken, checkRealm: true)
        let found = (entries.filter { !$0.isV1IDToken } + entries.filter(\.isV1IDToken)).compactMap {
            $0.credential(.idToken)
        }
        for realm in query.realms {
            if let token = found.first(where: { $0.realm.asciiLowercased == realm.asciiLowercased }) { return token }
        }
        return found.first
    }

    /// Every ID token of an account for a client, one for each tenant.
    package func idTokens(of account: AccountID, clientID: String) -> [CachedCredential] {
        let client = Array(clientID.utf8)
        return person(account, in: .idToken)
            .compactMap {
                $0.isEqual("client_id", client) && $0.isPlain
                    ? $0.credential(.idToken) : nil
            }
    }

    /// Whether the account was signed out of this client while others still hold it, and has not been signed in again
    /// since.
    ///
    /// A sign-out takes every refresh token of the client along, so one that is there came later: other programs sign
    /// people in without knowing of the mark. One that belongs to the family, or is bound to another's assertion, is
    /// not the client's own.
    package func isSignedOut(_ account: AccountID, clientID: String) -> Bool {
        let client = Array(clientID.utf8)
        let isMarked = person(account, in: .accountMetadata)
            .contains { $0.isEqual("client_id", client) && $0.isEqual("sign_in_state", Self.signedOut) }
        guard isMarked else { return false }
        return !person(account, in: .refreshToken)
            .contains { $0.isEqual("client_id", client) && $0.hasSecret && $0.filled("user_assertion_hash") == nil }
    }

    static let signedOut = Array("signed_out".utf8)

    /// Entries that a query may be answered with. A query without an issuer is one for Entra ID, and what names an
    /// issuer is not Entra ID's.
    func person(_ query: CredentialQuery, in section: Section) -> [CacheEntry] {
        let account = AccountID(
            homeAccountID: query.homeAccountID, environment: query.environment, issuer: query.issuer)
        guard query.issuer == nil else { return person(account, in: section) }
        return homonyms(account, in: section).filter { $0.issuer == nil }
    }

    private func matches(_ query: CredentialQuery, in section: Section, checkRealm: Bool) -> [CacheEntry] {
        let client = Array(query.clientID.utf8)
        return person(query, in: section).filter { entry in
            guard entry.isEqual("client_id", client) else { return false }
            guard checkRealm, !query.realms.isEmpty else { return true }
            let realm = entry.text("realm") ?? ""
            return query.realms.contains { $0.asciiLowercased == realm.asciiLowercased }
        }
    }
}

/// What a query wants of the `target` of an access token.
struct WantedTarget {
    /// The reserved three are not counted.
    let scopes: ScopeSet
    /// Whether each resource has an audience of its own, as at Microsoft's clouds.
    private let hasAudiences: Bool

    init(_ query: CredentialQuery) {
        scopes = query.scopes.withoutReserved
        hasAudiences = scopes.isEmpty && Cloud.containing(host: query.environment.asciiLowercased) != nil
    }

    /// Each wanted scope is in it. Where nothing but reserved scopes is wanted, a provider with one audience of its own
    /// may answer with any token, as in MSAL; where each resource has its own, only a token that names no resource
    /// does.
    func isServed(by target: String?) -> Bool {
        guard let target else { return false }
        let held = ScopeSet(parsing: target)
        if !scopes.isEmpty { return scopes.isSubset(of: held) }
        guard hasAudiences else { return true }
        return !held.names.contains {
            $0.contains("/") && !$0.asciiLowercased.hasPrefix("https://graph.microsoft.com/")
        }
    }
}

extension CacheSnapshot {
    /// Whether anybody has anything here; metadata of applications alone is nothing to use.
    package var hasCredentials: Bool {
        ([.account] + Section.credentials).contains { section in entries(section).contains { _ in true } }
    }

    /// Every credential with a usable secret, in the order of the file.
    ///
    /// - Parameter clientID: only this client's; nil gives everybody's.
    package func credentials(clientID: String? = nil) -> [CachedCredential] {
        let client = clientID.map { Array($0.utf8) }
        let issuers = AccountIssuers(self)
        var found: [CachedCredential] = []
        for section in Section.credentials {
            guard let kind = section.kind else { continue }
            for entry in entries(section) where client.map({ entry.isEqual("client_id", $0) }) ?? true {
                if let credential = entry.credential(kind, issuers) { found.append(credential) }
            }
        }
        return found
    }

    /// Every credential of one account with a usable secret.
    ///
    /// - Parameter clientID: only this client's; nil gives everybody's.
    package func credentials(of account: AccountID, clientID: String? = nil) -> [CachedCredential] {
        let client = clientID.map { Array($0.utf8) }
        return Section.credentials.flatMap { section -> [CachedCredential] in
            guard let kind = section.kind else { return [] }
            return person(account, in: section).compactMap { entry in
                guard client.map({ entry.isEqual("client_id", $0) }) ?? true else { return nil }
                return entry.credential(kind)
            }
        }
    }
}
