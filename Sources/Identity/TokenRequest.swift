public import FoundationEssentials

/// What is asked for: one request value serves the silent, the interactive and the silent-first call.
public struct TokenRequest: Hashable, Sendable {
    /// The scopes wanted in the access token. The reserved three are added by themselves.
    public var scopes: ScopeSet
    /// Whose token. Nil means: the only account there is, else the call fails with `ambiguous` or `interactionRequired`.
    public var account: Account?
    /// Another authority than the client's own.
    public var authority: Authority?
    /// Another tenant at the same authority: a GUID or a domain name.
    public var tenant: String?
    /// A claims request as the resource or the token endpoint demanded it: JSON, passed on as it is.
    public var claims: String?
    /// Passes over cached access tokens.
    public var forceRefresh: Bool
    /// Goes with every request of this acquisition and into every error.
    public var correlationID: UUID

    // What follows matters to the interactive leg only.

    public var method: SignInMethod
    public var prompt: Prompt?
    public var loginHint: String?
    public var domainHint: String?
    /// Consented now, not asked for in this token.
    public var extraScopes: ScopeSet

    public init(
        scopes: ScopeSet, account: Account? = nil, authority: Authority? = nil, tenant: String? = nil, claims: String? = nil,
        forceRefresh: Bool = false, correlationID: UUID = UUID(), method: SignInMethod = .automatic, prompt: Prompt? = nil,
        loginHint: String? = nil, domainHint: String? = nil, extraScopes: ScopeSet = []
    ) {
        self.scopes = scopes
        self.account = account
        self.authority = authority
        self.tenant = tenant
        self.claims = claims
        self.forceRefresh = forceRefresh
        self.correlationID = correlationID
        self.method = method
        self.prompt = prompt
        self.loginHint = loginHint
        self.domainHint = domainHint
        self.extraScopes = extraScopes
    }

    /// The same request, so that two callers who ask for it at once share one answer.
    public func isSameWish(as other: TokenRequest) -> Bool {
        var left = self
        left.correlationID = other.correlationID
        // However much is known of the account, it is the same one.
        if let mine = account, let theirs = other.account, mine.id.isSamePerson(as: theirs.id) { left.account = other.account }
        return left == other
    }
}

/// How a person is asked.
public enum SignInMethod: String, Hashable, Sendable, CaseIterable {
    /// A browser where there is a display and a browser, else a device code.
    case automatic = "auto"
    /// Authorization code with PKCE, answered on a loopback address.
    case browser
    /// Device code: the person types a code on any device.
    case device
    /// A text browser in this terminal, answered on a loopback address.
    case text
}

/// The `prompt` parameter of the authorization request (OpenID Connect Core section 3.1.2.1; `create` is Entra's).
public enum Prompt: String, Hashable, Sendable, CaseIterable {
    case selectAccount = "select_account"
    case login, consent, create, none
}
