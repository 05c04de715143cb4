public import ArgumentParser
public import Identity

/// The options that every command knows, where they make sense.
struct SharedOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A client of the settings, or a well-known one.", valueName: "name"))
    var client: String?

    @Option(name: .customLong("client-id"), help: ArgumentHelp("The identifier of a client.", valueName: "id"))
    var clientID: String?

    @Option(
        help: ArgumentHelp(
            "Who signs people in, such as https://login.microsoftonline.com/organizations.", valueName: "url"))
    var authority: String?

    @Option(
        name: [.customLong("scope")],
        help: ArgumentHelp("A scope, or several separated by spaces; repeatable.", valueName: "scope"))
    var scopes: [String] = []

    @Option(
        help: ArgumentHelp(
            "A username, a home account id, or an unambiguous beginning of either.", valueName: "account"))
    var account: String?

    @Option(
        help: ArgumentHelp("Where tokens rest: file:PATH, encrypted:PATH, keyring:NAME, or a path.", valueName: "spec"))
    var store: String?

    @Option(help: ArgumentHelp("The settings file.", valueName: "file"))
    var config: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Tell each step of the acquisition on standard error.")
    var verbose = false

    @Flag(name: .customLong("no-color"), help: "No colour.")
    var noColor = false

    @Option(
        help: ArgumentHelp(
            "Seconds that one request may take (default 10); beyond 300, the browser as well.", valueName: "seconds"))
    var timeout: Double?

    func choices() throws(Failure) -> CommonOptions {
        try CommonOptions(
            client: client, clientID: clientID, authority: authority, scopes: scopes, account: account, store: store,
            config: config,
            json: json,
            verbose: verbose, noColor: noColor, timeout: timeout
        ).checked()
    }
}

/// For what opens the interface.
struct PlainOption: ParsableArguments {
    @Flag(help: "Numbered questions instead of screens; ACCESSIBLE=1 and TERM=dumb do the same.")
    var plain = false

    func applied(to shared: SharedOptions) throws(Failure) -> CommonOptions {
        var choices = try shared.choices()
        choices.plain = plain
        return choices
    }
}

/// How a person is asked, for the commands that ask one.
struct InteractiveOptions: ParsableArguments {
    @Option(help: "How: auto, browser, private, text, device or native.")
    var via: SignInMethod?

    @Option(help: ArgumentHelp("The browser's command, %s is the URL; none only prints it.", valueName: "command"))
    var browser: String?

    @Option(help: "select_account, login, consent, create or none.")
    var prompt: Prompt?

    @Option(name: .customLong("login-hint"), help: ArgumentHelp("The username to offer.", valueName: "user"))
    var loginHint: String?

    @Option(
        name: .customLong("domain-hint"), help: ArgumentHelp("The domain to send the person to.", valueName: "domain"))
    var domainHint: String?

    @Option(
        name: .customLong("extra-scope"),
        help: ArgumentHelp("Consented now, not asked for in the token; repeatable.", valueName: "scope"))
    var extraScopes: [String] = []

    @Flag(help: "Read the redirect URL or the code from the terminal.")
    var paste = false

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("The loopback redirect URI of the registration.", valueName: "uri"))
    var redirectURI: String?

    @Option(help: ArgumentHelp("A tenant's id or domain.", valueName: "id"))
    var tenant: String?

    @Option(
        name: .customLong("extra-query"),
        help: ArgumentHelp("A parameter added to the authorization request; repeatable.", valueName: "name=value"))
    var extraQuery: [String] = []

    @Option(name: .customLong("response-mode"), help: "How the answer comes back: query or form_post.")
    var responseMode: ResponseMode?

    @Option(
        name: .customLong("max-age"),
        help: ArgumentHelp("Ask again when the last proof of who you are is older.", valueName: "seconds"))
    var maxAge: Int?

    @Option(
        name: .customLong("acr"),
        help: ArgumentHelp("A class of authentication that is needed; repeatable.", valueName: "value"))
    var acrValues: [String] = []

    var choices: SignInOptions {
        SignInOptions(
            via: via, browser: browser, prompt: prompt, loginHint: loginHint, domainHint: domainHint,
            extraScopes: extraScopes,
            paste: paste,
            redirectURI: redirectURI, tenant: tenant, extraQuery: extraQuery, responseMode: responseMode,
            maxAge: maxAge,
            acrValues: acrValues)
    }
}

extension SignInMethod: ExpressibleByArgument {}
extension Prompt: ExpressibleByArgument {}
extension ResponseMode: ExpressibleByArgument {}
