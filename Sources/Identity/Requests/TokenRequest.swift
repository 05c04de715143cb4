// Requests/ holds token requests and the challenges of resources. Nothing here is sent.

public import FoundationEssentials

/// A token request. One value serves the silent, the interactive and the silent-first call.
public struct TokenRequest: Hashable, Sendable {
    /// The scopes for the access token. Reserved scopes are added automatically, as configured.
    public var scopes: ScopeSet
    /// The account; nil for the only or current one (else `ambiguous` or `interactionRequired` is thrown).
    public var account: Account?
    /// Overrides the client's authority.
    public var authority: Authority?
    /// Overrides the tenant of the authority: a GUID or a domain name. AD FS, OpenID Connect and OAuth have no tenants:
    /// the call fails with `usage`.
    public var tenant: String?
    /// The JSON claims request of the resource or the token endpoint, sent unchanged.
    public var claims: String?
    /// The URL of the resource that the token is for (RFC 8707), without a fragment; nil if scopes say it. Tokens of
    /// different resources are kept apart, as in MSAL for Python. Entra ID names the resource in its scopes, so the
    /// call fails with `usage` there.
    public var resource: String?
    /// The resource's demand for a new sign-in. The silent call then ends with `interactionRequired`, without a
    /// refresh, unless a cached token has the missing scopes; the interactive one adds scopes, ``acrValues`` and
    /// ``maxAge``.
    public var stepUp: StepUpChallenge?
    /// Whether to ignore cached access tokens.
    public var forceRefresh: Bool
    /// The resource request that a key-bound token is for; nil for a bearer token.
    public var proof: ResourceRequest?
    /// The session ID of an AI agent, as Azure CLI reads it from `COPILOT_AGENT_SESSION_ID`; nil for a user. It must be
    /// 1 to 256 bytes of visible ASCII, otherwise the call fails with `usage`; an empty variable means no session.
    ///
    /// Entra ID receives the ID. As in MSAL for Python, each session has separate access tokens, which are not shared
    /// with the user or other sessions; the account and its refresh tokens are shared. Other providers do not support
    /// sessions: the call fails with `configuration`. An agent cannot sign in: an interactive call with a session fails
    /// with `usage`, and the silent-first call never prompts.
    public var agentSession: String?
    /// Included in every request and error of this acquisition.
    public var correlationID: UUID

    /// Whether the token is for a place that gets these scopes and no others, such as a git host. Where the provider
    /// issues narrower tokens, one with further scopes is not served then.
    package var isForPlace = false

    // The following apply to the interactive flow only.

    /// The sign-in method.
    public var method: SignInMethod
    /// Whether and how the provider must prompt; nil leaves it to the provider.
    public var prompt: Prompt?
    /// The username to prefill (`login_hint`). It does not guarantee who signs in.
    public var loginHint: String?
    /// The tenant or domain that lets Entra ID skip home realm discovery (`domain_hint`).
    public var domainHint: String?
    /// Scopes to consent to now that this token does not need.
    public var extraScopes: ScopeSet
    /// Added to the authorization request. A name that the library itself sets makes the call fail with `usage`.
    public var extraQueryParameters: [String: String]
    /// The way the browser returns the response.
    public var responseMode: ResponseMode
    /// Maximum seconds since the user last authenticated; 0 requires it now (OpenID Connect Core section 3.1.2.1).
    public var maxAge: Int?
    /// Authentication context classes, in order of preference.
    public var acrValues: [String]

    /// Defaults match MSAL's; each request gets its own correlation ID.
    public init(
        scopes: ScopeSet, account: Account? = nil, authority: Authority? = nil, tenant: String? = nil,
        claims: String? = nil, resource: String? = nil, forceRefresh: Bool = false, proof: ResourceRequest? = nil,
        agentSession: String? = nil,
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
        self.resource = resource
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

    /// Whether both requests are equivalent, so concurrent callers can share one result.
    package func isEquivalent(as other: TokenRequest) -> Bool {
        var left = self
        left.correlationID = other.correlationID
        // Compare account identity only: the two may differ in detail.
        if let mine = account, let theirs = other.account, mine.id.isSamePerson(as: theirs.id) {
            left.account = other.account
        }
        return left == other
    }
}

extension TokenRequest: CustomStringConvertible, CustomReflectable {
    /// The strings of it that a log must not show.
    package var names: [String] { (account?.names ?? []) + (loginHint.map { [$0] } ?? []) }

    /// The scopes, without the account and the login hint.
    public var description: String { "request for \(scopes)" }
    /// No children, so `dump` shows no names.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The sign-in methods.
public enum SignInMethod: String, Hashable, Sendable, CaseIterable {
    /// A browser if there are a display and a browser, else a device code.
    case automatic = "auto"
    /// Authorization code with PKCE in the system browser, with a loopback redirect.
    case browser
    /// Like ``browser``, but in a private window.
    case privateWindow = "private"
    /// Like ``browser``, but with a text browser in this terminal.
    case text
    /// Device code: the user enters a code on any device.
    case device
    /// Entra External ID only: prompts in this terminal, without a browser.
    case native

    package var words: String {
        switch self {
        case .automatic: "automatic"
        case .browser: "browser"
        case .privateWindow: "private window"
        case .text: "text browser"
        case .device: "device code"
        case .native: "in the terminal, without a browser"
        }
    }

    /// The effect on single sign-on, as text.
    public var singleSignOn: String {
        switch self {
        case .automatic: "depends on the method"
        case .browser: "uses the browser's sessions: single sign-on may apply"
        case .privateWindow: "uses no existing session and keeps none"
        case .text: "uses its own cookies, no sessions of other browsers"
        case .device: "uses the sessions of the browser where you enter the code"
        case .native: "uses no browser and no session"
        }
    }
}

/// The `prompt` parameter of the authorization request (OpenID Connect Core section 3.1.2.1; `create` is Entra's).
public enum Prompt: String, Hashable, Sendable, CaseIterable {
    /// The provider lists the accounts that it knows, even if there is one session.
    case selectAccount = "select_account"
    /// The user enters the credentials again, despite a session.
    case login
    /// The user consents again.
    case consent
    /// The user creates an account.
    case create
    /// The provider shows no page, and fails if one is needed.
    case none
}

/// The way the browser returns the response (OAuth 2.0 Multiple Response Types section 2.1, Form Post Response Mode).
public enum ResponseMode: String, Hashable, Sendable, CaseIterable {
    /// In the query of the redirect: the default of the code flow.
    case query
    /// As a form post, which keeps the code out of URLs and the browser history.
    case formPost = "form_post"
}
