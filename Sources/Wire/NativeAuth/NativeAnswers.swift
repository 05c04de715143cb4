import Identity
import StrictJSON

/// What ties the steps of one native sign-in together; good for the next step only.
package struct ContinuationToken: Hashable, Sendable {
    let secret: Secret

    /// Nil when the answer has none that could be sent back.
    init?(_ object: JSONObject) {
        guard let text = object["continuation_token"]?.string, (1...16_384).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        secret = Secret(text)
    }
}

/// How a step of native authentication ended.
package enum NativeAnswer<Next: Sendable>: Sendable {
    case next(Next)
    /// The provider wants a browser for the rest (`challenge_type=redirect`), and may say why.
    case browser(reason: String?)
    case refused(NativeRefusal)
}

/// A refusal of native authentication: what the person can do about it, and the provider's own words.
package struct NativeRefusal: Hashable, Sendable {
    /// The situations that differ in what comes next.
    package enum Reason: Hashable, Sendable {
        case userNotFound, userExists
        case wrongPassword, wrongCode
        /// The account has no password: the one-time code is its way in.
        case noPassword
        /// The new password is not accepted.
        case unfitPassword(PasswordProblem)
        case unfitAttributes
        /// Begin again: the continuation token has expired.
        case expired
        /// The password must be reset first.
        case resetRequired
        /// The way of signing in is not offered here, or the provider blocks it.
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
    /// The names of attributes that were not accepted.
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

    /// The numbers of Entra's token service, where the error itself says too little.
    private static let codes: [(Int, Reason)] = [
        (50034, .userNotFound), (50126, .wrongPassword), (500_222, .noPassword), (50142, .resetRequired),
        (901_001, .unsupported),
    ]
}

/// What the person is asked for next.
package enum NativeChallenge: Hashable, Sendable {
    case password(ContinuationToken)
    case code(NativeCode)
    /// There are several ways: ask ``NativeAuthentication/methods(_:)`` for them and choose one.
    case choose(ContinuationToken)
}

/// A one-time code that was sent.
package struct NativeCode: Hashable, Sendable {
    package let continuation: ContinuationToken
    /// Where to, as the provider shows it (`a***@example.org`), cleaned; empty when it does not say.
    package let sentTo: String
    /// `email`, `sms`, …; empty when the provider does not say.
    package let channel: String
    /// How many characters it has; nil when the provider does not say.
    package let length: Int?
}

/// A way of proving who one is, for the person to choose.
package struct NativeMethod: Hashable, Sendable {
    package let id: String
    package let channel: String
    /// Where a code would go, as the provider shows it.
    package let target: String
}

package struct NativeMethods: Hashable, Sendable {
    package let continuation: ContinuationToken
    package let methods: [NativeMethod]
}

/// What the token endpoint gave.
package enum NativeTokens: Sendable {
    case granted(TokenGrant)
    /// A second factor first: ``NativeAuthentication/challenge(_:method:)``.
    case secondFactor(ContinuationToken)
    /// A second factor must be set up first: ``NativeAuthentication/registrationMethods(_:)``.
    case registration(ContinuationToken)
}

/// An attribute that a sign-up asks for.
package struct NativeAttribute: Hashable, Sendable {
    package let name: String
    package let isRequired: Bool
    /// What its values must match, as the provider writes it, for showing only: a pattern from outside is never run.
    package let pattern: String?
}

/// What a sign-up still needs.
package enum NativeSignUp: Hashable, Sendable {
    /// Signed up; ``NativeAuthentication/tokens(for:username:scopes:)`` signs in.
    case done(ContinuationToken)
    case password(ContinuationToken)
    case attributes(ContinuationToken, [NativeAttribute])
    /// The code must be entered first: ``NativeAuthentication/challengeSignUp(_:)``.
    case verification(ContinuationToken)
}

/// How far a password reset is.
package enum NativeReset: Hashable, Sendable {
    case done(ContinuationToken?)
    /// Ask again after so many seconds.
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
