// Failures/ holds why an acquisition failed, and what was tried. What a provider's number
// means in words is Explain's.

public import FoundationEssentials

/// Why an acquisition, a removal or a sign-out failed: one closed set, the same for the library,
/// scripts and screens.
public struct Failure: Error, Hashable, Sendable {
    /// The situations. Raw values are what `--json` prints; each has an exit status in the program.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// A person must sign in. The only code after which the silent-first call asks one.
        case interactionRequired
        /// Some scopes were not granted; the tokens that were are kept.
        case declinedScopes
        /// The provider refused for a reason that a sign-in does not mend.
        case serverError
        /// Not reached, too slow, or asking us to wait. Trying again later can help.
        case unavailable
        /// The store cannot be read, written or locked; nothing was changed.
        case storeError
        /// The account that was named is not there.
        case notFound
        /// Several accounts fit, and none was named.
        case ambiguous
        /// A response failed a security check.
        case untrustedResponse
        /// The call itself cannot be answered, such as a claims request that is no JSON: the caller has to change it.
        case usage
        /// A file or a token that cannot be read as what it should be.
        case invalidInput
        /// What the application was given does not fit the provider or this machine: a proxy, a trust file, endpoints.
        case configuration
        /// The person cancelled, or said no.
        case cancelled
    }

    /// Why a sign-in by a person ended with `interactionRequired` although the provider named no error.
    public enum SignInProblem: String, Hashable, Sendable, CaseIterable {
        /// The code or the dialogue ran out before anybody had answered.
        case nobodyAnswered
        /// Somebody signed in, but not the account that was requested.
        case otherAccount
        /// Too many answers were wrong.
        case wrongAnswers
        /// There is no such account, or none that can sign in this way.
        case account
    }

    /// The situation, which is what a program decides by.
    public var code: Code
    /// What is so: lower case, no full stop, no secret.
    public var message: String
    /// What to do, where something can be done.
    public var hint: Hint?
    /// `error` of RFC 6749 section 5.2, as the provider wrote it.
    public var oauthError: String?
    /// `suberror` of Entra ID's answers, such as `basic_action` or `consent_required`.
    public var suberror: String?
    /// The provider's numbers: AADSTS, or those of ``serverCodeOrigin``.
    public var serverCodes: [Int]
    /// Whose numbers they are.
    public var serverCodeOrigin: ServerCode.Origin
    /// `error_description` in the provider's own words, bounded, without control characters.
    public var oauthDescription: String?
    /// The claims request that the next sign-in must carry.
    public var claims: String?
    /// The one that the provider answered with, else the request's, to look up in the provider's logs; nil for calls
    /// without a request, such as a removal.
    public var correlationID: UUID?
    /// With `declinedScopes`: those that were granted.
    public var grantedScopes: ScopeSet
    /// With `declinedScopes`: those that were asked for and not granted.
    public var declinedScopes: ScopeSet
    /// With `declinedScopes`: what was granted all the same, ready to be used (MSAL's `MSALInvalidResultKey`). With
    /// `serverError`: the sign-in or refresh that brought an ID token and no access token, and is stored.
    public var result: AcquiredToken?
    /// Where the code alone does not say why a person's sign-in ended.
    public var signInProblem: SignInProblem?
    /// What was tried before.
    public var trail: AcquisitionTrace

    /// - Parameters:
    ///   - message: lower case, no full stop, no secret; text from outside in it is bounded.
    ///   - oauthDescription: already bounded and without control characters.
    package init(
        _ code: Code, _ message: String, hint: Hint? = nil, oauthError: String? = nil, suberror: String? = nil,
        serverCodes: [Int] = [], claims: String? = nil, correlationID: UUID? = nil, grantedScopes: ScopeSet = [],
        declinedScopes: ScopeSet = [], result: AcquiredToken? = nil, trail: AcquisitionTrace = AcquisitionTrace(),
        serverCodeOrigin: ServerCode.Origin = .entra, oauthDescription: String? = nil,
        signInProblem: SignInProblem? = nil
    ) {
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

    /// The numbers as the provider writes them: `AADSTS50076`, `AADB2C90118`.
    public var serverCodeNames: [String] { serverCodes.map { serverCodeOrigin.rawValue + String($0) } }

    /// Whether the same call may succeed later without anybody doing anything.
    public var mayPass: Bool { code == .unavailable }
}
