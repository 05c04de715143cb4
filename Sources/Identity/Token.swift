public import FoundationEssentials

/// One credential as it rests in a cache.
public struct CachedCredential: Hashable, Sendable, Identifiable {
    /// What kind of credential it is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case accessToken = "AccessToken"
        case refreshToken = "RefreshToken"
        case idToken = "IdToken"
    }

    /// The key of the entry in its cache: names clients, accounts and scopes, never a secret.
    public var id: String
    public var kind: Kind
    public var clientID: String
    /// Nil for tokens that an application holds in its own name.
    public var homeAccountID: String?
    public var environment: String
    /// As ``Account/issuer``.
    public var issuer: String?
    /// The tenant as the cache writes it; empty where the credential has none.
    public var realm: String
    public var scopes: ScopeSet
    public var secret: Secret
    /// `Bearer` where the entry does not say.
    public var tokenType: String
    public var cachedAt: Date?
    public var expiresOn: Date?
    public var extendedExpiresOn: Date?
    public var refreshOn: Date?
    /// `1` for a refresh token that every client of Microsoft's family may redeem.
    public var familyID: String?
    /// The thumbprint of the key that an access token, or the refresh token of an OpenID Connect provider, is bound to
    /// (RFC 9449 section 5).
    public var keyID: String?

    public init(
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
    public func isFresh(at now: Date, buffer: TimeInterval = 300) -> Bool {
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
    public func expirationBuffer(_ buffer: TimeInterval) -> TimeInterval {
        guard !isOfEntra, let expiresOn, let cachedAt else { return buffer }
        return min(buffer, max(0, expiresOn.timeIntervalSince(cachedAt)) / 10)
    }

    /// Entra ID names people `uid.utid`, with the tenant's GUID for `utid`; elsewhere it is the subject.
    private var isOfEntra: Bool {
        guard let homeAccountID, let dot = homeAccountID.lastIndex(of: ".") else { return false }
        return homeAccountID[homeAccountID.index(after: dot)...].isGUID
    }
}

/// What one acquisition brought.
public struct AcquiredToken: Hashable, Sendable {
    /// Where the token came from.
    public enum Source: String, Sendable { case cache, refresh, extendedLifetime, broker, interactive }

    public var accessToken: Secret
    public var tokenType: String
    /// For a token that is bound to a key: what goes with the request that was named. Made for that request, now; never
    /// kept.
    public var proof: ProofOfPossession?
    public var expiresOn: Date
    public var extendedExpiresOn: Date?
    /// The scopes that were granted, in the provider's case.
    public var scopes: ScopeSet
    public var tenantID: String
    public var clientID: String
    public var authority: Authority
    public var source: Source
    /// The claims of the ID token that belongs to it: checked when it just came, as cached otherwise.
    public var idTokenClaims: Claims
    public var account: Account
    public var correlationID: UUID
    /// What was tried, in order.
    public var trail: AcquisitionTrace
    /// What a person should know though the token is good: the store could not be locked or written. Lower case, no
    /// full stop.
    public var warning: String?

    public init(
        accessToken: Secret, tokenType: String, expiresOn: Date, extendedExpiresOn: Date?, scopes: ScopeSet,
        tenantID: String,
        clientID: String, authority: Authority, source: Source, idTokenClaims: Claims, account: Account,
        correlationID: UUID,
        trail: AcquisitionTrace, proof: ProofOfPossession? = nil, warning: String? = nil
    ) {
        self.warning = warning
        self.proof = proof
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresOn = expiresOn
        self.extendedExpiresOn = extendedExpiresOn
        self.scopes = scopes
        self.tenantID = tenantID
        self.clientID = clientID
        self.authority = authority
        self.source = source
        self.idTokenClaims = idTokenClaims
        self.account = account
        self.correlationID = correlationID
        self.trail = trail
    }
}

/// How an account stands, worked out from the cache alone.
public enum AccountStatus: Hashable, Sendable {
    /// A fresh access token is at hand, until this time.
    case valid(until: Date)
    /// No fresh access token, but a refresh token that will most likely give one.
    case refreshable
    /// Nothing that could be used without the person.
    case signInNeeded
}

/// A store that belongs to another program, as far as it matters to those who find an account in it.
public struct OtherStore: Hashable, Sendable {
    /// A short word, for options and settings.
    public var name: String
    /// The program that owns it, as people call it.
    public var program: String
    /// Where it is, as a person names it.
    public var place: String
    /// Whether the person allowed to change it.
    public var isWritable: Bool
    /// The file in which the program lists the subscriptions of those who are signed in; nil where it keeps none.
    public var profile: String?

    public init(name: String, program: String, place: String, isWritable: Bool, profile: String? = nil) {
        self.name = name
        self.program = program
        self.place = place
        self.isWritable = isWritable
        self.profile = profile
    }
}

/// An account with everything the cache holds of it.
public struct AccountOverview: Hashable, Sendable, Identifiable {
    public var account: Account
    public var credentials: [CachedCredential]
    /// What earlier sign-ins asked for and did not get, as far as it was noted.
    public var consent: [ConsentRecord]
    /// The other program's store that it was found in; nil in foyer's own.
    public var store: OtherStore?

    public init(
        account: Account, credentials: [CachedCredential], consent: [ConsentRecord] = [], store: OtherStore? = nil
    ) {
        self.account = account
        self.credentials = credentials
        self.consent = consent
        self.store = store
    }

    /// The same person in two stores is two of these.
    public struct ID: Hashable, Sendable {
        public var account: AccountID
        /// The name of the other program's store; nil in foyer's own.
        public var store: String?

        public init(_ account: AccountID, store: String? = nil) {
            self.account = account
            self.store = store
        }
    }

    public var id: ID { ID(account.id, store: store?.name) }

    /// - Parameter clientID: only what this client may use counts; nil counts every client's.
    public func standing(at now: Date, clientID: String? = nil) -> AccountStatus {
        let mine = credentials.filter {
            clientID == nil || $0.clientID == clientID || ($0.kind == .refreshToken && $0.familyID?.isEmpty == false)
        }
        let fresh = mine.filter { $0.kind == .accessToken && $0.isFresh(at: now) }.compactMap(\.expiresOn).max()
        if let fresh { return .valid(until: fresh) }
        // What a legacy cache left is a refresh token, and no entry of the unified schema.
        return account.origin == .adal || mine.contains { $0.kind == .refreshToken } ? .refreshable : .signInNeeded
    }

    /// The earliest end of a live access token, or nil when none lives.
    public func nextExpiry(at now: Date) -> Date? {
        credentials.filter { $0.kind == .accessToken }.compactMap(\.expiresOn).filter { $0 > now }.min()
    }
}
