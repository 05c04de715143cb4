/// The user's decision on a program's token request.
package enum AgentPermission: String, Hashable, Sendable, CaseIterable {
    case once
    /// Allows until the agent exits.
    case session
    case always
    case refuse
    case never

    package var allows: Bool {
        switch self {
        case .once, .session, .always: true
        case .refuse, .never: false
        }
    }
}
