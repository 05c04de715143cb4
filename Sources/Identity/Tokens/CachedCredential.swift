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

    package init(
        id: String, kind: Kind, clientID: String, homeAccountID: String?, environment: String, realm: String = "",
        scopes: ScopeSet = [], secret: Secret, tokenType: String = "Bearer", cachedAt: Date? = nil,
        expiresOn: Date? = nil,
        extendedExpiresOn: Date? = nil, refreshOn: Date? = nil, familyID: String? = nil,
        issuer: String? = nil, keyID: String? = nil
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
    }

    /// Whether an access token may still be handed out: it lives longer than the buffer, and was not cached in the
    /// future (a clock that went back).
    ///
    /// - Parameter buffer: seconds that must be left, as ``expirationBuffer(_:)`` bounds them; MSAL's figure is 300.
    package func isFresh(at now: Date, buffer: TimeInterval = 300) -> Bool {
        guard let expiresOn, expiresOn.timeIntervalSince(now) >= expirationBuffer(buffer) else { return false }
        return !isAhead(of: now)
    }

    /// Whether it was stored at a time to come: a clock was wrong, then or now, and nothing that the entry says of
    /// times can be believed.
    package func isAhead(of now: Date) -> Bool {
        // Two minutes of difference between machines that share a home directory are no clock that went back.
        cachedAt.map { $0.timeIntervalSince(now) > 120 } ?? false
    }
}

extension CachedCredential {
    /// The seconds that must be left of this token's life for it to be handed out.
    ///
    /// Entra ID's tokens live an hour and more, and MSAL's five minutes are kept there. Others give tokens of five
    /// minutes or less, which would never be handed out twice: for them it is at most a tenth of the token's lifetime.
    package func expirationBuffer(_ buffer: TimeInterval) -> TimeInterval {
        guard !isOfEntra, let expiresOn, let cachedAt else { return buffer }
        return min(buffer, max(0, expiresOn.timeIntervalSince(cachedAt)) / 10)
    }

    /// Entra ID names people `uid.utid`, with the tenant's GUID for `utid`; elsewhere it is the subject.
    private var isOfEntra: Bool {
        guard let homeAccountID, let dot = homeAccountID.lastIndex(of: ".") else { return false }
        return homeAccountID[homeAccountID.index(after: dot)...].isGUID
    }
}
