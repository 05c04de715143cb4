package import Identity

/// A member of a token request: its sources, its reach and its meaning.
package struct RequestField: Sendable {
    /// Access to a member of ``TokenOptions``. A function, as key paths are built at run time: for all rows that would
    /// take a fifth of the time for a cached token.
    package typealias Access<Value> = @Sendable (inout TokenOptions, (inout Value) -> Value) -> Value

    package enum Member: Sendable {
        case text(Access<String?>)
        case texts(Access<[String]>)
        case flag(Access<Bool>)
        /// In milliseconds between processes.
        case seconds(Access<Double?>)
        case number(Access<Int?>)
        case method(Access<SignInMethod?>)
        case prompt(Access<Prompt?>)
        case responseMode(Access<ResponseMode?>)
    }

    /// The option's heading in the help, which is also the set of commands that accept it.
    package enum Group: Sendable { case common, signIn, token, interface }

    /// The limit to which a member may be sent.
    package enum Reach: Int, Comparable, Sendable {
        case here, process, host
        package static func < (left: Reach, right: Reach) -> Bool { left.rawValue < right.rawValue }
    }

    /// The effect on the request: a bound limits every request of a program, a wish chooses within the bounds, and a
    /// manner only affects prompts or output.
    package enum Role: Sendable { case bound, wish, manner }

    package enum Completion: Sendable { case none, clients, accounts, scopes, stores, files }

    /// Without its dashes; nil if none sets it.
    package let option: String?
    package let group: Group
    package let member: Member
    package let role: Role
    package let reach: Reach
    /// The member in the agent's protocols and in files; nil if it is never sent.
    package let name: String?
    package let variable: String?
    /// The setting in `[clients.NAME]` or at the top level.
    package let setting: String?
    /// The placeholder in the help; nil for a flag.
    package let value: String?
    package let completion: Completion
    package let help: String

    private init(
        _ option: String?, _ group: Group, _ member: Member, _ role: Role,
        _ reach: Reach = .here, name: String? = nil, variable: String? = nil, setting: String? = nil,
        value: String? = nil, completion: Completion = .none, help: String
    ) {
        self.option = option
        self.group = group
        self.member = member
        self.role = role
        self.reach = reach
        self.name = name
        self.variable = variable
        self.setting = setting
        self.value = value
        self.completion = completion
        self.help = help
    }

    package static let all: [RequestField] = [
        RequestField(
            "client", .common, .text { $1(&$0.client) }, .bound, .host, name: "client", variable: "FOYER_CLIENT",
            setting: "client", value: "name", completion: .clients,
            help: "Client from the settings, or a well-known one"),
        RequestField(
            "client-id", .common, .text { $1(&$0.clientID) }, .bound, .host, name: "clientId", variable: "FOYER_CLIENT",
            setting: "client_id", value: "id", help: "Client ID"),
        RequestField(
            "authority", .common, .text { $1(&$0.authority) }, .bound, .host, name: "authority",
            variable: "FOYER_AUTHORITY",
            setting: "authority", value: "url",
            help: "Authority URL, such as https://login.microsoftonline.com/organizations"),
        RequestField(
            "scope", .common, .texts { $1(&$0.scopes) }, .bound, .host, name: "scopes", setting: "scopes",
            value: "scope",
            completion: .scopes, help: "Scope, or several separated by spaces; repeatable"),
        RequestField(
            "resource", .common, .text { $1(&$0.resource) }, .bound, .host, name: "resource", value: "url",
            help: "Resource that the token is for (RFC 8707), if the scopes do not say it"),
        RequestField(
            "account", .common, .text { $1(&$0.account) }, .bound, .host, name: "account", variable: "FOYER_ACCOUNT",
            setting: "account", value: "account",
            completion: .accounts, help: "Username, home account id, or an unambiguous prefix"),
        tenant,
        RequestField(
            "store", .common, .text { $1(&$0.store) }, .bound, .process, name: "store", variable: "FOYER_STORE",
            setting: "store", value: "spec", completion: .stores,
            help: "Token store: file:PATH, encrypted:PATH, keyring:NAME or a path"),
        RequestField(
            "config", .common, .text { $1(&$0.config) }, .bound, .process, name: "config", variable: "FOYER_CONFIG",
            value: "file", completion: .files, help: "Settings file"),
        RequestField("json", .common, .flag { $1(&$0.json) }, .manner, help: "Print JSON"),
        RequestField("verbose", .common, .flag { $1(&$0.verbose) }, .manner, help: "Show each step on standard error"),
        RequestField("no-color", .common, .flag { $1(&$0.noColor) }, .manner, variable: "NO_COLOR", help: "No colour"),
        RequestField(
            "timeout", .common, .seconds { $1(&$0.timeout) }, .manner, .host, name: "timeout", value: "seconds",
            help: "Seconds for one request (default 10); over 300, also for the browser"),

        RequestField(
            "via", .signIn, .method { $1(&$0.via) }, .manner, setting: "via", value: "via", help: "How to sign in"),
        RequestField(
            "qr", .signIn, .flag { $1(&$0.qr) }, .manner,
            help: "Always show a device code's URL as a QR code"),
        RequestField(
            "browser", .signIn, .text { $1(&$0.browser) }, .manner, variable: "BROWSER", value: "command",
            help: "Browser command, %s is the URL; none only prints it"),
        RequestField(
            "prompt", .signIn, .prompt { $1(&$0.prompt) }, .manner, value: "prompt",
            help: "Prompt of the provider"),
        RequestField(
            "login-hint", .signIn, .text { $1(&$0.loginHint) }, .wish, value: "user", completion: .accounts,
            help: "Username to suggest"),
        RequestField(
            "domain-hint", .signIn, .text { $1(&$0.domainHint) }, .wish, value: "domain",
            help: "Domain whose sign-in page to use"),
        RequestField(
            "extra-scope", .signIn, .texts { $1(&$0.extraScopes) }, .wish, value: "scope", completion: .scopes,
            help: "Additional scope to consent to; repeatable"),
        RequestField(
            "paste", .signIn, .flag { $1(&$0.paste) }, .manner,
            help: "Read the redirect URL or the code from the terminal"),
        RequestField(
            "redirect-uri", .signIn, .text { $1(&$0.redirectURI) }, .manner, setting: "redirect_uri", value: "uri",
            help: "Loopback redirect URI of the registration"),
        RequestField(
            "extra-query", .signIn, .texts { $1(&$0.extraQuery) }, .wish, value: "name=value",
            help: "Parameter for the authorization request; repeatable"),
        RequestField(
            "response-mode", .signIn, .responseMode { $1(&$0.responseMode) }, .manner, value: "response-mode",
            help: "Response mode of the authorization request"),
        RequestField(
            "max-age", .signIn, .number { $1(&$0.maxAge) }, .wish, value: "seconds",
            help: "Maximum age of the authentication"),
        RequestField(
            "acr", .signIn, .texts { $1(&$0.acrValues) }, .wish, value: "value",
            help: "Required authentication context class; repeatable"),

        RequestField("silent", .token, .flag { $1(&$0.silent) }, .manner, help: "Never prompt"),
        RequestField(
            "force-refresh", .token, .flag { $1(&$0.forceRefresh) }, .wish, .process, name: "forceRefresh",
            help: "Ignore cached tokens and refresh"),
        RequestField(
            "claims", .token, .text { $1(&$0.claims) }, .wish, .host, name: "claims", value: "json",
            help: "Claims request, exactly as received"),
        RequestField(
            "challenge", .token, .texts { $1(&$0.challenge) }, .wish, value: "field",
            help: "WWW-Authenticate field of the resource, exactly as received"),
        RequestField(
            "pop", .token, .text { $1(&$0.pop) }, .wish, .host, name: "pop", value: "method:url",
            help: "Print a key-bound token and its proof, as header fields"),
        RequestField(
            "pop-nonce", .token, .text { $1(&$0.popNonce) }, .wish, .host, name: "popNonce", value: "nonce",
            help: "Nonce from the resource"),
        RequestField(
            "dry-run", .token, .flag { $1(&$0.dryRun) }, .manner,
            help: "Show and explain what a silent call would do; send nothing"),

        RequestField(
            nil, .token, .text { $1(&$0.agentSession) }, .bound, .process, name: "agentSession",
            help: "AI agent's session, with separate tokens"),

        RequestField(
            "plain", .interface, .flag { $1(&$0.plain) }, .manner, variable: "ACCESSIBLE",
            help: "Numbered menus instead of screens, as with ACCESSIBLE=1"),
    ]

    package static let tenant = RequestField(
        "tenant", .signIn, .text { $1(&$0.tenant) }, .bound, .host, name: "tenant", variable: "FOYER_TENANT",
        setting: "tenant", value: "id",
        help: "Tenant, by id or domain")
}

extension RequestField {
    /// Whether the resolution turns the field into a client, an account, an authority, a tenant or scopes.
    package var isResolved: Bool {
        option.map(["client", "client-id", "authority", "scope", "account", "tenant"].contains) ?? false
    }
}

extension TokenOptions {
    package subscript<Value>(access: RequestField.Access<Value>) -> Value {
        get {
            var copy = self
            return access(&copy) { $0 }
        }
        set {
            _ = access(&self) {
                $0 = newValue
                return newValue
            }
        }
    }
}
