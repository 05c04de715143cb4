public import ArgumentParser
import CommandSupport
public import Identity

/// The options that every command knows, where they make sense.
struct SharedOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Client: a name from the settings, or a well-known one", valueName: "name"),
        completion: .known(.clients))
    var client: String?

    @Option(name: .customLong("client-id"), help: ArgumentHelp("Client ID", valueName: "id"))
    var clientID: String?

    @Option(
        help: ArgumentHelp(
            "Authority URL, such as https://login.microsoftonline.com/organizations", valueName: "url"))
    var authority: String?

    @Option(
        name: [.customLong("scope")],
        help: ArgumentHelp("Scope, or several separated by spaces; repeatable", valueName: "scope"),
        completion: .known(.scopes))
    var scopes: [String] = []

    @Option(
        help: ArgumentHelp(
            "Username, home account id, or an unambiguous prefix", valueName: "account"),
        completion: .known(.accounts))
    var account: String?

    @Option(
        help: ArgumentHelp("Token store: file:PATH, encrypted:PATH, keyring:NAME or a path", valueName: "spec"),
        completion: .known(.stores))
    var store: String?

    @Option(help: ArgumentHelp("Settings file", valueName: "file"), completion: .file())
    var config: String?

    @Flag(help: "Print JSON")
    var json = false

    @Flag(help: "Show each step on standard error")
    var verbose = false

    @Flag(name: .customLong("no-color"), help: "No colour")
    var noColor = false

    @Option(
        help: ArgumentHelp(
            "Seconds for one request (default 10); over 300, for the browser, too", valueName: "seconds"))
    var timeout: Double?

    func choices() throws(Failure) -> CommonOptions { try common.checked() }

    /// The same, unchecked.
    var common: CommonOptions {
        CommonOptions(
            client: client, clientID: clientID, authority: authority, scopes: scopes, account: account, store: store,
            config: config,
            json: json,
            verbose: verbose, noColor: noColor, timeout: timeout)
    }
}

/// For what opens the interface.
struct PlainOption: ParsableArguments {
    @Flag(help: "Numbered menus instead of screens, as with ACCESSIBLE=1")
    var plain = false

    func applied(to shared: SharedOptions) throws(Failure) -> CommonOptions {
        var choices = try shared.choices()
        choices.plain = plain
        return choices
    }
}

/// How a person is asked, for the commands that ask one.
struct InteractiveOptions: ParsableArguments {
    @Option(help: "How to sign in")
    var via: SignInMethod?

    @Flag(help: "Show the address of a device code as a QR code; without it, where there is room")
    var qr = false

    @Option(help: ArgumentHelp("Browser command, %s is the URL; none only prints it", valueName: "command"))
    var browser: String?

    @Option(help: "Prompt that the provider shows")
    var prompt: Prompt?

    @Option(
        name: .customLong("login-hint"), help: ArgumentHelp("Username to suggest", valueName: "user"),
        completion: .known(.accounts))
    var loginHint: String?

    @Option(
        name: .customLong("domain-hint"), help: ArgumentHelp("Domain whose sign-in page to use", valueName: "domain"))
    var domainHint: String?

    @Option(
        name: .customLong("extra-scope"),
        help: ArgumentHelp("Additional scope to consent to; repeatable", valueName: "scope"),
        completion: .known(.scopes))
    var extraScopes: [String] = []

    @Flag(help: "Read the redirect URL or the code from the terminal")
    var paste = false

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp("Loopback redirect URI of the registration", valueName: "uri"))
    var redirectURI: String?

    @Option(help: ArgumentHelp("Tenant, by id or domain", valueName: "id"))
    var tenant: String?

    @Option(
        name: .customLong("extra-query"),
        help: ArgumentHelp("Parameter for the authorization request; repeatable", valueName: "name=value"))
    var extraQuery: [String] = []

    @Option(name: .customLong("response-mode"), help: "Response mode")
    var responseMode: ResponseMode?

    @Option(
        name: .customLong("max-age"),
        help: ArgumentHelp("Maximum age of the authentication", valueName: "seconds"))
    var maxAge: Int?

    @Option(
        name: .customLong("acr"),
        help: ArgumentHelp("Required authentication context class; repeatable", valueName: "value"))
    var acrValues: [String] = []

    var choices: SignInOptions {
        SignInOptions(
            via: via, browser: browser, prompt: prompt, loginHint: loginHint, domainHint: domainHint,
            extraScopes: extraScopes,
            paste: paste,
            redirectURI: redirectURI, tenant: tenant, extraQuery: extraQuery, responseMode: responseMode,
            maxAge: maxAge,
            acrValues: acrValues, qr: qr)
    }
}

extension SignInMethod: ExpressibleByArgument {}
extension Prompt: ExpressibleByArgument {}
extension ResponseMode: ExpressibleByArgument {}
