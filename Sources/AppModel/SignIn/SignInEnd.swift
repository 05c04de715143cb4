import Identity

/// How a sign-in ended without all that was requested, by what the person can do next.
enum SignInEnd: Equatable, Sendable {
    /// Some of it was granted, and is in the store.
    case declined
    /// The person gave up here, or said no on the provider's page.
    case cancelled
    /// Nobody answered in time.
    case timedOut
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
            // The one end of a sign-in by a person in which the provider names no error.
            case .interactionRequired where failure.oauthError == nil && failure.serverCodes.isEmpty: .timedOut
            case .unavailable: waitedForBrowser ? .timedOut : .offline
            case .untrustedResponse: .untrusted
            case .interactionRequired, .serverError: .refused
            case .storeError, .notFound, .ambiguous, .usage, .invalidInput, .configuration: .here
            }
    }

    var title: String {
        switch self {
        case .declined: "signed in, with less than was asked for"
        case .cancelled: "the sign-in was not finished"
        case .timedOut: "nobody answered in time"
        case .offline: "the provider was not reached"
        case .untrusted: "the answer was not to be trusted"
        case .refused: "the provider refused"
        case .here: "the sign-in cannot go on here"
        }
    }

    var sign: (Sign, Tone) {
        switch self {
        case .declined: (.half, .attention)
        case .cancelled: (.separator, .attention)
        case .timedOut, .offline: (.warning, .attention)
        case .untrusted, .refused, .here: (.cross, .danger)
        }
    }

    /// What the keys do next.
    var next: String {
        switch self {
        case .declined: "Enter goes to the account; a asks for consent again; Esc changes the form"
        case .cancelled, .timedOut: "Enter tries again; m takes another method; Esc changes the form"
        case .offline: "Enter tries again; ! lets the doctor look; Esc changes the form"
        case .untrusted: "Nothing was kept. Esc goes back to the form; ! lets the doctor look"
        case .refused: "Enter tries again; m takes another method; Esc changes the form"
        case .here: "Esc goes back to the form; ! lets the doctor look"
        }
    }
}
