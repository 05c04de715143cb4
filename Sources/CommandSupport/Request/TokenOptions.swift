package import Identity

// Request/ has the record of a token request and its formats. It must not resolve a request, which Rules/ does.

/// A token request with its prompt and output options; ``RequestField/all`` has a row for each member.
package struct TokenOptions: Hashable, Sendable {
    // MARK: Which token
    package var client: String?
    package var clientID: String?
    package var authority: String?
    package var scopes: [String] = []
    package var account: String?
    package var tenant: String?
    package var claims: String?
    /// The `WWW-Authenticate` fields of the resource's response.
    package var challenge: [String] = []
    /// The resource indicator of RFC 8707.
    package var resource: String?
    package var forceRefresh = false
    /// `METHOD:URL`: the request that needs a key-bound token.
    package var pop: String?
    package var popNonce: String?
    /// The ID of an AI agent's session, which has separate tokens. Set by the resolution, or by the process that asks.
    package var agentSession: String?

    // MARK: Where from
    package var store: String?
    package var config: String?
    /// Seconds for one request.
    package var timeout: Double?

    // MARK: Prompts
    package var silent = false
    package var neverAsks = false
    package var via: SignInMethod?
    package var browser: String?
    package var prompt: Prompt?
    package var loginHint: String?
    package var domainHint: String?
    package var extraScopes: [String] = []
    package var paste = false
    package var redirectURI: String?
    package var extraQuery: [String] = []
    package var responseMode: ResponseMode?
    /// Seconds.
    package var maxAge: Int?
    package var acrValues: [String] = []
    /// Always shows a device code's URL as a QR code.
    package var qr = false

    // MARK: Output
    /// Prints the decision only.
    package var dryRun = false
    package var json = false
    package var verbose = false
    package var noColor = false
    package var plain = false

    package init(_ fill: (inout TokenOptions) -> Void = { _ in }) { fill(&self) }

    package func checked() throws(Failure) -> TokenOptions {
        if client != nil, clientID != nil { throw Failure(.usage, "--client and --client-id cannot be used together") }
        if let timeout, !(timeout >= 0.1 && timeout <= 600) {
            throw Failure(.usage, "--timeout takes 0.1 to 600 seconds")
        }
        if let redirectURI {
            try LoopbackRedirectURI.check(redirectURI, named: "--redirect-uri", code: .usage)
        }
        for scope in scopes.flatMap({ $0.split(whereSeparator: \.isWhitespace) }) where !ScopeSet.isScope(String(scope))
        {
            throw Failure(
                .usage, "\"\(scope)\" is not a scope", hint: "a scope is visible ASCII without quotes and backslashes")
        }
        return self
    }

    package var isSilent: Bool { silent || dryRun || !mayAsk }
}
