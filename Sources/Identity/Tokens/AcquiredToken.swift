// Tokens/ holds tokens, credentials, claims and proofs, as issued and as cached. Decoding a token or having its claims
// does not make them trusted: Wire does the checks.

public import FoundationEssentials

/// The result of an acquisition.
public struct AcquiredToken: Hashable, Sendable {
    /// The origin of a token.
    public enum Source: String, Sendable {
        /// The store, without a request.
        case cache
        /// The provider, with a cached refresh token.
        case refresh
        /// The store, after ``expiresOn``, because the provider is unreachable (``extendedExpiresOn``).
        case extendedLifetime
        /// The broker on this machine.
        case broker
        /// An interactive sign-in.
        case interactive
    }

    /// The value for the `Authorization` field; for a key-bound token, use `proof` instead. Empty after a sign-in
    /// without API scopes if the provider issues only an ID token, as B2C does; silent calls throw `serverError` then.
    public var accessToken: Secret
    /// `token_type` of RFC 6749 section 5.1 as the provider wrote it: `Bearer`, `pop`, `DPoP`.
    public var tokenType: String
    /// For a key-bound token: the proof for the given resource request. It is created for that request and never saved.
    public var proof: ProofOfPossession?
    /// Expiry by the local clock: response time plus `expires_in`; for an ID token alone, the token's expiry;
    /// the last second of the year 9999 unless ``hasAnnouncedEnd``.
    public var expiresOn: Date
    /// Whether the server announced when the token expires. A server with OAuth 2.0 alone may announce no end.
    public var hasAnnouncedEnd: Bool { expiresOn != .noAnnouncedEnd }
    /// Expiry while the provider is unreachable (Entra ID's `ext_expires_in`).
    public var extendedExpiresOn: Date?
    /// The granted scopes, in the provider's case.
    public var scopes: ScopeSet
    /// The `tid` of the ID token, else the realm in the cache; empty for plain OpenID Connect.
    public var tenantID: String
    /// The client that the token was issued to.
    public var clientID: String
    /// The authority of the request; for Entra ID with the actual tenant instead of `common` and the like.
    public var authority: Authority
    /// The origin of the token.
    public var source: Source
    /// The claims of its ID token, and how far they can be trusted.
    public var idTokenClaims: IDTokenClaims
    /// The ID token that came with the token, else the cached one of the account, client and tenant, which may have
    /// expired; nil if there is none. For services that accept it as proof of the user; they verify it themselves.
    public var idToken: Secret?
    /// The account; pass it to the next silent call.
    public var account: Account
    /// The request's correlation ID, for the provider's logs.
    public var correlationID: UUID
    /// The steps of the acquisition, in order.
    public var trail: AcquisitionTrace
    /// A problem that leaves the token valid, such as a store that cannot be written. Lower case, no full stop.
    public var warning: String?

    package init(
        accessToken: Secret, tokenType: String, expiresOn: Date, extendedExpiresOn: Date?, scopes: ScopeSet,
        tenantID: String,
        clientID: String, authority: Authority, source: Source, idTokenClaims: IDTokenClaims, account: Account,
        correlationID: UUID,
        trail: AcquisitionTrace, idToken: Secret? = nil, proof: ProofOfPossession? = nil, warning: String? = nil
    ) {
        self.idToken = idToken
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

extension AcquiredToken: CustomStringConvertible, CustomReflectable {
    /// Its origin, scopes and expiry, without a secret and without the user's name.
    public var description: String {
        "token (\(source.rawValue)) for \(scopes), expires \(hasAnnouncedEnd ? "\(expiresOn)" : "never")"
    }
    /// No children, so `dump` shows no names.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
