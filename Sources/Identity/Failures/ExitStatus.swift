extension Failure.Code {
    /// The exit status that scripts rely on; those from 64 on are of sysexits(3).
    package var exitStatus: Int32 {
        switch self {
        case .interactionRequired: 3
        case .declinedScopes: 4
        case .serverError: 5
        case .unavailable: 6
        case .storeError: 7
        case .notFound, .ambiguous: 8
        case .untrustedResponse: 9
        case .usage: 64
        case .invalidInput: 65
        case .configuration: 78
        case .cancelled: 130
        }
    }
}

extension Failure {
    /// What to do: the hint, or the usual one where the place that failed had nothing more exact to say.
    package var nextStep: String? { hint ?? usualHint }

    private var usualHint: String? {
        switch code {
        case .interactionRequired: "run \"foyer sign-in\""
        case .unavailable: "try again later; \"--verbose\" shows what was tried"
        // Only of what the provider itself refused is there anything to look up.
        case .serverError: oauthError == nil ? nil : "the provider's administrator can look the correlation id up"
        case .untrustedResponse: "nothing was stored; check the authority and who is between you and it"
        case .cancelled: "run the command again, if it was not meant so"
        case .notFound: "see what there is with \"foyer accounts\""
        case .declinedScopes: "sign in again and grant them, or ask for fewer: run \"foyer scopes\""
        case .storeError: "run \"foyer doctor\""
        case .ambiguous, .usage, .invalidInput, .configuration: nil
        }
    }
}
