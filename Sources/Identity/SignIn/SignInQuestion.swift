/// A prompt of a sign-in without a browser (native authentication of Entra External ID).
public enum SignInQuestion: Hashable, Sendable {
    /// The username to sign in with.
    case username
    /// - Parameter problem: the reason the last reply was rejected; nil the first time.
    case password(username: String, problem: String?)
    /// A one-time code.
    /// - Parameters:
    ///   - sentTo: the destination, as the provider shows it; may be empty.
    ///   - length: the number of characters, if known.
    case code(sentTo: String, length: Int?, problem: String?)
    /// A password to set.
    case newPassword(problem: String?)
    /// An attribute that a sign-up collects.
    /// - Parameter hint: the format that the provider requires, for display only.
    case attribute(name: String, isRequired: Bool, hint: String?, problem: String?)
    /// The verification methods; the reply is ``SignInReply/choice(_:)``.
    case choose([String])

    /// Whether the input must be hidden.
    public var isSecret: Bool {
        switch self {
        case .password, .newPassword: true
        case .username, .code, .attribute, .choose: false
        }
    }

    /// The prompt, without a question mark.
    public var words: String {
        switch self {
        case .username: "email address"
        case .password(let username, _): "password of \(username) (empty: forgotten)"
        case .code(let sentTo, let length, _):
            "code" + (length.map { " of \($0) characters" } ?? "")
                + (sentTo.isEmpty ? "" : " sent to \(sentTo)")
                + " (empty: send another)"
        case .newPassword: "new password"
        case .attribute(let name, let isRequired, let hint, _):
            name + (hint.map { " (\($0))" } ?? "") + (isRequired ? "" : " (optional)")
        case .choose: "verification method"
        }
    }

    /// The reason the last reply was rejected.
    public var problem: String? {
        switch self {
        case .password(_, let problem), .code(_, _, let problem), .newPassword(let problem),
            .attribute(_, _, _, let problem):
            problem
        case .username, .choose: nil
        }
    }
}

/// The user's reply.
public enum SignInReply: Hashable, Sendable {
    /// The typed text; the prompt says what an empty one means.
    case text(Secret)
    /// The index of the choice, starting at zero.
    case choice(Int)
    /// Continue in a browser.
    case browser
}
