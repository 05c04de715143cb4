package import FoundationEssentials
package import Identity

/// A query for a user's credentials.
package struct CredentialQuery: Hashable, Sendable {
    /// Compared as by ``Identity/HomeAccountID``. Credentials without one belong to an application and never match a
    /// user.
    package var homeAccountID: String
    /// Any alias of its cloud matches.
    package var environment: String
    /// The issuer of AD FS and OpenID Connect providers, in the form of ``Identity/Issuer``: nothing from another
    /// issuer matches, even at the same host. Nil for Entra ID.
    package var issuer: String?
    /// Any of these matches, without regard to case; empty matches all. Not for refresh tokens, which have no tenant.
    package var realms: [String] = []
    package var clientID: String
    package var scopes: ScopeSet = []
    package var tokenType = "Bearer"
    /// The thumbprint of the token's key; nil matches only tokens without a key.
    package var keyID: String?
    /// ``ExtCacheKey/of(agentSession:resource:)``; nil matches only tokens without such a key.
    package var extCacheKey: String?
    /// The scopes beyond which an access token does not match, except one that answered a request for ``scopes`` alone;
    /// nil if further scopes do no harm.
    package var bound: ScopeSet?
}

extension CredentialQuery {
    /// Any token of the account for a client.
    package init(of account: Account, clientID: String) {
        self.init(
            homeAccountID: account.homeAccountID, environment: account.environment, issuer: account.issuer,
            clientID: clientID)
    }
}

extension CacheSnapshot {
    /// A cached access token for a query. Tokens bound to another key, or to anything else (certificates, requested
    /// claims, another user's assertion), never match. Neither do tokens valid for over ten years: no provider issues
    /// them, so a clock was wrong.
    ///
    /// - Parameter buffer: minimum remaining lifetime, in seconds.
    /// - Returns: the fresh token that expires last, else the stale one that expired last, else nil. On a tie, the last
    ///   one in the file, as writers append.
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

    /// Whether an access token, expired or not, has all requested scopes and more: they were granted together.
    package func holdsWiderToken(_ query: CredentialQuery) -> Bool {
        let wanted = query.scopes.withoutReserved
        return matches(query, in: .accessToken, checkRealm: true).contains { entry in
            let held = ScopeSet(parsing: entry.text("target") ?? "").withoutReserved
            return wanted.isSubset(of: held) && !held.isSubset(of: wanted)
        }
    }

    /// Refresh tokens for a query, newest first: the client's own, or family tokens of other clients.
    package func refreshTokens(_ query: CredentialQuery, family: Bool) -> [CachedCredential] {
        let tokens = refreshTokens(query)
        return family ? tokens.family : tokens.own
    }

    /// Refresh tokens for a query, newest first: the client's own, and family tokens of other clients.
    package func refreshTokens(_ query: CredentialQuery) -> (own: [CachedCredential], family: [CachedCredential]) {
        let client = WantedClient(query.clientID)
        let entries = person(query, in: .refreshToken)
        let own = entries.filter { $0.isOf(client) }
        let others = entries.filter { !$0.isOf(client) }
        return (newest(own, client), newest(others, client))
    }

    private func newest(_ entries: [CacheEntry], _ client: WantedClient) -> [CachedCredential] {
        var found: [(token: CachedCredential, modified: Date)] = []
        for entry in entries {
            guard case .success(let token) = entry.refreshToken(ofClient: client) else { continue }
            found.append((token, entry.date("last_modification_time") ?? .distantPast))
        }
        guard found.count > 1 else { return found.map(\.token) }
        // On a tie, or without a time, the last one in the file is newer, as writers append.
        return found.enumerated().sorted { ($0.element.modified, $0.offset) > ($1.element.modified, $1.offset) }.map(
            \.element.token)
    }

    /// Thumbprints of the keys that the store's tokens are bound to.
    package var boundKeyIDs: Set<String> {
        Set(
            [Section.accessToken, .refreshToken].flatMap { section in entries(section).compactMap { $0.filled("kid") } }
        )
    }

    /// The key of a client's newest key-bound access token. Older refresh token entries did not record their key.
    package func accessTokenKeyID(_ query: CredentialQuery) -> String? {
        matches(query, in: .accessToken, checkRealm: false).filter { $0.filled("kid") != nil && $0.isType("DPoP") }
            .max { ($0.date("cached_at") ?? .distantPast) < ($1.date("cached_at") ?? .distantPast) }?.filled("kid")
    }

    /// An account's ID token for a client, from the first of the query's realms that has one.
    package func idToken(_ query: CredentialQuery) -> CachedCredential? {
        let entries = matches(query, in: .idToken, checkRealm: true)
        let found = (entries.filter { !$0.isV1IDToken } + entries.filter(\.isV1IDToken)).compactMap {
            $0.credential(.idToken)
        }
        for realm in query.realms {
            if let token = found.first(where: { $0.realm.isSameIgnoringCase(as: realm) }) { return token }
        }
        return found.first
    }

    /// All ID tokens of an account for a client, one per tenant.
    package func idTokens(of account: AccountID, clientID: String) -> [CachedCredential] {
        let client = WantedClient(clientID)
        return person(account, in: .idToken)
            .compactMap {
                $0.isOf(client) && $0.isPlain
                    ? $0.credential(.idToken) : nil
            }
    }

    /// Whether the account was signed out of this client while other clients kept it, and has not been signed in since.
    /// A sign-out removes all of the client's refresh tokens, so any that exists is newer: other programs sign users in
    /// without knowing the mark. Tokens bound to another user's assertion are not the client's own.
    package func isSignedOut(_ account: AccountID, clientID: String) -> Bool {
        let client = WantedClient(clientID)
        let isMarked = person(account, in: .accountMetadata)
            .contains { $0.isOf(client) && $0.isEqual("sign_in_state", Self.signedOut) }
        guard isMarked else { return false }
        return !person(account, in: .refreshToken)
            .contains { $0.isOf(client) && $0.hasSecret && $0.filled("user_assertion_hash") == nil }
    }

    static let signedOut = Array("signed_out".utf8)

    /// Entries that can match a query. A query without an issuer is for Entra ID, whose entries have none.
    func person(_ query: CredentialQuery, in section: Section) -> [CacheEntry] {
        let account = AccountID(
            homeAccountID: query.homeAccountID, environment: query.environment, issuer: query.issuer)
        guard query.issuer == nil else { return person(account, in: section) }
        return homonyms(account, in: section).filter { $0.issuer == nil }
    }

    private func matches(_ query: CredentialQuery, in section: Section, checkRealm: Bool) -> [CacheEntry] {
        let client = WantedClient(query.clientID)
        return person(query, in: section).filter { entry in
            guard entry.isOf(client) else { return false }
            guard checkRealm, !query.realms.isEmpty else { return true }
            let realm = entry.text("realm") ?? ""
            return query.realms.contains(where: realm.isSameIgnoringCase)
        }
    }
}

/// The requirements of a query for the `target` of an access token.
struct WantedTarget {
    /// Without the three reserved scopes.
    let scopes: ScopeSet
    /// Whether each resource has its own audience, as in Microsoft's clouds.
    private let hasAudiences: Bool

    init(_ query: CredentialQuery) {
        scopes = query.scopes.withoutReserved
        hasAudiences = scopes.isEmpty && Cloud.containing(host: query.environment.asciiLowercased) != nil
    }

    /// Whether all required scopes are present. With only reserved scopes any token matches, as in MSAL; in Microsoft's
    /// clouds, only one without a resource or for Microsoft Graph.
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
    /// Whether any account or credential exists; client metadata alone does not count.
    package var hasCredentials: Bool {
        ([.account] + Section.credentials).contains { section in entries(section).contains { _ in true } }
    }

    /// All usable credentials of a client, or of all, in file order.
    package func credentials(clientID: String? = nil) -> [CachedCredential] {
        let client = clientID.map(WantedClient.init)
        let issuers = AccountIssuers(self)
        var found: [CachedCredential] = []
        for section in Section.credentials {
            guard let kind = section.kind else { continue }
            for entry in entries(section) where client.map({ entry.isOf($0) }) ?? true {
                if let credential = entry.credential(kind, issuers) { found.append(credential) }
            }
        }
        return found
    }

    /// All usable credentials of an account, for a client or for all.
    package func credentials(of account: AccountID, clientID: String? = nil) -> [CachedCredential] {
        let client = clientID.map(WantedClient.init)
        return Section.credentials.flatMap { section -> [CachedCredential] in
            guard let kind = section.kind else { return [] }
            return person(account, in: section).compactMap { entry in
                guard client.map({ entry.isOf($0) }) ?? true else { return nil }
                return entry.credential(kind)
            }
        }
    }
}
