import AppModel
import CommandSupport
import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import TokenCache

// The interface's use of the agent, by the same calls as the commands.
extension EffectRunner {
    func lookAtAgent(_ id: RequestID) {
        let (send, environment) = (send, session.environment)
        aside {
            let report = await BlockingExecutor.run { AgentReport.of(environment) }
            send(.reply(.agent(report), id))
        }
    }

    func carryOut(_ order: AgentOrder) {
        let (send, session) = (send, session)
        aside {
            let words = await BlockingExecutor.run {
                do throws(Failure) { return try order.carriedOut(by: session) } catch { return error.message }
            }
            send(.notice(words))
        }
    }
}

extension AgentOrder {
    fileprivate func carriedOut(by session: CommandContext) throws(Failure) -> String {
        let environment = session.environment
        switch self {
        case .start:
            if try AgentCommand.connection(environment) == nil { try AgentStart(environment: environment).run() }
            return "agent started"
        case .stop:
            if let agent = try AgentCommand.connection(environment) { try AgentCommand.Stop.stop(agent) }
            return "agent stopped"
        case .lock:
            return AgentCommand.Lock.words(try AgentCommand.Lock.lock(AgentCommand.running(environment), session))
        case .unlock(let passphrase):
            _ = try AgentCommand.answer(AgentCommand.running(environment), .unlock(passphrase: passphrase))
            return "agent unlocked"
        case .endForwarding(let id):
            _ = try AgentCommand.answer(AgentCommand.running(environment), .endForwarding(id: id))
            return "connection closed"
        case .answer(let id, let permission):
            _ = try AgentCommand.answer(AgentCommand.running(environment), .answer(id: id, permission))
            return permission.allows ? "allowed" : "refused"
        }
    }
}

extension AgentReport {
    /// The report of the user's agent, requested once with a command's time limit.
    fileprivate static func of(_ environment: ProcessEnvironment) -> AgentReport {
        do throws(Failure) {
            guard let agent = try AgentCommand.connection(environment) else { return AgentReport(.absent) }
            return AgentReport(try AgentCommand.answer(agent, .status))
        } catch { return AgentReport(.unusable(error.message)) }
    }

    /// - Parameter status: the output of `foyer agent status --json`.
    init(_ status: JSONValue) {
        func texts(_ value: JSONValue, _ name: String) -> String { value[name]?.string ?? "" }
        func date(_ value: JSONValue, _ name: String) -> Date? {
            value[name]?.string.flatMap { try? Date($0, strategy: .iso8601) }
        }
        let stores = (status["lockedBy"]?.array ?? []).compactMap(\.string)
        self.init(
            status["locked"]?.bool == true ? .locked(by: stores) : .running, pid: status["pid"]?.integer ?? 0,
            since: date(status, "since"),
            facts: AgentStatusText(status: status).facts.map { Fact($0.name, $0.value) },
            questions: (status["requests"]?.array ?? []).map {
                Question(
                    id: texts($0, "id"), asker: texts($0, "asker"), client: texts($0, "client"),
                    account: texts($0, "account"), scopes: texts($0, "scopes"), since: date($0, "since"))
            },
            uses: (status["askers"]?.array ?? []).map { asker in
                let parent = texts(asker, "parent")
                let place = [
                    texts(asker, "unit"), texts(asker, "container"), parent.isEmpty ? "" : "for " + parent,
                ].filter { !$0.isEmpty }
                return Use(
                    program: texts(asker, "program"), pid: asker["pid"]?.integer ?? 0,
                    place: place.joined(separator: ", "), client: texts(asker, "client"),
                    account: texts(asker, "account"), last: date(asker, "last"),
                    requests: asker["requests"]?.integer ?? 0)
            },
            refreshes: (status["upcoming"]?.array ?? []).map {
                Refresh(at: date($0, "at"), client: texts($0, "client"), account: texts($0, "account"))
            },
            forwardings: (status["forwardings"]?.array ?? []).map {
                Forwarding(
                    id: texts($0, "id"), words: texts($0, "words"), program: texts($0, "program"),
                    since: date($0, "since"), last: date($0, "last"), tokens: $0["tokens"]?.integer ?? 0,
                    failures: $0["failures"]?.integer ?? 0, isEnded: $0["ended"]?.bool ?? false)
            })
    }
}
