import AppModel
import CommandSupport
import StrictJSON
import TokenCache

// Tells the person, on whatever page, that a program waits for an answer.
extension EffectRunner {
    private static let interval: Duration = .seconds(2)
    /// An agent may be asked by so many programs; more are not told of one by one.
    private nonisolated static let mostQuestions = 100

    /// Looks until the interface ends. An agent is only asked when somebody is connected to it, and nobody waits here.
    func watchForQuestions() {
        guard recent != nil else { return }
        let (send, place) = (send, AgentPlace(session.environment))
        aside {
            var last: [String] = []
            while (try? await Task.sleep(for: Self.interval)) != nil {
                let questions = await BlockingExecutor.run { Self.questions(place) }
                if questions != last { send(.waiting(questions)) }
                last = questions
            }
        }
    }

    /// The identifiers of those that wait at the agent.
    private nonisolated static func questions(_ place: AgentPlace) -> [String] {
        guard place.hasVisitors, let agent = try? AgentConnection(place), let answer = agent.ask(.requests) else {
            return []
        }
        return (answer["requests"]?.array ?? []).prefix(mostQuestions).compactMap { $0["id"]?.string }
    }
}
