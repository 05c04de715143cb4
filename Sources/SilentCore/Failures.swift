import Explain
import FoundationEssentials
package import Identity
package import TokenCache

// Maps the errors of the lower targets to failures. No switch has a default, so the compiler finds every new case.

extension Failure {
    /// For the refresh lock: a timeout means that another call is still refreshing, not that the store has a problem.
    package init(refreshLock error: StoreError) {
        guard case .locked = error.situation else {
            self.init(error)
            return
        }
        self.init(
            .unavailable, "timed out waiting for another refresh of this account",
            hint: .checkProvider)
    }

    /// The requested scopes yield no access token.
    ///
    /// - Parameter result: the saved response; nil if nothing was sent.
    package static func noAccessToken(_ result: AcquiredToken? = nil) -> Failure {
        Failure(
            .serverError,
            result == nil
                ? "no access token requested: Azure AD B2C issues none for openid and profile alone"
                : "the provider returned an ID token but no access token",
            hint: "request an API scope; Azure AD B2C also accepts the client ID as a scope",
            correlationID: result?.correlationID, result: result)
    }

    /// The provider rejected a family refresh token from this client. Keeps the provider's error; signing in fixes it.
    package init(notInFamily error: OAuthError) {
        self.init(error)
        code = .interactionRequired
        message = "this client is not in the family of the cached refresh token (\(error.error))"
        hint = nil
    }

    package init(_ error: WireError, inSignIn: Bool = false) {
        let code: Code
        switch error {
        case .unreachable, .timedOut, .throttled, .serverFailure, .proxy: code = .unavailable
        case .tooLarge, .redirected, .notJSON, .tls, .untrusted: code = .untrustedResponse
        case .badEndpoint: code = .untrustedResponse
        case .unsupported: code = .serverError
        case .proxySetting, .trustFile: code = .configuration
        case .cancelled: code = .cancelled
        case .refused(let refusal):
            self.init(refusal, inSignIn: inSignIn)
            return
        }
        self.init(code, error.message, hint: error.hint)
    }

    /// A refusal, with the provider's own error names and the next step.
    ///
    /// - Parameter inSignIn: whether an interactive sign-in was refused, rather than a cached token.
    package init(_ error: OAuthError, inSignIn: Bool = false) {
        let code: Code =
            switch error.effect {
            case .signIn: .interactionRequired
            case .refused: .serverError
            case .passing: .unavailable
            case .cancelled: .cancelled
            }
        // If the suberror says that a sign-in does not help, ignore a number that says it does.
        let known = error.knownCodes.first.flatMap { error.effect == .refused && $0.effect == .signIn ? nil : $0 }
        let meaning = known?.meaning?.stating(error.description)
        let message: String
        if let meaning {
            message = "\(meaning.explanation) (\(error.error), \(meaning.label))"
        } else {
            message =
                Self.words(for: error, code, inSignIn)
                + (error.description.map { ": " + ($0.hasSuffix(".") ? String($0.dropLast()) : $0) } ?? "")
        }
        self.init(
            code, message,
            hint: meaning.map { Self.hint($0, isMendedBySignIn: known?.isMendedBySignIn == true, inSignIn) }
                ?? Self.hint(for: error, code, inSignIn),
            oauthError: error.error,
            suberror: error.suberror,
            serverCodes: error.codes, claims: error.claims,
            correlationID: error.correlationID.flatMap { UUID(uuidString: $0) },
            serverCodeOrigin: error.origin, oauthDescription: error.description)
    }

    private static func words(for error: OAuthError, _ code: Code, _ inSignIn: Bool) -> String {
        switch (code, error.suberror, error.error) {
        case (.cancelled, _, _): "the sign-in was declined"
        case (_, "message_only", _):
            "the provider has a message for you; signing in again does not help (\(error.error))"
        case (_, "protection_policy_required", _):
            "the tenant requires an app protection policy, which this client does not support"
        case (_, "client_mismatch", _): "the refresh token belongs to a family that this client is not in"
        case (_, "device_authentication_failed", _):
            "the tenant requires a registered device, and this one did not authenticate"
        case (_, "user_account_deleted", _): "the account was deleted at the provider"
        case (_, "user_password_expired", _): "the password has expired"
        case (_, "consent_required", _), (_, _, "consent_required"):
            "consent is required (\(error.error))"
        case (_, "basic_action", _), (_, "additional_action", _):
            "the provider requires another step (\(error.error))"
        case (_, _, "expired_token"), (_, _, "code_expired"): "the code expired before it was used"
        case (.interactionRequired, _, "invalid_grant") where inSignIn:
            "the provider rejected the authorization code (invalid_grant)"
        case (.interactionRequired, _, _) where inSignIn:
            "the provider requires interaction (\(error.error))"
        case (.interactionRequired, _, _): "the provider rejected the refresh token (\(error.error))"
        case (.unavailable, _, _): "the provider is temporarily unavailable"
        default: "the provider refused (\(error.error))"
        }
    }

    private static func signIn(_ remedy: String, _ inSignIn: Bool) -> Hint {
        inSignIn ? "\(remedy): start the sign-in again" : .signInWith(remedy: remedy)
    }

    private static func hint(_ meaning: ServerCodeMeaning, isMendedBySignIn: Bool, _ inSignIn: Bool) -> Hint {
        guard isMendedBySignIn, case .text(let remedy) = meaning.remedy else { return meaning.remedy }
        return signIn(remedy, inSignIn)
    }

    private static func hint(for error: OAuthError, _ code: Code, _ inSignIn: Bool) -> Hint? {
        switch (code, error.suberror, error.error) {
        case (_, "message_only", _): "open the provider's page in a browser, and ask the tenant's administrator"
        case (_, "protection_policy_required", _), (_, "device_authentication_failed", _):
            "use a device that the organization manages"
        case (.interactionRequired, "consent_required", _), (.interactionRequired, _, "consent_required"):
            signIn("sign in and consent", inSignIn)
        case (_, "user_account_deleted", _): signIn("sign in with another account", inSignIn)
        case (.cancelled, _, _):
            inSignIn ? "sign in again" : .signInAgain
        case _ where error.isOfClientSecret && error.hadClientSecret: "check the client ID and its secret"
        case _ where error.isOfClientSecret: .setClientSecret(isRequired: error.error != "invalid_client")
        case (_, _, "unauthorized_client"):
            "check the client ID, and that its registration allows public clients"
        case (_, _, "invalid_scope"): "check the spelling of the scopes"
        case (_, _, "invalid_tenant"): "check the tenant in the authority"
        case (.interactionRequired, _, "invalid_grant") where inSignIn:
            """
            start the sign-in again; if that is refused too, check the registered redirect URI and this machine's \
            clock
            """
        case (.interactionRequired, _, _) where inSignIn: "start the sign-in again"
        default: nil
        }
    }
}
