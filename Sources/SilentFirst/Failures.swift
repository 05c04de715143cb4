import FoundationEssentials
package import Identity
package import TokenCache
package import Wire

// How the rooms below translate into the one closed set. No switch has a default, so that a new situation cannot be silent.

extension Failure {
    package init(_ error: StoreError) {
        self.init(error.situation == .cancelled ? .cancelled : .storeError, error.message, hint: error.hint)
    }

    package init(_ error: WireError) {
        let code: Code
        switch error {
        case .unreachable, .timedOut, .throttled, .serverFailure, .proxy: code = .unavailable
        case .tooLarge, .redirected, .notJSON, .tls, .untrusted: code = .untrustedResponse
        case .badEndpoint: code = .untrustedResponse
        case .unsupported: code = .serverError
        case .cancelled: code = .cancelled
        case .refused(let refusal):
            self.init(refusal)
            return
        }
        self.init(code, error.message, hint: error.hint)
    }

    package init(_ error: OAuthError) {
        let code: Code
        switch error.error {
        case "access_denied", "authorization_declined": code = .cancelled
        case "expired_token", "code_expired": code = .interactionRequired
        case "temporarily_unavailable": code = .unavailable
        default: code = error.needsPerson ? .interactionRequired : .serverError
        }
        let words: String
        switch code {
        case .cancelled: words = "the sign-in was declined"
        case .interactionRequired where error.error == "expired_token" || error.error == "code_expired":
            words = "the code expired before it was used"
        case .interactionRequired: words = "the provider no longer accepts this sign-in (\(error.error))"
        case .unavailable: words = "the provider is not available for now"
        default: words = "the provider refused (\(error.error))"
        }
        let said = error.description.map { ": " + $0 } ?? ""
        self.init(
            code, words + said, oauthError: error.error, suberror: error.suberror, serverCodes: error.codes, claims: error.claims,
            correlationID: error.correlationID.flatMap { UUID(uuidString: $0) })
    }
}
