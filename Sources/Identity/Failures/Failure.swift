// Failures/ holds the reasons and the trace of a failed acquisition. Explain describes provider error codes.

public import FoundationEssentials

/// The error of an acquisition, a removal or a sign-out. The library, scripts and screens share this closed set.
public struct Failure: Error, Hashable, Sendable {
    /// The kinds of failure. Raw values are part of `--json` output; each maps to an exit status of the program.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The user must sign in. The only code after which the silent-first call prompts.
        case interactionRequired
        /// Some scopes were not granted; the tokens for the granted ones are saved.
        case declinedScopes
        /// The provider refused for a reason that signing in does not fix.
        case serverError
        /// Unreachable, timed out or throttled. Trying again later can help.
        case unavailable
        /// The store cannot be read, written or locked; nothing was changed.
        case storeError
        /// The named account does not exist.
        case notFound
        /// Several accounts match, and the request names none.
        case ambiguous
        /// A response failed a security check.
        case untrustedResponse
        /// The call itself is invalid, for example because of malformed claims JSON; the caller must change it.
        case usage
        /// A malformed file or token.
        case invalidInput
        /// The configuration does not work with the provider or this machine: proxy, certificate file, endpoints.
        case configuration
        /// The user cancelled or declined.
        case cancelled
    }

    /// The reason for `interactionRequired` after an interactive sign-in in which the provider reported no error.
    public enum SignInProblem: String, Hashable, Sendable, CaseIterable {
        /// The code or the dialog expired before the user responded.
        case nobodyAnswered
        /// The user signed in with a different account than the requested one.
        case otherAccount
        /// Too many failed attempts.
        case wrongAnswers
        /// There is no such account, or none that can sign in this way.
        case account
    }

    /// The kind of failure; programs decide by it.
    public var code: Code
    /// The fact: lower case, no full stop, no secret.
    public var message: String
    /// The next step, if there is one.
    public var hint: Hint?
    /// `error` of RFC 6749 section 5.2, as the provider wrote it.
    public var oauthError: String?
    /// `suberror` of Entra ID's responses, such as `basic_action` or `consent_required`.
    public var suberror: String?
    /// The provider's error codes: AADSTS, or those of ``serverCodeOrigin``.
    public var serverCodes: [Int]
    /// The provider family that defines ``serverCodes``.
    public var serverCodeOrigin: ServerCode.Origin
    /// The provider's `error_description`, truncated, without control characters.
    public var oauthDescription: String?
    /// The claims request that the next sign-in must include.
    public var claims: String?
    /// The correlation ID of the response, else of the request; nil for calls without one, such as a removal.
    public var correlationID: UUID?
    /// For `declinedScopes`: the granted scopes.
    public var grantedScopes: ScopeSet
    /// For `declinedScopes`: the requested scopes that were not granted.
    public var declinedScopes: ScopeSet
    /// For `declinedScopes`: the token for the granted scopes, ready to use (MSAL's `MSALInvalidResultKey`). For
    /// `serverError`: the saved result of a sign-in or refresh that returned an ID token but no access token.
    public var result: AcquiredToken?
    /// The reason that an interactive sign-in failed, if the code alone does not say it.
    public var signInProblem: SignInProblem?
    /// The steps before the failure.
    public var trail: AcquisitionTrace
    /// The names of users in ``message`` and ``hint``.
    package var names: [String]

    package init(
        _ code: Code, _ message: String, hint: Hint? = nil, oauthError: String? = nil, suberror: String? = nil,
        serverCodes: [Int] = [], claims: String? = nil, correlationID: UUID? = nil, grantedScopes: ScopeSet = [],
        declinedScopes: ScopeSet = [], result: AcquiredToken? = nil, trail: AcquisitionTrace = AcquisitionTrace(),
        serverCodeOrigin: ServerCode.Origin = .entra, oauthDescription: String? = nil,
        signInProblem: SignInProblem? = nil, naming names: [String] = []
    ) {
        self.names = names
        self.code = code
        self.message = message
        self.hint = hint
        self.oauthError = oauthError
        self.suberror = suberror
        self.serverCodes = serverCodes
        self.claims = claims
        self.correlationID = correlationID
        self.grantedScopes = grantedScopes
        self.declinedScopes = declinedScopes
        self.result = result
        self.trail = trail
        self.serverCodeOrigin = serverCodeOrigin
        self.oauthDescription = oauthDescription
        self.signInProblem = signInProblem
    }

    /// The codes as the provider writes them: `AADSTS50076`, `AADB2C90118`.
    public var serverCodeNames: [String] { serverCodes.map { serverCodeOrigin.rawValue + String($0) } }

    /// Whether the same call may succeed later without any change.
    public var mayPass: Bool { code == .unavailable }
}

extension Failure: CustomStringConvertible, CustomReflectable {
    /// Like ``message``, for a log: with `<masked>` in place of each user's name and of the provider's description.
    public var maskedMessage: String { NameMask.masked(message, hiding: hidden) }

    /// The strings of the message that a log must not show.
    package var hidden: [String] {
        let said = oauthDescription.map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }
        return names + (said.map { [$0] } ?? [])
    }

    /// ``maskedMessage`` and the next step, masked as well: `no usable token for <masked>; sign in`.
    public var description: String {
        maskedMessage + (nextStep.map { "; " + NameMask.masked($0.description, hiding: hidden) } ?? "")
    }
    /// No children, so `dump` shows no names.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
