package import Identity
package import LegacyCaches

// What the core says in cases, in the words of this command line. Nothing else of the program words a hint of the core.

extension Failure.Hint {
    /// The hint below an error; what is to be pasted has lines of its own.
    var lines: [String] {
        guard case .write(let lines, let file) = self else { return ["hint: " + words] }
        return ["hint: write into \(file):"] + lines
    }

    /// What to type: lower case, no full stop.
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
        case .letProviderAsk: "leave out --prompt none, so that the provider can ask"
        case .browserDidNotReturn(let registration):
            """
            \(registration); else try again, --timeout waits longer, or paste the browser's final address with \
            --paste
            """
        case .nameAccount: "name one with --account"
        case .nameAccountByIdentifier: "name one by the identifier that \"foyer accounts\" shows, or sign in"
        case .listAccounts: "list them with \"foyer accounts\""
        case .grantScopes: "sign in again and grant them, or request fewer: run \"foyer scopes\""
        case .nameTenant:
            "ask the tenant's administrator for an invitation, or name your own tenant with --tenant"
        case .nameIssuer: "if that issuer is the one you mean, name it with --authority"
        case .useOwnParameter: "parameters of the protocol have options of their own"
        case .registerRedirectURI(let registering): "\(registering), or name a registered one with --redirect-uri"
        case .tryAnotherRedirectURI:
            "have it removed at the provider, and try another --redirect-uri, such as http://127.0.0.1:8400/"
        case .tryFixedRedirectURI:
            """
            this provider may want a fixed port, or https and localhost only: try --redirect-uri \
            http://127.0.0.1:8400/ or http://localhost
            """
        case .nameClient(let how): "\(how), and use --client-id"
        case .configureClient:
            """
            have a native (public) client registered there, and write its client_id into the settings or use \
            --client-id
            """
        case .registerFewerScopes: "try fewer scopes: --scope openid"
        case .tryLater: "try again later; \"--verbose\" shows what was tried"
        case .waitLonger: "try again, or give it longer with --timeout"
        case .checkProvider: "try again; \"foyer doctor\" checks whether the provider answers"
        case .checkProxy: "check HTTPS_PROXY and NO_PROXY"
        case .nameProxy:
            "write http://host:port, or http://user:password@host:port; hosts that need no proxy go into NO_PROXY"
        case .nameCertificateFile: "name a file with certificates in PEM in SSL_CERT_FILE, or unset it"
        case .trustAuthority: "if a proxy looks into TLS here, name its certificate authority with SSL_CERT_FILE"
        case .checkStore: "run \"foyer doctor\""
        case .store(let hint): hint.words
        }
    }
}

extension Failure.StoreHint {
    package var words: String {
        switch self {
        case .nameStore: "name a store with --store"
        case .nameFile: "name a file with --store"
        case .nameTarget: "name the file itself with --store"
        case .nameOwn: "run as that user, or name your own store with --store"
        case .importOrNameAnother(let path):
            "name another store with --store, or import it with: foyer import \(path.shellWord)"
        case .checkPermissions: "check the permissions of the folder, or name another store with --store"
        case .useLaterVersion: "use that version, or name another store with --store"
        case .prune: "remove what has expired with \"foyer clean\"; if this persists, move it aside and sign in again"
        case .pruneOrSeal: "remove what is not needed with \"foyer clean\", or use encrypted:PATH"
        case .unlock: "run it at a terminal, or unlock the store there first: foyer store unlock"
        case .nameAnotherDestination: "name another store with --to, or move that one aside"
        }
    }
}

extension LegacyProblem {
    /// What is so, and what to type where that would do.
    package var words: String {
        if case .unified = situation { description + ": name it with --store" } else { description }
    }
}

extension Failure {
    /// What is so, and what to do, for a protocol that has one text for both, on one line.
    package var messageAndStep: String {
        nextStep.map { "\(message); \($0.words.replacing("\n", with: " "))" } ?? message
    }
}
