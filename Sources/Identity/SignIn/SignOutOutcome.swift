public import FoundationEssentials

/// The result of each part of a sign-out (RFC 7009, local removal, OpenID Connect
/// RP-initiated logout).
public struct SignOutOutcome: Hashable, Sendable {
    /// How one part ended.
    public enum Part: Hashable, Sendable {
        case done
        /// A browser was sent to the page that does it; whether it is done, that page tells.
        case opened
        /// The provider offers no such thing, or it was not asked for.
        case notOffered
        case failed(String)
    }

    /// Whether the refresh token was revoked at the provider.
    public var revoked: Part
    /// Whether the access tokens that are still out were revoked as well, where that was asked for.
    public var accessTokensRevoked: Part
    /// Whether the account is gone from this client's part of the store.
    public var removed: Part
    /// Whether the browser's session was ended: `done` when the browser came back from the provider's page with what it
    /// was given, `opened` when it was sent there and nothing more is known.
    public var sessionEnded: Part
    /// The page that ends the browser's session, for showing: without the ID token, without anything that only the
    /// browser of this sign-out needs.
    public var endSessionURL: WebAddress?
    /// The same with the ID token as a hint, which some providers want: for a browser, not for a screen, a log or an
    /// argument. Whoever opens it is not waited for.
    public var endSessionURLWithHint: Secret?
    /// Until when the last access token that is still out may live; nil when none is, as far as the store knows.
    public var accessTokensDieAt: Date?

    /// What is left out was not offered, or is not known.
    package init(
        revoked: Part, accessTokensRevoked: Part = .notOffered, removed: Part, sessionEnded: Part,
        endSessionURL: WebAddress? = nil,
        endSessionURLWithHint: Secret? = nil, accessTokensDieAt: Date? = nil
    ) {
        self.revoked = revoked
        self.accessTokensRevoked = accessTokensRevoked
        self.removed = removed
        self.sessionEnded = sessionEnded
        self.endSessionURL = endSessionURL
        self.endSessionURLWithHint = endSessionURLWithHint
        self.accessTokensDieAt = accessTokensDieAt
    }
}
