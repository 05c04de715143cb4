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
    package var authorityType = "MSSTS"
    /// The grant type that the account came by.
    package var accountSource = "authorization_code"

    package var accessToken: Secret?
    package var tokenType = "Bearer"
    /// What goes into `target`.
    package var scopes: ScopeSet = []
    package var cachedAt: Date
    /// Nil when the provider did not say: an hour is assumed, as MSAL does.
    package var expiresOn: Date?
    package var extendedExpiresOn: Date?
    package var refreshOn: Date?

    package var refreshToken: Secret?
    /// Nil when the provider said nothing, which for Entra ID means: not of the family.
    package var familyID: String?
    package var isEntra = true
    package var idToken: Secret?
    /// `client_info` as it came, base64url.
    package var clientInfo: String?
    /// False after a refresh: an account that was removed meanwhile stays removed, with all its credentials.
    package var createsAccount = true
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
    package var describesTenant = false
    /// The legacy entry whose refresh token was spent: it and the client's others of the person go.
    package var upgrades: LegacyEntry?
    /// What the person was asked to consent to, and what of it was not granted; empty after a refresh, which asks
    /// nobody.
    package var asked: ScopeSet = []
    package var declined: ScopeSet = []
}

extension TokenRecord {
    var isBearer: Bool { tokenType.asciiLowercased == "bearer" }
}

extension TokenRecord {
    /// Nothing yet of an account's at a client, in no tenant.
    package init(of account: Account, clientID: String, cachedAt: Date) {
        self.init(
            clientID: clientID, homeAccountID: account.homeAccountID, environment: account.environment, realm: "",
            localAccountID: account.localAccountID, username: account.username, cachedAt: cachedAt)
    }
}
