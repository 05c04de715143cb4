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

    var title: String {
        switch self {
        case .declined: "signed in, with fewer scopes than requested"
        case .cancelled: "the sign-in was not finished"
        case .timedOut: "timed out"
        case .otherAccount: "another account signed in"
        case .wrongAnswers: "too many failed attempts"
        case .offline: "cannot reach the provider"
        case .untrusted: "the response cannot be trusted"
        case .refused: "the provider refused"
        case .here: "the sign-in cannot continue here"
        }
    }

    var sign: (Sign, Tone) {
        switch self {
        case .declined: (.half, .attention)
        case .cancelled: (.separator, .attention)
        case .timedOut, .offline, .otherAccount: (.warning, .attention)
        case .untrusted, .refused, .wrongAnswers, .here: (.cross, .danger)
        }
    }

    /// Next steps, most useful first.
    ///
    /// - Parameters:
    ///   - method: the method that failed.
    ///   - other: the next method to try.
    func remedies(method: SignInMethod, other: SignInMethod) -> [Remedy] {
        let retry = Remedy(.open, "Try again", "by \(method.words)")
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
                [retry, Remedy(.switchMethod, "Sign in another way", "by \(other.words)"), edit]
            case .offline: [retry, doctor, edit]
            // Nothing was saved.
            case .untrusted, .here: [edit, doctor]
            }
        return remedies + [.report]
    }
}
