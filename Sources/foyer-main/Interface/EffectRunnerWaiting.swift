import AppModel
import CommandSupport
import FoundationEssentials
import Helpers
import StrictJSON
import TokenCache

// Shows what other processes do while the interface is open.
extension EffectRunner {
    /// The most requests that are reported one by one.
    private nonisolated static let mostQuestions = 100

    /// Notifies the user on every page that a program's request is pending. Queries the agent only if a client is
    /// connected to it; the interface never waits for it.
    func watchForQuestions() {
        guard recent != nil else { return }
        let place = AgentPlace(session.environment)
        var last: [String] = []
        follower.follow(place.paths) { [send] in
            let status = await BlockingExecutor.run { Self.status(place) }
            let questions = (status?["requests"]?.array ?? []).prefix(Self.mostQuestions).compactMap {
                $0["id"]?.string
            }
            if questions != last { send(.waiting(questions)) }
            last = questions
            if let status { send(.agentUses(AgentReport(status).uses)) }
        }.request()
    }

    private nonisolated static func status(_ place: AgentPlace) -> JSONValue? {
        place.hasVisitors ? (try? AgentConnection(place))?.ask(.status) : nil
    }

    /// Reads the store, the settings and the programs' requests again whenever they change.
    ///
    /// - Parameter since: when they were read first.
    func followFiles(since: Date) {
        follower.follow(store.filesRead, since: since) { [reader] in await reader.reload() }
        follower.follow([session.settings.path], since: since) { [weak self, reader, send] in
            await self?.readSettingsAgain()
            await reader.readOtherStores()
            await reader.reload()
            send(.programsChanged)
        }
        // Other programs are run to show their states.
        let environment = session.environmentOfPrograms
        let uses = follower.follow([ProgramUses(environment).path], pause: .seconds(2)) { [send] in
            send(.programUses(await BlockingExecutor.run { ProgramsReport.uses(environment) }))
            send(.programsChanged)
        }
        aside { [send, readActivity] in
            if let date = await BlockingExecutor.run({ readActivity.date }) { send(.activityRead(until: date)) }
            uses.request()
        }
    }
}
