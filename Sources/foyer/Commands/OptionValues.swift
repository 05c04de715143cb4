import Identity

/// The options that every command has, from the argument parser or from ``FastPathArguments``.
struct CommonOptions: Sendable {
    var client: String?
    var clientID: String?
    var authority: String?
    var scopes: [String] = []
    var account: String?
    var store: String?
    var config: String?
    var json = false
    var verbose = false
    var noColor = false
    /// Numbered questions instead of screens.
    var plain = false
    /// No passphrase is asked for.
    var neverAsks = false
    /// Seconds for one request.
    var timeout: Double?

    func checked() throws(Failure) -> CommonOptions {
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
struct SignInOptions: Sendable {
    var via: SignInMethod?
    var browser: String?
    var prompt: Prompt?
    var loginHint: String?
    var domainHint: String?
    var extraScopes: [String] = []
    var paste = false
    var redirectURI: String?
    var tenant: String?
    var extraQuery: [String] = []
    var responseMode: ResponseMode?
    /// Seconds.
    var maxAge: Int?
    var acrValues: [String] = []
}

/// The options of `foyer token`.
struct TokenOptions: Sendable {
    var common = CommonOptions()
    var asking = SignInOptions()
    var silent = false
    var forceRefresh = false
    var claims: String?
    /// `METHOD:URL`, the request that a token bound to a key is wanted for.
    var pop: String?
    var popNonce: String?
    /// Says what would be done, and does nothing.
    var dryRun = false
}
