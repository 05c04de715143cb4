import AppModel
import CommandSupport
import StrictJSON
import TokenCache

// Notifies the user on every page that a program's request is pending.
extension EffectRunner {
    private nonisolated static func interval(_ place: AgentPlace) -> Duration {
        place.exists ? .seconds(2) : .seconds(15)
    }
    /// The most requests that are reported one by one.
    private nonisolated static let mostQuestions = 100

    /// Queries the agent only if a client is connected to it; the interface never waits for it.
    func watchForQuestions() {
        guard recent != nil else { return }
        let (send, place) = (send, AgentPlace(session.environment))
        aside {
            var last: [String] = []
            while (try? await Task.sleep(for: Self.interval(place))) != nil {
                let questions = await BlockingExecutor.run { Self.questions(place) }
                if questions != last { send(.waiting(questions)) }
                last = questions
            }
        }
    }

    private nonisolated static func questions(_ place: AgentPlace) -> [String] {
        guard place.hasVisitors, let agent = try? AgentConnection(place), let answer = agent.ask(.requests) else {
            return []
        }
        return (answer["requests"]?.array ?? []).prefix(mostQuestions).compactMap { $0["id"]?.string }
    }
}
