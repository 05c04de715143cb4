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

    /// What can be done next.
    ///
    /// - Parameter name: what a command is called.
    func next(_ name: (Command) -> String) -> String {
        let (open, back) = (name(.open), name(.back))
        let doctor = "\(name(.doctor)) runs the doctor"
        return switch self {
        case .declined: "\(open) shows the account; \(name(.askConsent)) asks for consent again; \(back) edits the form"
        case .cancelled, .timedOut, .otherAccount, .wrongAnswers, .refused:
            "\(open) retry · \(name(.switchMethod)) other method · \(back) edit"
        case .offline: "\(open) retries; \(doctor); \(back) edits the form"
        case .untrusted: "Nothing was saved. \(back) goes back to the form; \(doctor)"
        case .here: "\(back) goes back to the form; \(doctor)"
        }
    }
}
