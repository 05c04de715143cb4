package import Identity
import StrictJSON

/// Links the steps of one native sign-in; valid for the next step only.
package struct ContinuationToken: Hashable, Sendable {
    let secret: Secret

    init?(_ object: JSONObject) {
        guard let text = object["continuation_token"]?.string, (1...16_384).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        secret = Secret(text)
    }
}

/// The result of a step of native authentication.
package enum NativeAnswer<Next: Sendable>: Sendable {
    case next(Next)
    /// The provider requires a browser for the rest (`challenge_type=redirect`), perhaps with a reason.
    case browser(reason: String?)
    case refused(NativeRefusal)
}

/// A refusal in native authentication, with the provider's error.
package struct NativeRefusal: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        case userNotFound, userExists
        case wrongPassword, wrongCode
        /// The account has no password and signs in with one-time codes.
        case noPassword
        case unfitPassword(PasswordProblem)
        case unfitAttributes
        /// The continuation token has expired: start again.
        case expired
        case resetRequired
        /// Unsupported method, or blocked by the provider.
        case unsupported, blocked
        case other
    }

    package enum PasswordProblem: String, Hashable, Sendable, CaseIterable {
        case tooWeak = "password_too_weak"
        case tooShort = "password_too_short"
        case tooLong = "password_too_long"
        case invalid = "password_is_invalid"
        case recentlyUsed = "password_recently_used"
        case banned = "password_banned"
    }

    package let reason: Reason
    package let error: OAuthError
    /// Names of rejected attributes.
    package let attributes: [String]

    init(_ error: OAuthError, attributes: [String] = []) {
        self.error = error
        self.attributes = attributes
        reason = Self.reason(error)
    }

    private static func reason(_ error: OAuthError) -> Reason {
        if let problem = error.suberror.flatMap({ PasswordProblem(rawValue: $0) }) { return .unfitPassword(problem) }
        switch error.suberror {
        case "invalid_oob_value": return .wrongCode
        case "attribute_validation_failed": return .unfitAttributes
        case "provider_blocked_by_rep": return .blocked
        default: break
        }
        for (code, reason) in codes where error.codes.contains(code) { return reason }
        switch error.error {
        case "user_not_found": return .userNotFound
        case "user_already_exists": return .userExists
        case "expired_token": return .expired
        case "unsupported_challenge_type": return .unsupported
        default: return .other
        }
    }

    /// Entra error numbers, for when the error itself is too vague.
    private static let codes: [(Int, Reason)] = [
        (50034, .userNotFound), (50126, .wrongPassword), (500_222, .noPassword), (50142, .resetRequired),
        (901_001, .unsupported),
    ]
}

/// The next prompt for the user.
package enum NativeChallenge: Hashable, Sendable {
    case password(ContinuationToken)
    case code(NativeCode)
    /// Several methods: get them with ``NativeAuthentication/methods(_:)`` and choose one.
    case choose(ContinuationToken)
}

package struct NativeCode: Hashable, Sendable {
    package let continuation: ContinuationToken
    /// The masked destination from the provider (`a***@example.org`), cleaned; can be empty.
    package let sentTo: String
    /// `email`, `sms`, …; can be empty.
    package let channel: String
    /// In characters, if the provider says.
    package let length: Int?
}

/// A verification method for the user to choose.
package struct NativeMethod: Hashable, Sendable {
    package let id: String
    package let channel: String
    /// The masked destination of a code.
    package let target: String
}

package struct NativeMethods: Hashable, Sendable {
    package let continuation: ContinuationToken
    package let methods: [NativeMethod]
}

package enum NativeTokens: Sendable {
    case granted(TokenGrant)
    /// A second factor is required: ``NativeAuthentication/challenge(_:method:)``.
    case secondFactor(ContinuationToken)
    /// A second factor must be registered: ``NativeAuthentication/registrationMethods(_:)``.
    case registration(ContinuationToken)
}

package struct NativeAttribute: Hashable, Sendable {
    package let name: String
    package let isRequired: Bool
    /// The provider's regular expression, for display only: a pattern from outside is never evaluated.
    package let pattern: String?
}

/// The next step of a sign-up.
package enum NativeSignUp: Hashable, Sendable {
    /// Signed up; ``NativeAuthentication/tokens(for:username:scopes:)`` signs in.
    case done(ContinuationToken)
    case password(ContinuationToken)
    case attributes(ContinuationToken, [NativeAttribute])
    /// A code is required: ``NativeAuthentication/challengeSignUp(_:)``.
    case verification(ContinuationToken)
}

package enum NativeReset: Hashable, Sendable {
    case done(ContinuationToken?)
    /// Poll again after this many seconds.
    case wait(ContinuationToken, seconds: Int)
    case failed
}

extension NativeAttribute {
    init?(_ value: JSONValue) {
        guard let name = value["name"]?.string, (1...128).contains(name.utf8.count) else { return nil }
        self.name = OAuthError.clean(name, limit: 128)
        isRequired = value["required"]?.bool ?? true
        pattern = value["options"]?["regex"]?.string.map { OAuthError.clean($0, limit: 200) }
    }
}

extension NativeMethod {
    init?(_ value: JSONValue) {
        guard let id = value["id"]?.string, (1...512).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
        else {
            return nil
        }
        self.id = id
        channel = OAuthError.clean(value["challenge_channel"]?.string ?? "", limit: 40)
        target = OAuthError.clean(
            value["login_hint"]?.string ?? value["challenge_target_label"]?.string ?? "", limit: 200)
    }
}
