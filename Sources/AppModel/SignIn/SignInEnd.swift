import Identity

/// How an incomplete sign-in ended, grouped by possible next steps.
enum SignInEnd: Equatable, Sendable {
    /// Only some scopes were granted; the tokens are in the store.
    case declined
    /// The user cancelled here or declined on the provider's page.
    case cancelled
    case timedOut
    /// The user signed in with another account than requested.
    case otherAccount
    case wrongAnswers
    /// The provider is unreachable or throttling.
    case offline
    /// A response failed a security check.
    case untrusted
    case refused
    /// Settings, store or form prevent the sign-in.
    case here

    /// - Parameter waitedForBrowser: whether the missing response was the user's in the browser, not the provider's.
    init(_ failure: Failure, waitedForBrowser: Bool) {
        self =
            switch failure.code {
            case .declinedScopes: .declined
            case .cancelled: .cancelled
            case .interactionRequired where failure.signInProblem == .nobodyAnswered: .timedOut
            case .interactionRequired where failure.signInProblem == .otherAccount: .otherAccount
            case .interactionRequired where failure.signInProblem == .wrongAnswers: .wrongAnswers
            case .unavailable: waitedForBrowser ? .timedOut : .offline
            case .untrustedResponse: .untrusted
            case .interactionRequired, .serverError: .refused
            case .storeError, .notFound, .ambiguous, .usage, .invalidInput, .configuration: .here
            }
    }

    /// Whether another method may succeed.
    var isRetried: Bool {
        switch self {
        case .cancelled, .timedOut, .otherAccount, .wrongAnswers, .offline, .refused: true
        case .declined, .untrusted, .here: false
        }
    }

    var title: (sign: (Sign, Tone), words: String) {
        switch self {
        case .declined: ((.half, .attention), "signed in, with fewer scopes than requested")
        case .cancelled: ((.separator, .attention), "the sign-in was not finished")
        case .timedOut: ((.warning, .attention), "timed out")
        case .otherAccount: ((.warning, .attention), "another account signed in")
        case .wrongAnswers: ((.cross, .danger), "too many failed attempts")
        case .offline: ((.warning, .attention), "cannot reach the provider")
        case .untrusted: ((.cross, .danger), "the response cannot be trusted")
        case .refused: ((.cross, .danger), "the provider refused")
        case .here: ((.cross, .danger), "the sign-in cannot continue here")
        }
    }

    /// Next steps, most useful first.
    ///
    /// - Parameters:
    ///   - method: the method that failed.
    ///   - other: the next method to try.
    func remedies(method: SignInMethod, other: SignInMethod) -> [Remedy] {
        let retry = Remedy(.open, "Try again", method.manner)
        let edit = Remedy(.back, "Change the request", "back to the form: client, scopes, method")
        let doctor = Remedy(.doctor, "Run the doctor", "settings, store, network and clock")
        let remedies =
            switch self {
            case .declined:
                [
                    Remedy(.open, "Show the account", "with what was granted"),
                    Remedy(.askConsent, "Ask for consent again", "for what was declined"), edit,
                ]
            case .cancelled, .timedOut, .otherAccount, .wrongAnswers, .refused:
                [retry, Remedy(.switchMethod, "Sign in another way", other.manner), edit]
            case .offline: [retry, doctor, edit]
            // Nothing was saved.
            case .untrusted, .here: [edit, doctor]
            }
        return remedies + [.report]
    }
}

extension SignInMethod {
    /// After "try again".
    fileprivate var manner: String {
        switch self {
        case .automatic: "method chosen automatically"
        case .native: words
        case .browser, .privateWindow, .text, .device: "by \(words)"
        }
    }
}
