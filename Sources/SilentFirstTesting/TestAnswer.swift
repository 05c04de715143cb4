public import Identity

/// The answer of a ``TestProvider`` to a token request.
public enum TestAnswer: Hashable, Sendable {
    /// The tokens of the request.
    case tokens
    /// The tokens, without these scopes: the call fails with `declinedScopes`.
    case tokensWithout(ScopeSet)
    /// An error of OAuth 2.0, with Entra ID's members.
    case refusal(error: String, suberror: String? = nil, codes: [Int] = [], claims: String? = nil)
    /// The provider is down, or asks to wait for some seconds.
    case unavailable(retryAfter: Int? = nil)
    /// There is no connection.
    case unreachable

    /// The user must sign in again, as after a changed password: a silent call fails with `interactionRequired`.
    public static let interactionRequired = TestAnswer.refusal(
        error: "invalid_grant", suberror: "basic_action", codes: [50173])
    /// A resource or a policy requires more, such as a second factor; the claims go with the sign-in.
    public static let claimsRequired = TestAnswer.refusal(
        error: "interaction_required", suberror: "basic_action", codes: [50076],
        claims: #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#)
}

/// A request that a ``TestProvider`` received; contains no secrets.
public struct TestRequest: Hashable, Sendable {
    /// The kinds of request.
    public enum Kind: Hashable, Sendable {
        /// The provider's metadata or its keys.
        case metadata
        /// A page in the browser.
        case authorization
        /// A code for another device.
        case deviceCode
        /// Tokens: `authorization_code`, `refresh_token` or the URN of the device grant.
        case token(grant: String)
        /// An end point that the double does not have in full, such as the revocation of a token.
        case other(path: String)
    }

    /// The kind of request.
    public var kind: Kind
    /// The host, with the port if it is not the usual one.
    public var host: String
    /// The requested scopes, with those that the library adds.
    public var scopes: ScopeSet = []
    /// The fields of the request, such as `prompt`, `login_hint` or `claims`; secrets are left out.
    public var fields: [String: String] = [:]
}
