import Identity

struct AgentChoice: Equatable, Sendable {
    let name: String
    let facts: String
    /// Nil if the answer changes nothing.
    let order: AgentOrder?

    static func of(_ question: AgentReport.Question) -> [AgentChoice] {
        AgentPermission.allCases.map {
            AgentChoice(name: $0.words.name, facts: $0.words.facts, order: .answer(id: question.id, $0))
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
    fileprivate var words: (name: String, facts: String) {
        switch self {
        case .once: ("Allow once", "Pending requests get the token.")
        case .session:
            ("Allow until the agent stops", "Until the agent stops, for this program, client, account and scopes.")
        case .always: ("Always allow", "Permanent, for this program, client, account and scopes.")
        case .refuse: ("Refuse", "Pending requests are refused.")
        case .never: ("Never allow", "Permanent, for this program, client, account and scopes.")
        }
    }
}
