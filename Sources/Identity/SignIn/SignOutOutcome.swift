public import FoundationEssentials

/// The result of each part of a sign-out (RFC 7009, local removal, OpenID Connect RP-Initiated Logout).
public struct SignOutOutcome: Hashable, Sendable {
    /// The result of one part.
    public enum Part: Hashable, Sendable {
        /// It succeeded.
        case done
        /// The page was opened in a browser; only the page shows the result.
        case opened
        /// The provider does not support it, or it was not requested.
        case notOffered
        /// It failed, for this reason.
        case failed(String)
    }

    /// Whether the refresh token was revoked at the provider; without one, the access token.
    public var revoked: Part
    /// Whether unexpired access tokens were also revoked, if requested.
    public var accessTokensRevoked: Part
    /// Whether the account was removed from this client's part of the store.
    public var removed: Part
    /// Whether the browser session was ended: `done` if the provider redirected the browser back with the expected
    /// state, `opened` if the page was opened and nothing more is known.
    public var sessionEnded: Part
    /// The page that ends the browser session, for display: without the ID token and the state of this sign-out.
    public var endSessionURL: WebAddress?
    /// ``endSessionURL`` with the ID token as a hint, which some providers require. For a browser only, not for a
    /// screen, a log or an argument; no listener waits for its redirect.
    public var endSessionURLWithHint: Secret?
    /// Expiry of the last unexpired access token; nil if the store knows of none.
    public var accessTokensExpire: Date?

    /// The page on which the user ends what was granted, if tokens were not revoked and the server has one.
    public var grantPage: WebAddress?
    /// False if the provider could not be asked to revoke a token. It is kept to be revoked by the next sign-out of the
    /// account, and no token is served or refreshed from it.
    public var isFinished: Bool

    package init(
        revoked: Part, accessTokensRevoked: Part = .notOffered, removed: Part, sessionEnded: Part,
        endSessionURL: WebAddress? = nil,
        endSessionURLWithHint: Secret? = nil, accessTokensExpire: Date? = nil,
        grantPage: WebAddress? = nil, isFinished: Bool = true
    ) {
        self.revoked = revoked
        self.accessTokensRevoked = accessTokensRevoked
        self.removed = removed
        self.sessionEnded = sessionEnded
        self.endSessionURL = endSessionURL
        self.endSessionURLWithHint = endSessionURLWithHint
        self.accessTokensExpire = accessTokensExpire
        self.grantPage = grantPage
        self.isFinished = isFinished
    }
}
