extension Failure {
    /// The next step after a failure. Each interface words it for its own users.
    ///
    /// ``description`` is neutral: it names no command and no option. A program with commands words the cases itself,
    /// in one `switch` without a `default`. A string literal is also a hint: advice that suits every program.
    public enum Hint: Hashable, Sendable {
        /// Advice that suits every program: lower case, no full stop, no secret.
        case text(String)
        /// These lines belong into this file.
        case write(lines: [String], into: String)

        // MARK: Sign in

        /// No stored token answers the request.
        case signIn
        /// The remedy ends with a sign-in, such as "sign in and consent".
        case signInWith(remedy: String)
        /// The last sign-in was declined or cancelled, perhaps by mistake.
        case signInAgain
        /// The sign-in must use one of these methods.
        case useMethod([SignInMethod])
        /// There is no such account: the name is wrong, or the account must be created.
        case createAccount
        /// The account already exists, so it cannot be created.
        case doNotCreateAccount
        /// The request forbids prompts, but the provider requires one.
        case letProviderAsk
        /// No redirect arrived in time. `registration` says what to check first.
        case browserDidNotReturn(registration: String)

        // MARK: Accounts and requests

        /// Several accounts match, so the request must name one.
        case nameAccount
        /// The server does not say who signed in, so the request must name the account.
        case nameSignedIn
        /// Several accounts of a legacy cache have this name.
        case nameAccountByIdentifier
        /// No account matches; the list shows those that there are.
        case listAccounts
        /// The user or an administrator must consent to the scopes.
        case grantScopes
        /// The user is not in the tenant.
        case nameTenant
        /// The token's issuer is not the configured one.
        case nameIssuer
        /// An extra parameter conflicts with one that the protocol sets.
        case useOwnParameter

        // MARK: The client's registration

        /// The redirect URI is not registered; `registering` says how to register it.
        case registerRedirectURI(registering: String)
        /// The provider registered the client without a loopback redirect URI.
        case tryAnotherRedirectURI
        /// The provider may require a fixed port, or `localhost`.
        case tryFixedRedirectURI
        /// An administrator must register the client; `how` says what to request.
        case nameClient(how: String)
        /// The provider has no dynamic registration, so the client must be registered there.
        case configureClient
        /// The provider refused to register these scopes.
        case registerFewerScopes
        /// The request had no client secret. `isRequired` if the provider certainly requires one; otherwise the client
        /// ID may be wrong.
        case setClientSecret(isRequired: Bool)
        /// The configuration says that the secret is kept with the store, but it is not.
        case keepClientSecret

        // MARK: The provider and the store

        /// The provider has a temporary problem.
        case tryLater
        /// The provider did not respond within the timeout.
        case waitLonger
        /// Another call is waiting for the provider, which may be down.
        case checkProvider
        /// The proxy did not connect to the provider.
        case checkProxy
        /// The proxy setting cannot be used.
        case nameProxy
        /// The file of trusted certificates cannot be used.
        case nameCertificateFile
        /// No trusted CA signed the provider's certificate; a TLS-inspecting proxy may have replaced it.
        case trustAuthority
        /// The store cannot be read or written.
        case checkStore
        /// The store is unusable for a known reason.
        case store(StoreHint)
    }

    /// The next step for an unusable store.
    public enum StoreHint: Hashable, Sendable {
        /// This store cannot be used.
        case nameStore
        /// The path is not that of a regular file.
        case nameFile
        /// A symbolic link, which is not followed.
        case nameTarget
        /// The store belongs to another user.
        case nameOwn
        /// A different kind of file at this path, perhaps a legacy cache.
        case importOrNameAnother(path: String)
        /// This user may not read or write the store or its folder.
        case checkPermissions
        /// A later version of the library wrote the store in a format that this one does not know.
        case useLaterVersion
        /// The store is too large: unused entries must be removed.
        case prune
        /// The keyring does not accept an item of this size.
        case pruneOrSeal
        /// The file is encrypted, and there is no terminal to prompt for its passphrase.
        case unlock
        /// The destination of a copy is in use.
        case nameAnotherDestination
    }

    /// The hint, or the default for the code.
    public var nextStep: Hint? {
        if let hint { return hint }
        return switch code {
        case .interactionRequired: .signIn
        case .unavailable: .tryLater
        // The provider has logs only of its own refusals.
        case .serverError: oauthError == nil ? nil : "give the provider's administrator the correlation id"
        case .untrustedResponse: "nothing was stored; check the authority and any proxy in between"
        case .cancelled: "try again"
        case .notFound: .listAccounts
        case .declinedScopes: .grantScopes
        case .storeError: .checkStore
        case .ambiguous, .usage, .invalidInput, .configuration: nil
        }
    }
}

extension Failure.Hint: ExpressibleByStringInterpolation {
    /// Creates a ``text(_:)`` hint.
    public init(stringLiteral value: String) { self = .text(value) }
}

extension Failure.Hint: CustomStringConvertible {
    /// Neutral text: lower case, no full stop, no command or option of any program.
    public var description: String {
        switch self {
        case .text(let text): text
        case .write(let lines, let file): "write into \(file): \(lines.joined(separator: " "))"
        case .signIn: "sign in"
        case .signInWith(let remedy): remedy
        case .signInAgain: "sign in again"
        case .useMethod(let methods): "use " + methods.map(Self.words).joined(separator: " or ")
        case .createAccount: "check the name, or create the account with the prompt \"create\""
        case .doNotCreateAccount: "sign in without creating an account"
        case .letProviderAsk: "allow the provider to prompt"
        case .browserDidNotReturn(let registration):
            "\(registration); otherwise try again with a longer timeout, or paste the browser's final URL"
        case .nameAccount: "choose one of them"
        case .nameSignedIn: "name the account yourself, or set the URL that says who signed in"
        case .nameAccountByIdentifier: "choose one by its identifier, or sign in"
        case .listAccounts: "list what exists"
        case .grantScopes: "sign in again and grant them, or request fewer"
        case .nameTenant: "ask the tenant's administrator for an invitation, or use your own tenant"
        case .nameIssuer: "if you trust that issuer, set it as the authority"
        case .useOwnParameter: "remove the parameters that the protocol sets"
        case .registerRedirectURI(let registering): "\(registering), or use a registered one"
        case .tryAnotherRedirectURI:
            "remove it at the provider and try another redirect URI, such as http://127.0.0.1:8400/"
        case .tryFixedRedirectURI:
            """
            the provider may require a fixed port, or localhost for http: try the redirect URI \
            http://127.0.0.1:8400/ or http://localhost
            """
        case .nameClient(let how): "\(how), and use its client id"
        case .configureClient: "register a native (public) client there, and use its client id"
        case .registerFewerScopes: "request fewer scopes: openid alone"
        case .keepClientSecret: "keep the client's secret in this store"
        case .setClientSecret(isRequired: true): "set the client's secret, or use a public client"
        case .setClientSecret(isRequired: false):
            """
            check the client ID, and that its registration allows public clients; if the client has a secret, set it
            """
        case .tryLater: "try again later"
        case .waitLonger: "try again with a longer timeout"
        case .checkProvider: "check that the provider responds, then try again"
        case .checkProxy: "check the proxy and the hosts that bypass it"
        case .nameProxy:
            "use http://host:port or http://user:password@host:port, and list the hosts that bypass the proxy"
        case .nameCertificateFile: "use a PEM certificate file, or the system's certificates"
        case .trustAuthority: "behind a TLS-inspecting proxy, trust its CA"
        case .checkStore: "check the store"
        case .store(let hint): hint.description
        }
    }

    private static func words(_ method: SignInMethod) -> String {
        switch method {
        case .automatic, .browser: "a browser"
        case .privateWindow: "a private window"
        case .text: "a text browser"
        case .device: "a device code"
        case .native: "a sign-in without a browser"
        }
    }
}

extension Failure.StoreHint: CustomStringConvertible {
    /// Neutral text, like that of ``Failure/Hint``.
    public var description: String {
        switch self {
        case .nameStore: "use another store"
        case .nameFile: "use a file"
        case .nameTarget: "use the target file"
        case .nameOwn: "run as that user, or use your own store"
        case .importOrNameAnother: "use another store, or import it as a legacy cache"
        case .checkPermissions: "check the permissions of the folder, or use another store"
        case .useLaterVersion: "use that version, or another store"
        case .prune: "remove expired tokens; if this persists, move the store away and sign in again"
        case .pruneOrSeal: "remove unneeded entries, or use encrypted:PATH"
        case .unlock: "run it where you can type the passphrase"
        case .nameAnotherDestination: "use another store, or move that one away"
        }
    }
}
