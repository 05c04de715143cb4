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
