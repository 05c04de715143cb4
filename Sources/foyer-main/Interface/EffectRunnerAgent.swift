import AppModel
import CommandSupport
import FoundationEssentials
import Identity
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
        let stores = (status["lockedBy"]?.array ?? []).compactMap(\.string)
        self.init(status["locked"]?.bool == true ? .locked(by: stores) : .running)
        pid = status["pid"]?.integer ?? 0
        since = status.date("since")
        facts = AgentStatusText(status: status).facts.map { Fact($0.name, $0.value) }
        questions = (status["requests"]?.array ?? []).map(Question.init)
        uses = (status["askers"]?.array ?? []).map(Use.init)
        refreshes = (status["upcoming"]?.array ?? []).map(Refresh.init)
        forwardings = (status["forwardings"]?.array ?? []).map(Forwarding.init)
    }
}

extension JSONValue {
    fileprivate func text(_ name: String) -> String { self[name]?.string ?? "" }
    fileprivate func date(_ name: String) -> Date? {
        self[name]?.string.flatMap { try? Date($0, strategy: .iso8601) }
    }
}

extension AgentReport.Question {
    fileprivate init(_ json: JSONValue) {
        self.init(json.text("id"))
        (asker, client) = (json.text("asker"), json.text("client"))
        (account, scopes, since) = (json.text("account"), json.text("scopes"), json.date("since"))
    }
}

extension AgentReport.Use {
    init(_ json: JSONValue) {
        self.init(json.text("program"))
        let parent = json.text("parent")
        place = [json.text("unit"), json.text("container"), parent.isEmpty ? "" : "for " + parent]
            .filter { !$0.isEmpty }.joined(separator: ", ")
        (pid, client) = (json["pid"]?.integer ?? 0, json.text("client"))
        (account, last, requests) = (json.text("account"), json.date("last"), json["requests"]?.integer ?? 0)
        (host, remoteProgram) = (json.text("forwarded"), json.text("forwardedProgram"))
    }
}

extension AgentReport.Refresh {
    fileprivate init(_ json: JSONValue) {
        self.init(client: json.text("client"))
        (at, account) = (json.date("at"), json.text("account"))
    }
}

extension AgentReport.Forwarding {
    fileprivate init(_ json: JSONValue) {
        self.init(json.text("id"))
        (words, program) = (json.text("words"), json.text("program"))
        (since, last, isEnded) = (json.date("since"), json.date("last"), json["ended"]?.bool ?? false)
        (tokens, failures) = (json["tokens"]?.integer ?? 0, json["failures"]?.integer ?? 0)
    }
}
