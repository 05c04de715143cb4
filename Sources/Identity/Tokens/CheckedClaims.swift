/// Claims of an ID token that passed every rule of OpenID Connect Core section 3.1.3.7 in this process.
///
/// Only the check creates them: the initializer is SPI, and `Tests/walls` ensures that Wire's check is its only user.
/// Claims that were only decoded or read from a cache remain ``Claims``.
public struct CheckedClaims: Hashable, Sendable {
    /// The token's payload.
    public let claims: Claims
    /// `sub`: the user's identifier at this issuer, 1 to 255 ASCII characters (Core section 2).
    public let subject: String

    /// Reserved for the check, after all rules passed.
    @_spi(IDTokenCheck) public init(passed claims: Claims, subject: String) {
        (self.claims, self.subject) = (claims, subject)
    }
}

extension CheckedClaims: CustomStringConvertible, CustomReflectable {
    /// The names of the claims, without their values.
    public var description: String { "checked " + claims.description }
    /// No children, so `dump` shows no values.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The claims of a cached ID token, decoded on access because most calls only need the access token.
public struct CachedClaims: Hashable, Sendable {
    private let token: Secret?

    package init(_ token: Secret?) { self.token = token }

    /// The token's payload; empty without a valid JWT.
    public var claims: Claims { token.flatMap { try? DecodedJWT($0).payload } ?? Claims() }
}

/// The claims about a token's user, by origin, which determines how far to trust them.
public enum IDTokenClaims: Hashable, Sendable {
    /// From the ID token that came with the access token.
    case checked(CheckedClaims)
    /// From the provider's userinfo endpoint over TLS (Core section 5.3), unsigned, because no ID token was returned.
    case userInfo(Claims)
    /// From the store. Anyone who can write the store can forge them.
    case cached(CachedClaims)

    /// The claims, for display. Authorization decisions must use ``checked``.
    public var claims: Claims {
        switch self {
        case .checked(let token): token.claims
        case .userInfo(let claims): claims
        case .cached(let token): token.claims
        }
    }

    /// The checked claims; nil if from userinfo or the cache.
    public var checked: CheckedClaims? {
        if case .checked(let token) = self { token } else { nil }
    }
}
