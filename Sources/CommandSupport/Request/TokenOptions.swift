package import Identity

// Request/ is the record of a request for a token, and the forms in which it is read and written. It must not decide
// what a request comes to: Rules/ resolves it.

/// A request for a token, and how whoever makes it is asked and answered: the one record, which the command line, the
/// agent's and the forwarded protocol, token files, the broker, helpers and the endpoint fill. ``fields`` has a row for
/// each member.
package struct TokenOptions: Hashable, Sendable {
    // MARK: Which token
    package var client: String?
    package var clientID: String?
    package var authority: String?
    package var scopes: [String] = []
    package var account: String?
    package var tenant: String?
    package var claims: String?
    package var forceRefresh = false
    /// `METHOD:URL`, the request that a token bound to a key is wanted for.
    package var pop: String?
    package var popNonce: String?
    /// Of an AI agent, whose tokens are not the person's.
    package var agentSession: String?

    // MARK: Where from
    package var store: String?
    package var config: String?
    /// Seconds for one request.
    package var timeout: Double?

    // MARK: How a person is asked
    package var silent = false
    /// No passphrase is asked for.
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
    /// A device code's address as a QR code, whether there is much room or not.
    package var qr = false

    // MARK: How it is answered
    /// Says what would be done, and does nothing.
    package var dryRun = false
    package var json = false
    package var verbose = false
    package var noColor = false
    /// Numbered questions instead of screens.
    package var plain = false

    package init(_ fill: (inout TokenOptions) -> Void = { _ in }) { fill(&self) }

    package func checked() throws(Failure) -> TokenOptions {
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

    /// Whether nobody is asked: by the options, or because nobody is there.
    package var isSilent: Bool { silent || dryRun || !mayAsk }
}
