// Tokens/ holds what a provider issues and how it rests in a cache: tokens, credentials, claims, proofs. Having claims,
// or decoding a token, says nothing about trusting it: checks are Wire's.

public import FoundationEssentials

/// What one acquisition brought.
public struct AcquiredToken: Hashable, Sendable {
    /// Where the token came from.
    public enum Source: String, Sendable {
        /// The store; nobody was asked.
        case cache
        /// The provider, for a refresh token of the store.
        case refresh
        /// The store, past ``expiresOn``, as the provider is away (``extendedExpiresOn``).
        case extendedLifetime
        /// The broker of the machine.
        case broker
        /// A sign-in by a person.
        case interactive
    }

    /// For the `Authorization` field of requests; `proof` has that field where the token is bound to a key. Empty after
    /// a sign-in that asked for no API's scope where the provider gives an ID token alone then, as Azure AD B2C does;
    /// silent calls end with `serverError` instead.
    public var accessToken: Secret
    /// `token_type` of RFC 6749 section 5.1 as the provider wrote it: `Bearer`, `pop`, `DPoP`.
    public var tokenType: String
    /// For a token that is bound to a key: what goes with the request that was named. Made for that request, now; never
    /// kept.
    public var proof: ProofOfPossession?
    /// By this machine's clock: the time of the answer and its `expires_in`; of an ID token that came alone, its own
    /// end.
    public var expiresOn: Date
    /// How long it may be used while the provider is away (Entra ID's `ext_expires_in`).
    public var extendedExpiresOn: Date?
    /// The scopes that were granted, in the provider's case.
    public var scopes: ScopeSet
    /// The `tid` of the ID token; where there is none, the realm under which the cache keeps the token: empty for plain
    /// OpenID Connect.
    public var tenantID: String
    /// The client that it was issued to.
    public var clientID: String
    /// As the request named it; of Entra ID with the tenant that answered, in the place of `common` and the like.
    public var authority: Authority
    /// Whether it was cached, refreshed, or a person signed in for it.
    public var source: Source
    /// The claims of the ID token that belongs to it, and how far they can be trusted.
    public var idTokenClaims: IDTokenClaims
    /// Whose token it is; pass it to the next silent call.
    public var account: Account
    /// The request's, for the provider's logs.
    public var correlationID: UUID
    /// What was tried, in order.
    public var trail: AcquisitionTrace
    /// What a person should know though the token is good: the store could not be locked or written. Lower case, no
    /// full stop.
    public var warning: String?

    package init(
        accessToken: Secret, tokenType: String, expiresOn: Date, extendedExpiresOn: Date?, scopes: ScopeSet,
        tenantID: String,
        clientID: String, authority: Authority, source: Source, idTokenClaims: IDTokenClaims, account: Account,
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
