// Requests/ holds what is asked for, and what a resource demands of the next request. Nothing here is sent.

public import FoundationEssentials

/// What is asked for: one request value serves the silent, the interactive and the silent-first call.
public struct TokenRequest: Hashable, Sendable {
    /// The scopes wanted in the access token. The reserved three are added by themselves, or those of them that the
    /// application's configuration names.
    public var scopes: ScopeSet
    /// Whose token. Nil means: the only account there is, else the call fails with `ambiguous` or
    /// `interactionRequired`.
    public var account: Account?
    /// Another authority than the client's own.
    public var authority: Authority?
    /// Another tenant at the same authority: a GUID or a domain name.
    public var tenant: String?
    /// A claims request as the resource or the token endpoint demanded it: JSON, passed on as it is.
    public var claims: String?
    /// Passes over cached access tokens.
    public var forceRefresh: Bool
    /// The request that a token bound to a key is wanted for; nil for a bearer token.
    public var proof: ResourceRequest?
    /// The id of an AI agent's session, as Azure CLI reads it from `COPILOT_AGENT_SESSION_ID`; nil for a person. 1 to
    /// 256 bytes of visible ASCII, else the call ends with `usage`: an empty variable means no session.
    ///
    /// Entra ID gets the id, and the session's access tokens are kept apart, as in MSAL for Python: they serve neither
    /// the person nor another session, and the person's do not serve the session. The account and its refresh tokens
    /// are shared. Other providers know no sessions: there the call ends with `configuration`. An agent is not a
    /// person: a sign-in with a session ends with `usage`, and the silent-first call never asks.
    public var agentSession: String?
    /// Goes with every request of this acquisition and into every error.
    public var correlationID: UUID

    // What follows matters to the interactive leg only.

    /// How a person is asked.
    public var method: SignInMethod
    /// Whether the provider's page must ask, and for what; nil leaves it to the provider.
    public var prompt: Prompt?
    /// The name that the page begins with (`login_hint`). It proves nothing of who signs in.
    public var loginHint: String?
    /// The tenant or domain that Entra ID goes to without asking (`domain_hint`).
    public var domainHint: String?
    /// Consented now, not asked for in this token.
    public var extraScopes: ScopeSet
    /// Added to the authorization request. A name that the program sets itself ends the call with `usage`.
    public var extraQueryParameters: [String: String]
    /// How the answer comes back through the browser.
    public var responseMode: ResponseMode
    /// Seconds since the person last proved who they are; 0 asks for it now (OpenID Connect Core section 3.1.2.1).
    public var maxAge: Int?
    /// Classes of authentication in order of preference.
    public var acrValues: [String]

    /// Everything but the scopes has the default that MSAL has; each request has a correlation identifier of its own.
    public init(
        scopes: ScopeSet, account: Account? = nil, authority: Authority? = nil, tenant: String? = nil,
        claims: String? = nil, forceRefresh: Bool = false, proof: ResourceRequest? = nil, agentSession: String? = nil,
        correlationID: UUID = UUID(), method: SignInMethod = .automatic, prompt: Prompt? = nil,
        loginHint: String? = nil, domainHint: String? = nil, extraScopes: ScopeSet = [],
        extraQueryParameters: [String: String] = [:], responseMode: ResponseMode = .query, maxAge: Int? = nil,
        acrValues: [String] = []
    ) {
        self.scopes = scopes
        self.account = account
        self.authority = authority
        self.tenant = tenant
        self.claims = claims
        self.forceRefresh = forceRefresh
        self.agentSession = agentSession
        self.correlationID = correlationID
        self.method = method
        self.prompt = prompt
        self.loginHint = loginHint
        self.domainHint = domainHint
        self.extraScopes = extraScopes
        self.proof = proof
        self.extraQueryParameters = extraQueryParameters
        self.responseMode = responseMode
        self.maxAge = maxAge
        self.acrValues = acrValues
    }

    /// The same request, so that two callers who ask for it at once share one answer.
    package func isSameWish(as other: TokenRequest) -> Bool {
        var left = self
        left.correlationID = other.correlationID
        // However much is known of the account, it is the same one.
        if let mine = account, let theirs = other.account, mine.id.isSamePerson(as: theirs.id) {
            left.account = other.account
        }
        return left == other
    }
}

/// How a person is asked.
public enum SignInMethod: String, Hashable, Sendable, CaseIterable {
    /// A browser where there is a display and a browser, else a device code.
    case automatic = "auto"
    /// Authorization code with PKCE in the system's browser, answered on a loopback address.
    case browser
    /// The same in a private window.
    case privateWindow = "private"
    /// The same in a text browser in this terminal.
    case text
    /// Device code: the person types a code on any device.
    case device
    /// Entra External ID only: questions and answers in this terminal, without a browser.
    case native

    /// The name for a person.
    package var words: String {
        switch self {
        case .automatic: "automatic"
        case .browser: "browser"
        case .privateWindow: "private window"
        case .text: "text browser"
        case .device: "device code"
        case .native: "questions, without a browser"
        }
    }

    /// What it means for single sign-on, in words for a person.
    public var singleSignOn: String {
        switch self {
        case .automatic: "depends on the method"
        case .browser: "shares the browser's sessions: single sign-on may apply"
        case .privateWindow: "shares no session, and keeps none"
        case .text: "has its own cookies: sessions of other browsers do not apply"
        case .device: "shares the sessions of the browser in which the code is typed, on any device"
        case .native: "uses no browser: no session is shared"
        }
    }
}

/// The `prompt` parameter of the authorization request (OpenID Connect Core section 3.1.2.1; `create` is Entra's).
public enum Prompt: String, Hashable, Sendable, CaseIterable {
    case selectAccount = "select_account"
    case login, consent, create, none
}

/// How the provider sends its answer back through the browser (OAuth 2.0 Multiple Response Types section 2.1, OAuth 2.0
/// Form Post Response Mode).
public enum ResponseMode: String, Hashable, Sendable, CaseIterable {
    /// In the query of the redirect: what a code flow does unless told otherwise.
    case query
    /// As a form that the browser posts, so that the code is in no address and no history.
    case formPost = "form_post"
}
