package import FoundationEssentials
package import Identity
package import LegacyCaches

/// What one answer of a token endpoint brings into a cache.
package struct TokenRecord: Sendable {
    package var clientID: String
    package var homeAccountID: String
    package var environment: String
    /// As ``Identity/Issuer`` spells it; nil for Entra ID.
    package var issuer: String?
    package var realm: String
    package var localAccountID: String
    package var username: String
    package var name: String?
    package var givenName: String?
    package var familyName: String?
    /// `MSSTS`, `ADFS` or `Generic`.
    package var authorityType: String
    /// The grant type that the account came by.
    package var accountSource: String

    package var accessToken: Secret?
    package var tokenType: String
    /// What goes into `target`.
    package var scopes: ScopeSet
    package var cachedAt: Date
    /// Nil when the provider did not say: an hour is assumed, as MSAL does.
    package var expiresOn: Date?
    package var extendedExpiresOn: Date?
    package var refreshOn: Date?

    package var refreshToken: Secret?
    /// Nil when the provider said nothing, which for Entra ID means: not of the family.
    package var familyID: String?
    package var isEntra: Bool
    package var idToken: Secret?
    /// `client_info` as it came, base64url.
    package var clientInfo: String?
    /// False after a refresh: an account that was removed meanwhile stays removed, with all its credentials.
    package var createsAccount: Bool
    /// The refresh token that was spent: its entry gets the new secret.
    package var redeemed: Secret?
    /// The thumbprint of the key that the access token is bound to, and outside of Entra ID the refresh token.
    package var keyID: String?
    /// ``ExtCacheKey/of(agentSession:)`` of the session that the access token is for; nil for a person's own.
    package var extCacheKey: String?
    /// The keys of earlier sign-ins that ``keyID`` takes the place of.
    package var replacedKeyIDs: Set<String> = []
    /// The name, such as a domain, under which the tenant was asked for, where its identifier is another: kept, so that
    /// the next silent call by that name finds the token.
    package var tenantName: String?
    /// Whether the answer itself said who the account is in this tenant: a guest tenant that was reached by a refresh
    /// then gets its profile.
    package var describesTenant: Bool
    /// The legacy entry whose refresh token was spent: it and the client's others of the person go.
    package var upgrades: LegacyEntry?
    /// What the person was asked to consent to, and what of it was not granted; empty after a refresh, which asks
    /// nobody.
    package var asked: ScopeSet = []
    package var declined: ScopeSet = []

    package init(
        clientID: String, homeAccountID: String, environment: String, realm: String, localAccountID: String,
        username: String,
        name: String? = nil, givenName: String? = nil, familyName: String? = nil, authorityType: String = "MSSTS",
        accountSource: String = "authorization_code", accessToken: Secret? = nil, tokenType: String = "Bearer",
        scopes: ScopeSet = [],
        cachedAt: Date, expiresOn: Date? = nil, extendedExpiresOn: Date? = nil, refreshOn: Date? = nil,
        refreshToken: Secret? = nil,
        familyID: String? = nil, isEntra: Bool = true, idToken: Secret? = nil, clientInfo: String? = nil,
        createsAccount: Bool = true,
        redeemed: Secret? = nil, keyID: String? = nil, tenantName: String? = nil, describesTenant: Bool = false,
        upgrades: LegacyEntry? = nil, issuer: String? = nil
    ) {
        self.clientID = clientID
        self.homeAccountID = homeAccountID
        self.environment = environment
        self.realm = realm
        self.localAccountID = localAccountID
        self.username = username
        self.name = name
        self.givenName = givenName
        self.familyName = familyName
        self.authorityType = authorityType
        self.accountSource = accountSource
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.scopes = scopes
        self.cachedAt = cachedAt
        self.expiresOn = expiresOn
        self.extendedExpiresOn = extendedExpiresOn
        self.refreshOn = refreshOn
        self.refreshToken = refreshToken
        self.familyID = familyID
        self.isEntra = isEntra
        self.idToken = idToken
        self.clientInfo = clientInfo
        self.createsAccount = createsAccount
        self.redeemed = redeemed
        self.keyID = keyID
        self.tenantName = tenantName
        self.describesTenant = describesTenant
        self.upgrades = upgrades
        self.issuer = issuer
    }
}

extension TokenRecord {
    var isBearer: Bool { tokenType.asciiLowercased == "bearer" }
}
