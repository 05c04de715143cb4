/// What a person says to the question whether a program may have a token.
package enum AgentPermission: String, Hashable, Sendable, CaseIterable {
    /// Those that wait for the answer may.
    case once
    /// As long as the agent runs.
    case session
    case always
    /// Those that wait for the answer may not.
    case refuse
    case never

    package var allows: Bool {
        switch self {
        case .once, .session, .always: true
        case .refuse, .never: false
        }
    }
}
