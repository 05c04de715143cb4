import Identity

struct AgentChoice: Equatable, Sendable {
    let name: String
    let facts: String
    /// Nil if the answer changes nothing.
    let order: AgentOrder?

    static func of(_ question: AgentReport.Question) -> [AgentChoice] {
        AgentPermission.allCases.map {
            AgentChoice(name: $0.name, facts: $0.facts, order: .answer(id: question.id, $0))
        }
    }

    /// The answer that changes nothing comes first.
    static func of(_ forwarding: AgentReport.Forwarding) -> [AgentChoice] {
        guard !forwarding.isEnded else { return [] }
        return [
            AgentChoice(name: "Keep open", facts: "[forward] settings apply.", order: nil),
            AgentChoice(
                name: "Close", facts: "This connection gets no more tokens.",
                order: .endForwarding(id: forwarding.id)),
        ]
    }
}

extension AgentPermission {
    var name: String {
        switch self {
        case .once: "Allow once"
        case .session: "Allow until the agent stops"
        case .always: "Always allow"
        case .refuse: "Refuse"
        case .never: "Never allow"
        }
    }

    var facts: String {
        switch self {
        case .once: "Pending requests get the token."
        case .session: "Until the agent stops, for this program, client, account and scopes."
        case .always: "Permanent, for this program, client, account and scopes."
        case .refuse: "Pending requests are refused."
        case .never: "Permanent, for this program, client, account and scopes."
        }
    }
}
