import Identity

/// What the person can say to an entry of the agent's page that is read.
struct AgentChoice: Equatable, Sendable {
    let name: String
    let facts: String
    /// Nil where nothing is to be done.
    let order: AgentOrder?

    static func of(_ question: AgentReport.Question) -> [AgentChoice] {
        AgentPermission.allCases.map {
            AgentChoice(name: $0.name, facts: $0.facts, order: .answer(id: question.id, $0))
        }
    }

    /// The one that changes nothing stands first.
    static func of(_ forwarding: AgentReport.Forwarding) -> [AgentChoice] {
        guard !forwarding.isEnded else { return [] }
        return [
            AgentChoice(name: "Let it go on", facts: "It is served as the settings say.", order: nil),
            AgentChoice(
                name: "End it", facts: "This connection gets no more tokens.",
                order: .endForwarding(id: forwarding.id)),
        ]
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
