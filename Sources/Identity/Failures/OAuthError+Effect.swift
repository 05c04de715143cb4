extension OAuthError {
    /// The effect of the error: decided by the suberror, then a claims request, then the most specific known
    /// number, then the error's name.
    ///
    /// MSAL for Objective-C treats nearly every error as fixable by a sign-in, and every `access_denied` as canceled by
    /// the user. Here only errors that a sign-in does fix count, so the user is not prompted in vain, and a forgotten
    /// password or a tenant's policy is not a cancel.
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

    /// Whether an `invalid_grant` concerns the sent refresh token, so another token of the same user may work. A
    /// condition (second factor, consent, device) applies to all of them.
    package var isOfTheToken: Bool {
        guard error == "invalid_grant", claims == nil, [nil, "bad_token", "token_expired"].contains(suberror) else {
            return false
        }
        return suberror != nil || codes.allSatisfy(Self.numbersOfTokens.contains)
    }

    /// Expired, revoked, or malformed (AADSTS).
    private static let numbersOfTokens: Set<Int> = [
        50089, 50132, 50133, 50173, 70000, 70002, 70008, 70043, 700_082, 700_084, 9_002_313,
    ]

    /// Whether the client's authentication is missing or wrong. GitHub has its own name for it, and Google and others
    /// send `invalid_request` if the secret is missing.
    package var isOfClientSecret: Bool {
        switch error {
        case "invalid_client", "incorrect_client_credentials": true
        case "invalid_request": description?.asciiLowercased.contains("client_secret") ?? false
        default: false
        }
    }

    package var needsPerson: Bool { effect == .signIn }

    /// The product that the numbers belong to, from the description.
    package var origin: ServerCode.Origin {
        description.flatMap { ServerCode.mentions(in: $0).first?.origin } ?? .entra
    }

    /// Those that say most; the first one decides.
    package var knownCodes: [ServerCode] { ServerCode.known(codes, origin: origin, error: error) }

    /// The numbers of the response, or those in the description: redirects, B2C and AD FS have them only there.
    static func numbers(_ codes: [Int], in description: String?) -> [Int] {
        guard codes.isEmpty, let description else { return codes }
        let mentions = ServerCode.mentions(in: description)
        return mentions.filter { $0.origin == mentions.first?.origin }.map(\.number)
    }
}
