/// The claims of an ID token that passed every rule of OpenID Connect Core section 3.1.3.7 in this process: signature,
/// issuer, audience, times, nonce.
///
/// Nothing but the check makes one: the initializer is seen by a file only that asks for it by name, and `Tests/walls`
/// holds that Wire's check is the only one. ``Claims`` that were decoded, or read from a cache, cannot become these.
public struct CheckedClaims: Hashable, Sendable {
    /// The members of the token's payload.
    public let claims: Claims
    /// `sub`: who it is at this issuer, 1 to 255 ASCII characters (Core section 2).
    public let subject: String

    /// For the check alone, once every rule was passed.
    @_spi(IDTokenCheck) public init(passed claims: Claims, subject: String) {
        (self.claims, self.subject) = (claims, subject)
    }
}

/// The claims of an ID token that is in the store. They are decoded when they are asked for: most calls want the access
/// token alone.
public struct CachedClaims: Hashable, Sendable {
    private let token: Secret?

    /// - Parameter token: nil where the store has none.
    package init(_ token: Secret?) { self.token = token }

    /// The members of the token's payload; empty where there is no token, or it is no JWT.
    public var claims: Claims { token.flatMap { try? DecodedJWT($0).payload } ?? Claims() }
}

/// What is known of a token's person, by where it is from: what was checked just now is another case than what a cache
/// says.
public enum IDTokenClaims: Hashable, Sendable {
    /// Of the ID token that came with the access token.
    case checked(CheckedClaims)
    /// No ID token came: what the provider's userinfo endpoint answered over TLS (Core section 5.3), unsigned.
    case userInfo(Claims)
    /// Of the store. Whoever can write the store can have put anything there.
    case cached(CachedClaims)

    /// The claims, for showing. What grants access looks at ``checked`` only.
    public var claims: Claims {
        switch self {
        case .checked(let token): token.claims
        case .userInfo(let claims): claims
        case .cached(let token): token.claims
        }
    }

    /// The checked claims; nil where the claims are of userinfo or of the cache.
    public var checked: CheckedClaims? {
        if case .checked(let token) = self { token } else { nil }
    }
}
