// Tokens/ holds what a provider issues and how it rests in a cache: tokens, credentials, claims, proofs. Having claims,
// or decoding a token, says nothing about trusting it: checks are Wire's.

public import FoundationEssentials

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
