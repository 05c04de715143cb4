package import Identity

/// The options that every command has, from the argument parser or from ``FastPathArguments``.
package struct CommonOptions: Sendable {
    package var client: String?
    package var clientID: String?
    package var authority: String?
    package var scopes: [String] = []
    package var account: String?
    package var store: String?
    package var config: String?
    package var json = false
    package var verbose = false
    package var noColor = false
    /// Numbered questions instead of screens.
    package var plain = false
    /// No passphrase is asked for.
    package var neverAsks = false
    /// Seconds for one request.
    package var timeout: Double?

    package init(
        client: String? = nil, clientID: String? = nil, authority: String? = nil, scopes: [String] = [],
        account: String? = nil, store: String? = nil, config: String? = nil, json: Bool = false, verbose: Bool = false,
        noColor: Bool = false, plain: Bool = false, neverAsks: Bool = false, timeout: Double? = nil
    ) {
        self.client = client
        self.clientID = clientID
        self.authority = authority
        self.scopes = scopes
        self.account = account
        self.store = store
        self.config = config
        self.json = json
        self.verbose = verbose
        self.noColor = noColor
        self.plain = plain
        self.neverAsks = neverAsks
        self.timeout = timeout
    }

    package func checked() throws(Failure) -> CommonOptions {
        if client != nil, clientID != nil { throw Failure(.usage, "--client and --client-id exclude each other") }
        if let timeout, !(timeout >= 0.1 && timeout <= 600) {
            throw Failure(.usage, "--timeout takes 0.1 to 600 seconds")
        }
        for scope in scopes.flatMap({ $0.split(whereSeparator: \.isWhitespace) }) where !ScopeSet.isScope(String(scope))
        {
            throw Failure(
                .usage, "\"\(scope)\" is not a scope", hint: "a scope is visible ASCII without quotes and backslashes")
        }
        return self
    }
}

/// How a person is to be asked.
package struct SignInOptions: Sendable {
    package var via: SignInMethod?
    package var browser: String?
    package var prompt: Prompt?
    package var loginHint: String?
    package var domainHint: String?
    package var extraScopes: [String] = []
    package var paste = false
    package var redirectURI: String?
    package var tenant: String?
    package var extraQuery: [String] = []
    package var responseMode: ResponseMode?
    /// Seconds.
    package var maxAge: Int?
    package var acrValues: [String] = []
    /// A device code's address as a QR code, whether there is much room or not.
    package var qr = false

    package init(
        via: SignInMethod? = nil, browser: String? = nil, prompt: Prompt? = nil, loginHint: String? = nil,
        domainHint: String? = nil, extraScopes: [String] = [], paste: Bool = false, redirectURI: String? = nil,
        tenant: String? = nil, extraQuery: [String] = [], responseMode: ResponseMode? = nil, maxAge: Int? = nil,
        acrValues: [String] = [], qr: Bool = false
    ) {
        self.qr = qr
        self.via = via
        self.browser = browser
        self.prompt = prompt
        self.loginHint = loginHint
        self.domainHint = domainHint
        self.extraScopes = extraScopes
        self.paste = paste
        self.redirectURI = redirectURI
        self.tenant = tenant
        self.extraQuery = extraQuery
        self.responseMode = responseMode
        self.maxAge = maxAge
        self.acrValues = acrValues
    }
}

/// The options of `foyer token`.
package struct TokenOptions: Sendable {
    package var common = CommonOptions()
    package var asking = SignInOptions()
    package var silent = false
    package var forceRefresh = false
    package var claims: String?
    /// `METHOD:URL`, the request that a token bound to a key is wanted for.
    package var pop: String?
    package var popNonce: String?
    /// Says what would be done, and does nothing.
    package var dryRun = false

    package init(
        common: CommonOptions = CommonOptions(), asking: SignInOptions = SignInOptions(), silent: Bool = false,
        forceRefresh: Bool = false, claims: String? = nil, pop: String? = nil, popNonce: String? = nil,
        dryRun: Bool = false
    ) {
        self.common = common
        self.asking = asking
        self.silent = silent
        self.forceRefresh = forceRefresh
        self.claims = claims
        self.pop = pop
        self.popNonce = popNonce
        self.dryRun = dryRun
    }
}
