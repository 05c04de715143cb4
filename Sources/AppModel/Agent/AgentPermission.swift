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

extension AgentPermission {
    var name: String {
        switch self {
        case .once: "Allow once"
        case .session: "Allow while the agent runs"
        case .always: "Always allow"
        case .refuse: "Refuse"
        case .never: "Never allow"
        }
    }

    var facts: String {
        switch self {
        case .once: "Those that wait now get the token."
        case .session: "Holds until the agent ends, for this program, client, account and scopes."
        case .always: "Holds for good, for this program, client, account and scopes."
        case .refuse: "Those that wait now get none."
        case .never: "Holds for good, for this program, client, account and scopes."
        }
    }
}
