package import FoundationEssentials

package struct CachedCredential: Hashable, Sendable, Identifiable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case accessToken = "AccessToken"
        case refreshToken = "RefreshToken"
        case idToken = "IdToken"
    }

    /// The key of the cache entry. It contains clients, accounts and scopes, but no secret.
    package var id: String
    package var kind: Kind
    package var clientID: String
    /// Nil for app-only tokens.
    package var homeAccountID: String?
    package var environment: String
    /// See ``Account/issuer``.
    package var issuer: String?
    /// The tenant in the cache; empty for a credential without one.
    package var realm: String
    package var scopes: ScopeSet
    package var secret: Secret
    /// `Bearer` if the entry does not specify it.
    package var tokenType: String
    package var cachedAt: Date?
    package var expiresOn: Date?
    package var extendedExpiresOn: Date?
    package var refreshOn: Date?
    /// `1` for a refresh token that all of Microsoft's family clients may redeem.
    package var familyID: String?
    /// The key thumbprint of a bound access token, or of an OIDC provider's refresh token (RFC 9449 section 5).
    package var keyID: String?
    /// MSAL's digest of the request's non-standard parameters, for access tokens of an AI agent's session.
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

    /// Whether its tenant is the account's home tenant; true without an account.
    package var isOfHomeTenant: Bool {
        guard let homeAccountID else { return true }
        let tenant = HomeAccountID.ignoresCase(homeAccountID, issuer: issuer) ? realm.asciiLowercased : realm
        return HomeAccountID.canonical(homeAccountID, issuer: issuer).hasSuffix(tenant)
    }

    package func isFresh(at now: Date, buffer: TimeInterval = 300) -> Bool { life.isFresh(at: now, buffer: buffer) }
    package func isAhead(of now: Date) -> Bool { life.isAhead(of: now) }
    package func expirationBuffer(_ buffer: TimeInterval) -> TimeInterval { life.expirationBuffer(buffer) }

    package var life: CredentialLife {
        CredentialLife(
            kind: kind, clientID: clientID, homeAccountID: homeAccountID, cachedAt: cachedAt, expiresOn: expiresOn,
            isOfFamily: familyID?.isEmpty == false)
    }
}
