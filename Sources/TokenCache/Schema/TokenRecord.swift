package import FoundationEssentials
package import Identity
package import LegacyCaches

/// One response of a token endpoint, as saved to a cache.
package struct TokenRecord: Sendable {
    package var clientID: String
    package var homeAccountID: String
    package var environment: String
    /// In the form of ``Identity/Issuer``; nil for Entra ID.
    package var issuer: String?
    package var realm: String
    package var localAccountID: String
    package var username: String
    package var name: String?
    /// Whether the response has the username and the display name. Otherwise they are what was known before: for a new
    /// entry, but no reason to change one.
    package var hasUsername = true
    package var hasName = true
    package var givenName: String?
    package var familyName: String?
    /// `MSSTS`, `ADFS` or `Generic`.
    package var authorityType = "MSSTS"
    /// The grant type with which the account was added.
    package var accountSource = "authorization_code"

    package var accessToken: Secret?
    package var tokenType = "Bearer"
    /// The value for `target`.
    package var scopes: ScopeSet = []
    package var cachedAt: Date
    /// Nil if the provider sent none: an hour is assumed, as in MSAL.
    package var expiresOn: Date?
    package var extendedExpiresOn: Date?
    package var refreshOn: Date?

    package var refreshToken: Secret?
    /// Nil if the provider sent none, which for Entra ID means: not in the family.
    package var familyID: String?
    package var isEntra = true
    package var idToken: Secret?
    /// `client_info` as received, base64url.
    package var clientInfo: String?
    /// False for a refresh: an account removed in the meantime stays removed, with all its credentials.
    package var createsAccount = true
    /// Whether no user took part: a username that it replaces is kept as a former one. A sign-in forgets those.
    package var isSilent = false
    /// The refresh token that was redeemed: its entry gets the new secret.
    package var redeemed: Secret?
    /// The thumbprint of the access token's key; except at Entra ID, also the refresh token's.
    package var keyID: String?
    /// ``ExtCacheKey/of(agentSession:resource:)``; nil for a token that no such parameter separates.
    package var extCacheKey: String?
    /// The keys of earlier sign-ins that ``keyID`` replaces.
    package var replacedKeyIDs: Set<String> = []
    /// The tenant's name in the request, such as a domain, if its ID is different; lets later silent calls find the
    /// token.
    package var tenantName: String?
    /// Whether the response describes the account in this tenant: its names are the account's, and a guest tenant
    /// reached by a refresh gets its profile.
    package var describesTenant = false
    /// The legacy entry whose refresh token was redeemed: it is removed, with the client's other entries of the user.
    package var upgrades: LegacyEntry?
    /// The requested scopes and those not granted; both empty after a refresh, which involves no consent.
    package var asked: ScopeSet = []
    package var declined: ScopeSet = []
    /// The scopes of a request for a place that gets no others; nil for other requests.
    package var requested: ScopeSet?
    /// How the person signed in; nil for a refresh, and for what other programs signed in.
    package var use: ClientUse?
}

extension TokenRecord {
    var isBearer: Bool { tokenType.asciiLowercased == "bearer" }
}

extension TokenRecord {
    /// An empty record for an account and a client, without a tenant.
    package init(of account: Account, clientID: String, cachedAt: Date) {
        self.init(
            clientID: clientID, homeAccountID: account.homeAccountID, environment: account.environment, realm: "",
            localAccountID: account.localAccountID, username: account.username, cachedAt: cachedAt)
    }
}
