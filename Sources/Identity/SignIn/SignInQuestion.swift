/// What a sign-in without a browser asks the person (native authentication of Entra External ID).
public enum SignInQuestion: Hashable, Sendable {
    case username
    /// - Parameter problem: what was wrong with the last answer, in words; nil the first time.
    case password(username: String, problem: String?)
    /// A one-time code that was sent.
    /// - Parameters:
    ///   - sentTo: where to, as the provider shows it; may be empty.
    ///   - length: how many characters it has, when the provider says.
    case code(sentTo: String, length: Int?, problem: String?)
    /// A password to be set.
    case newPassword(problem: String?)
    /// Something that a sign-up wants to know.
    /// - Parameter hint: the form that the provider wants, for showing only.
    case attribute(name: String, isRequired: Bool, hint: String?, problem: String?)
    /// A way to prove who one is: the answer is ``SignInReply/choice(_:)``.
    case choose([String])

    /// Whether what is typed must not be seen.
    public var isSecret: Bool {
        switch self {
        case .password, .newPassword: true
        case .username, .code, .attribute, .choose: false
        }
    }

    /// The question in words, without a question mark.
    public var words: String {
        switch self {
        case .username: "email address"
        case .password(let username, _): "password of \(username) (empty: forgotten)"
        case .code(let sentTo, let length, _):
            "code" + (length.map { " of \($0) characters" } ?? "")
                + (sentTo.isEmpty ? "" : " that was sent to \(sentTo)")
                + " (empty: send another)"
        case .newPassword: "new password"
        case .attribute(let name, let isRequired, let hint, _):
            name + (hint.map { " (\($0))" } ?? "") + (isRequired ? "" : " (may be left empty)")
        case .choose: "how to prove who you are"
        }
    }

    /// What was wrong with the last answer.
    public var problem: String? {
        switch self {
        case .password(_, let problem), .code(_, _, let problem), .newPassword(let problem),
            .attribute(_, _, _, let problem):
            problem
        case .username, .choose: nil
        }
    }
}

/// The person's answer.
public enum SignInReply: Hashable, Sendable {
    /// What was typed; empty where the question says what that means.
    case text(Secret)
    /// Counted from zero.
    case choice(Int)
    /// The rest in a browser instead.
    case browser
}
