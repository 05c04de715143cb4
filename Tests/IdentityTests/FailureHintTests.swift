import Identity
import Testing

@Suite struct FailureHintTests {
    /// The case after this one; a new case does not compile until it has its place here.
    private static func next(after hint: Failure.Hint) -> Failure.Hint? {
        switch hint {
        case .text: .write(lines: ["[table]", "name = 1"], into: "a file")
        case .write: .signIn
        case .signIn: .signInWith(remedy: "sign in and consent")
        case .signInWith: .signInAgain
        case .signInAgain: .useMethod(SignInMethod.allCases)
        case .useMethod: .createAccount
        case .createAccount: .doNotCreateAccount
        case .doNotCreateAccount: .letProviderAsk
        case .letProviderAsk: .browserDidNotReturn(registration: "check the client id")
        case .browserDidNotReturn: .nameAccount
        case .nameAccount: .nameSignedIn
        case .nameSignedIn: .nameAccountByIdentifier
        case .nameAccountByIdentifier: .listAccounts
        case .listAccounts: .grantScopes
        case .grantScopes: .nameTenant
        case .nameTenant: .nameIssuer
        case .nameIssuer: .useOwnParameter
        case .useOwnParameter: .registerRedirectURI(registering: "register it")
        case .registerRedirectURI: .tryAnotherRedirectURI
        case .tryAnotherRedirectURI: .tryFixedRedirectURI
        case .tryFixedRedirectURI: .nameClient(how: "ask for one")
        case .nameClient: .configureClient
        case .configureClient: .registerFewerScopes
        case .registerFewerScopes: .setClientSecret(isRequired: true)
        case .setClientSecret(isRequired: true): .setClientSecret(isRequired: false)
        case .setClientSecret(isRequired: false): .keepClientSecret
        case .keepClientSecret: .tryLater
        case .tryLater: .waitLonger
        case .waitLonger: .checkProvider
        case .checkProvider: .checkProxy
        case .checkProxy: .nameProxy
        case .nameProxy: .nameCertificateFile
        case .nameCertificateFile: .trustAuthority
        case .trustAuthority: .checkStore
        case .checkStore: .store(.nameStore)
        case .store(.nameStore): .store(.nameFile)
        case .store(.nameFile): .store(.nameTarget)
        case .store(.nameTarget): .store(.nameOwn)
        case .store(.nameOwn): .store(.importOrNameAnother(path: "/cache"))
        case .store(.importOrNameAnother): .store(.checkPermissions)
        case .store(.checkPermissions): .store(.useLaterVersion)
        case .store(.useLaterVersion): .store(.prune)
        case .store(.prune): .store(.pruneOrSeal)
        case .store(.pruneOrSeal): .store(.unlock)
        case .store(.unlock): .store(.nameAnotherDestination)
        case .store(.nameAnotherDestination): nil
        }
    }

    private static let all = Array(sequence(first: Failure.Hint.text("ask the administrator"), next: next))

    @Test(arguments: all) func `A hint of the library names no command and no option of a program`(hint: Failure.Hint) {
        let words = hint.description
        #expect(words.count > 6 && words.first?.isUppercase == false && words.last != ".")
        #expect(!words.contains("--") && !words.contains("foyer") && !words.contains("run \""), "\(words)")
        // The environment is read by programs, each in its own way.
        #expect(!words.contains("_PROXY") && !words.contains("_FILE"), "\(words)")
    }

    @Test func `No two situations have the same words`() {
        #expect(Set(Self.all.map(\.description)).count == Self.all.count)
    }

    @Test(arguments: Failure.Code.allCases) func `A failure without a hint has the next step of its code`(
        code: Failure.Code
    ) {
        let step = Failure(code, "it is so", oauthError: "x").nextStep
        switch code {
        case .ambiguous, .usage, .invalidInput, .configuration: #expect(step == nil)
        case .interactionRequired: #expect(step == .signIn)
        case .unavailable: #expect(step == .tryLater)
        case .storeError: #expect(step == .checkStore)
        case .notFound: #expect(step == .listAccounts)
        case .declinedScopes: #expect(step == .grantScopes)
        case .serverError, .untrustedResponse, .cancelled: #expect(step?.description.isEmpty == false)
        }
        #expect(Failure(code, "it is so", hint: .nameAccount).nextStep == .nameAccount)
    }

    @Test func `Only what the provider itself refused can be looked up by its administrator`() {
        #expect(Failure(.serverError, "it is so").nextStep == nil)
    }
}
