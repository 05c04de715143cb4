package import Identity

extension OAuthError {
    /// What a client has to make of the refusal: the suberror decides, then a claims request, then the first number
    /// that is known, then the error's name.
    ///
    /// MSAL for Objective-C takes nearly every error for one that a sign-in mends, and every `access_denied` for a
    /// person who gave up; here only those count that a sign-in does mend, so that nobody is asked in vain, and a
    /// forgotten password or a rule of the tenant is told from a cancel.
    package var effect: ServerCode.Effect {
        switch suberror {
        case "message_only", "protection_policy_required", "client_mismatch", "device_authentication_failed":
            return .refused
        case "basic_action", "additional_action", "user_password_expired", "bad_token", "token_expired",
            "user_account_deleted":
            return .signIn
        default: break
        }
        if claims != nil { return .signIn }
        if let known = knownCodes.first { return known.effect }
        switch error {
        case "access_denied", "authorization_declined": return .cancelled
        case "invalid_grant", "interaction_required", "login_required", "consent_required",
            "account_selection_required",
            "insufficient_claims", "expired_token", "code_expired":
            return .signIn
        case "temporarily_unavailable": return .passing
        default: return suberror == "consent_required" ? .signIn : .refused
        }
    }

    /// Whether an `invalid_grant` is about the refresh token that was sent, so that another one of the same person may
    /// do. Where a condition is named (a second factor, consent, a device), it has to be met whichever is sent.
    package var isOfTheToken: Bool {
        guard error == "invalid_grant", claims == nil, [nil, "bad_token", "token_expired"].contains(suberror) else {
            return false
        }
        return suberror != nil || codes.allSatisfy(Self.numbersOfTokens.contains)
    }

    /// Expired, called back, or malformed (AADSTS).
    private static let numbersOfTokens: Set<Int> = [
        50089, 50132, 50133, 50173, 70000, 70002, 70008, 70043, 700_082, 700_084, 9_002_313,
    ]

    /// Whether a sign-in by a person mends it.
    package var needsPerson: Bool { effect == .signIn }

    /// Whose numbers the codes are, as the description tells.
    package var origin: ServerCode.Origin {
        description.flatMap { ServerCode.mentions(in: $0).first?.origin } ?? .entra
    }

    /// The numbers that are known.
    package var knownCodes: [ServerCode] { ServerCode.known(codes, origin: origin, error: error) }

    /// The numbers that came, or those that the description mentions: an answer by a redirect, B2C and AD FS name them
    /// nowhere else.
    static func numbers(_ codes: [Int], in description: String?) -> [Int] {
        guard codes.isEmpty, let description else { return codes }
        let mentions = ServerCode.mentions(in: description)
        return mentions.filter { $0.origin == mentions.first?.origin }.map(\.number)
    }
}
