package import Identity
package import LegacyCaches

// The hints of the core as text for the command line; the only place that does this.

extension Failure.Hint {
    /// The hint below an error; text to paste is on separate lines.
    var lines: [String] {
        guard case .write(let lines, let file) = self else { return ["hint: " + words] }
        return ["hint: write into \(file):"] + lines
    }

    /// The next step, in lower case without a full stop.
    package var words: String {
        switch self {
        case .text(let text): text
        case .write(let lines, let file): "write into \(file):\n\(lines.joined(separator: "\n"))"
        case .signIn: "run \"foyer sign-in\""
        case .signInWith(let remedy): "\(remedy): run \"foyer sign-in\""
        case .signInAgain: "run \"foyer sign-in\" to try again"
        case .useMethod(let methods): "use " + methods.map { "--via \($0.rawValue)" }.joined(separator: " or ")
        case .createAccount: "check the name, or create the account with --prompt create"
        case .doNotCreateAccount: "sign in without --prompt create"
        case .letProviderAsk: "omit --prompt none to let the provider prompt"
        case .browserDidNotReturn(let registration):
            """
            \(registration); otherwise try again with a longer --timeout, or paste the browser's final URL with \
            --paste
            """
        case .nameAccount: "choose one with --account"
        case .nameSignedIn:
            "name the account with --login-hint, or set account_url and account_field of the client in the settings"
        case .nameAccountByIdentifier: "use the identifier from \"foyer accounts\", or sign in"
        case .listAccounts: "list them with \"foyer accounts\""
        case .grantScopes: "sign in again and grant them, or request fewer: run \"foyer scopes\""
        case .nameTenant:
            "ask the tenant's administrator for an invitation, or use your own tenant with --tenant"
        case .nameIssuer: "if you trust that issuer, set it with --authority"
        case .useOwnParameter: "protocol parameters have their own options"
        case .registerRedirectURI(let registering): "\(registering), or use a registered one with --redirect-uri"
        case .tryAnotherRedirectURI:
            "remove it at the provider and try another --redirect-uri, such as http://127.0.0.1:8400/"
        case .tryFixedRedirectURI:
            """
            the provider may require a fixed port, or localhost for http: try --redirect-uri \
            http://127.0.0.1:8400/ or http://localhost
            """
        case .nameClient(let how): "\(how), and use --client-id"
        case .configureClient:
            """
            register a native (public) client there, and set its client_id in the settings or use \
            --client-id
            """
        case .registerFewerScopes: "request fewer scopes: --scope openid"
        case .keepClientSecret: "run \"foyer secret set CLIENT\" with the client's name in the settings"
        case .setClientSecret(isRequired: true):
            "set client_secret_file in the client's settings (see \"foyer help settings\"), or use a public client"
        case .setClientSecret(isRequired: false):
            """
            check the client ID, and that its registration allows public clients; if the client has a secret, set \
            client_secret_file in its settings
            """
        case .tryLater: "try again later; \"--verbose\" shows each step"
        case .waitLonger: "try again with a longer --timeout"
        case .checkProvider: "check the provider with \"foyer doctor\", then try again"
        case .checkProxy: "check HTTPS_PROXY and NO_PROXY"
        case .nameProxy:
            "use http://host:port or http://user:password@host:port, and list the hosts that bypass it in NO_PROXY"
        case .nameCertificateFile: "set SSL_CERT_FILE to a PEM certificate file, or unset it"
        case .trustAuthority: "behind a TLS-inspecting proxy, set SSL_CERT_FILE to its CA"
        case .checkStore: "run \"foyer doctor\""
        case .store(let hint): hint.words
        }
    }
}

extension Failure.StoreHint {
    package var words: String {
        switch self {
        case .nameStore: "use another store with --store"
        case .nameFile: "use a file with --store"
        case .nameTarget: "use the target file with --store"
        case .nameOwn: "run as that user, or use your own store with --store"
        case .importOrNameAnother(let path):
            "use another store with --store, or import it with: foyer import \(path.shellWord)"
        case .checkPermissions: "check the permissions of the folder, or use another store with --store"
        case .useLaterVersion: "use that version, or another store with --store"
        case .prune:
            "remove expired tokens with \"foyer clean\"; if this persists, move the store away and sign in again"
        case .pruneOrSeal: "remove unneeded entries with \"foyer clean\", or use encrypted:PATH"
        case .unlock: "run it in a terminal, or unlock the store first: foyer store unlock"
        case .nameAnotherDestination: "use another store with --to, or move that one away"
        }
    }
}

extension LegacyProblem {
    package var words: String {
        if case .unified = situation { description + ": use it with --store" } else { description }
    }
}

extension Failure {
    /// The message and the next step on one line, for protocols with a single error text.
    package var messageAndStep: String {
        messageAndSteps.replacing("\n", with: " ")
    }

    /// The message and the next step, whose lines are kept: a rule has several.
    package var messageAndSteps: String { nextStep.map { "\(message); \($0.words)" } ?? message }
}
