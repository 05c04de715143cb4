extension Failure {
    /// What to do about a failure: a situation, which each face words for its own reader.
    ///
    /// The description is neutral: it names no command and no option of any program. A program that has commands words
    /// the cases itself, in one place, with a `switch` that has no `default`. A text literal is a hint, too: advice
    /// that is the same for everybody.
    public enum Hint: Hashable, Sendable {
        /// Advice that reads the same in every program: lower case, no full stop, no secret.
        case text(String)
        /// Lines to write into a file of settings, as they are pasted.
        case write(lines: [String], into: String)

        // MARK: Sign in

        /// A person has to sign in.
        case signIn
        /// The remedy ends in a sign-in, such as "sign in and consent".
        case signInWith(remedy: String)
        /// The last sign-in was declined or cancelled, perhaps by mistake.
        case signInAgain
        /// The sign-in has to go another way; any of these would do.
        case useMethod([SignInMethod])
        /// There is no such account: the name is wrong, or the account has to be made.
        case createAccount
        /// There is such an account already, so none is to be made.
        case doNotCreateAccount
        /// The request forbids prompts, and the provider has to prompt.
        case letProviderAsk
        /// The browser did not come back in time. `registration` is what to check first.
        case browserDidNotReturn(registration: String)

        // MARK: Accounts and requests

        /// Several accounts would do.
        case nameAccount
        /// Several people of a legacy cache have the name.
        case nameAccountByIdentifier
        /// There is nothing of that name.
        case listAccounts
        /// Some scopes were not granted.
        case grantScopes
        /// The account is unknown in the tenant that was asked.
        case nameTenant
        /// A token of an issuer that nobody named.
        case nameIssuer
        /// A parameter that the protocol itself needs was given as an extra one.
        case useOwnParameter

        // MARK: The client's registration

        /// The redirect URI is not registered; `registering` is how it would be.
        case registerRedirectURI(registering: String)
        /// The provider registered the client without the redirect URI that was asked for.
        case tryAnotherRedirectURI
        /// The provider did not accept the redirect URI.
        case tryFixedRedirectURI
        /// A client has to be registered by somebody else; `how` is what to ask for.
        case nameClient(how: String)
        /// The provider registers nobody by itself.
        case configureClient
        /// The registration asked for more scopes than the provider gives.
        case registerFewerScopes

        // MARK: The provider and the store

        /// It may pass by itself.
        case tryLater
        /// The provider was slower than this call waits.
        case waitLonger
        /// Another call waits for the provider; does it answer at all?
        case checkProvider
        /// The proxy did not do its part.
        case checkProxy
        /// What was given as a proxy is none.
        case nameProxy
        /// The file of the certificate authorities to trust cannot be used.
        case nameCertificateFile
        /// Nobody who is trusted vouches for the provider's certificate; a proxy may have put its own in its place.
        case trustAuthority
        /// Something is wrong with the store.
        case checkStore
        case store(StoreHint)
    }

    /// What to do about a store that cannot be used.
    public enum StoreHint: Hashable, Sendable {
        /// What is named is no store.
        case nameStore
        /// What is named is no regular file.
        case nameFile
        /// A link that is not followed.
        case nameTarget
        /// The file belongs to another user.
        case nameOwn
        /// A file of another kind at this path, perhaps a legacy cache.
        case importOrNameAnother(path: String)
        /// The folder or the file system is read-only.
        case checkPermissions
        /// The file was written by a later version.
        case useLaterVersion
        /// The file has grown too large.
        case prune
        /// The keyring takes no item of this size.
        case pruneOrSeal
        /// The file is sealed, and nobody is there to be asked for its passphrase.
        case unlock
        /// Something is where the store is to be moved.
        case nameAnotherDestination
    }

    /// What to do: the hint, or the usual one where the place that failed had nothing more exact to say.
    public var nextStep: Hint? {
        if let hint { return hint }
        return switch code {
        case .interactionRequired: .signIn
        case .unavailable: .tryLater
        // Only of what the provider itself refused is there anything to look up.
        case .serverError: oauthError == nil ? nil : "the provider's administrator can look up the correlation id"
        case .untrustedResponse: "nothing was stored; check the authority and who is between you and it"
        case .cancelled: "try again, if that was not intended"
        case .notFound: .listAccounts
        case .declinedScopes: .grantScopes
        case .storeError: .checkStore
        case .ambiguous, .usage, .invalidInput, .configuration: nil
        }
    }
}

extension Failure.Hint: ExpressibleByStringInterpolation {
    /// A hint in words, ``text(_:)``.
    public init(stringLiteral value: String) { self = .text(value) }
}

extension Failure.Hint: CustomStringConvertible {
    /// Neutral words: lower case, no full stop, no command or option of any program.
    public var description: String {
        switch self {
        case .text(let text): text
        case .write(let lines, let file): "write into \(file): \(lines.joined(separator: " "))"
        case .signIn: "sign in"
        case .signInWith(let remedy): remedy
        case .signInAgain: "sign in to try again"
        case .useMethod(let methods): "use " + methods.map(Self.words).joined(separator: " or ")
        case .createAccount: "check the name, or create the account with the prompt \"create\""
        case .doNotCreateAccount: "sign in without creating an account"
        case .letProviderAsk: "let the provider ask"
        case .browserDidNotReturn(let registration):
            "\(registration); else try again, wait longer, or paste the browser's final address"
        case .nameAccount: "name one of them"
        case .nameAccountByIdentifier: "name one by its identifier, or sign in"
        case .listAccounts: "see what there is"
        case .grantScopes: "sign in again and grant them, or request fewer"
        case .nameTenant: "ask the tenant's administrator for an invitation, or name your own tenant"
        case .nameIssuer: "if that issuer is the one you mean, name it as the authority"
        case .useOwnParameter: "leave out the parameters that the protocol itself sets"
        case .registerRedirectURI(let registering): "\(registering), or name a registered one"
        case .tryAnotherRedirectURI:
            "have it removed at the provider, and try another redirect URI, such as http://127.0.0.1:8400/"
        case .tryFixedRedirectURI:
            """
            this provider may want a fixed port, or https and localhost only: try the redirect URI \
            http://127.0.0.1:8400/ or http://localhost
            """
        case .nameClient(let how): "\(how), and use its client id"
        case .configureClient: "have a native (public) client registered there, and use its client id"
        case .registerFewerScopes: "try fewer scopes: openid alone"
        case .tryLater: "try again later"
        case .waitLonger: "try again, or wait longer"
        case .checkProvider: "try again, and check whether the provider answers"
        case .checkProxy: "check the proxy, and which hosts are reached without it"
        case .nameProxy:
            "write http://host:port, or http://user:password@host:port, and name the hosts that need no proxy"
        case .nameCertificateFile: "name a file with certificates in PEM, or use the system's"
        case .trustAuthority: "if a proxy looks into TLS here, name its certificate authority"
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
    /// Neutral words, as those of ``Failure/Hint``.
    public var description: String {
        switch self {
        case .nameStore: "name another store"
        case .nameFile: "name a file"
        case .nameTarget: "name the file itself"
        case .nameOwn: "run as that user, or name a store of your own"
        case .importOrNameAnother: "name another store, or import it as a legacy cache"
        case .checkPermissions: "check the permissions of the folder, or name another store"
        case .useLaterVersion: "use that version, or name another store"
        case .prune: "remove what has expired; if this persists, move it aside and sign in again"
        case .pruneOrSeal: "remove what is not needed, or use encrypted:PATH"
        case .unlock: "run it where you can type the passphrase"
        case .nameAnotherDestination: "name another store, or move that one aside"
        }
    }
}
