extension Failure.Code {
    /// The exit status that scripts rely on; values from 64 on follow sysexits(3).
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
