package import FoundationEssentials

/// One credential as it rests in a cache.
package struct CachedCredential: Hashable, Sendable, Identifiable {
    /// What kind of credential it is.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case accessToken = "AccessToken"
        case refreshToken = "RefreshToken"
        case idToken = "IdToken"
    }

    /// The key of the entry in its cache: names clients, accounts and scopes, never a secret.
    package var id: String
    package var kind: Kind
    package var clientID: String
    /// Nil for tokens that an application holds in its own name.
    package var homeAccountID: String?
    package var environment: String
    /// As ``Account/issuer``.
    package var issuer: String?
    /// The tenant as the cache writes it; empty where the credential has none.
    package var realm: String
    package var scopes: ScopeSet
    package var secret: Secret
    /// `Bearer` where the entry does not say.
    package var tokenType: String
    package var cachedAt: Date?
    package var expiresOn: Date?
    package var extendedExpiresOn: Date?
    package var refreshOn: Date?
    /// `1` for a refresh token that every client of Microsoft's family may redeem.
    package var familyID: String?
    /// The thumbprint of the key that an access token, or the refresh token of an OpenID Connect provider, is bound to
    /// (RFC 9449 section 5).
    package var keyID: String?
    /// MSAL's digest of the non-standard parameters of the request, for an access token of an AI agent's session.
    package var extCacheKey: String?

    package init(
        id: String, kind: Kind, clientID: String, homeAccountID: String?, environment: String, realm: String = "",
        scopes: ScopeSet = [], secret: Secret, tokenType: String = "Bearer", cachedAt: Date? = nil,
        expiresOn: Date? = nil, extendedExpiresOn: Date? = nil, refreshOn: Date? = nil, familyID: String? = nil,
        issuer: String? = nil, keyID: String? = nil, extCacheKey: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.clientID = clientID
        self.homeAccountID = homeAccountID
        self.environment = environment
        self.realm = realm
        self.scopes = scopes
        self.secret = secret
        self.tokenType = tokenType
        self.cachedAt = cachedAt
        self.expiresOn = expiresOn
        self.extendedExpiresOn = extendedExpiresOn
        self.refreshOn = refreshOn
        self.familyID = familyID
        self.issuer = issuer
        self.keyID = keyID
        self.extCacheKey = extCacheKey
    }

    package func isFresh(at now: Date, buffer: TimeInterval = 300) -> Bool { life.isFresh(at: now, buffer: buffer) }
    package func isAhead(of now: Date) -> Bool { life.isAhead(of: now) }
    package func expirationBuffer(_ buffer: TimeInterval) -> TimeInterval { life.expirationBuffer(buffer) }

    /// Whose it is and how long it lives, without its secret.
    package var life: CredentialLife {
        CredentialLife(
            kind: kind, clientID: clientID, homeAccountID: homeAccountID, cachedAt: cachedAt, expiresOn: expiresOn,
            isOfFamily: familyID?.isEmpty == false)
    }
}
