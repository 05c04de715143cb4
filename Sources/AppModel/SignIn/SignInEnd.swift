import Identity

/// How a sign-in ended without all that was requested, by what the person can do next.
enum SignInEnd: Equatable, Sendable {
    /// Some of it was granted, and is in the store.
    case declined
    /// The person gave up here, or said no on the provider's page.
    case cancelled
    /// Nobody answered in time.
    case timedOut
    /// Somebody signed in, but not the account that was requested.
    case otherAccount
    /// Too many answers were wrong.
    case wrongAnswers
    /// The provider could not be reached, or limits requests.
    case offline
    /// A response that must not be believed.
    case untrusted
    /// The provider said no.
    case refused
    /// Settings, store or form prevent the sign-in.
    case here

    /// - Parameter waitedForBrowser: an answer that stayed away was the browser's, that is, the person's.
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

    /// Whether the same by another method may end better.
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
        case .timedOut: "nobody signed in in time"
        case .otherAccount: "another account signed in"
        case .wrongAnswers: "too many wrong answers"
        case .offline: "the provider was not reached"
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

    /// What can be done next, what helps most first.
    ///
    /// - Parameters:
    ///   - method: how it was tried.
    ///   - other: how it would be tried instead.
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
