import ArgumentParser
import CommandSupport
import Glibc
import Identity
import StrictJSON

struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Run the agent, which refreshes tokens for all programs",
        discussion: "Optional: commands work without it. See \"foyer help agent\".",
        subcommands: [
            Start.self, Stop.self, Status.self, Lock.self, Unlock.self, Requests.self, Forwarded.self, Install.self,
            Uninstall.self,
        ])
    @Flag(help: "Run in the foreground and log to standard error")
    var foreground = false

    func run() async throws {
        guard foreground else { throw Failure.commandMissing(after: ["agent"], example: "start") }
        try await AgentProcess.serve(ProcessEnvironment())
    }

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start the agent in the background",
            discussion: "Returns once the agent is ready. Does nothing if one is running.")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let output = try Output(shared.choices())
            let environment = ProcessEnvironment()
            var isNew = false
            if try AgentCommand.connection(environment) == nil {
                // Checked here too, so that the error is printed and not only logged.
                try AgentProcess.checkDescriptors()
                isNew = true
                try AgentStart(environment: environment).run()
            }
            guard let agent = try AgentCommand.connection(environment), let status = agent.ask(.status) else {
                throw AgentCommand.silent
            }
            let pid = status["pid"]?.integer ?? 0
            output.result(
                JSONValue(("started", .bool(isNew)), ("agent", status)),
                or: [isNew ? "agent started, pid \(pid)" : "an agent is already running, pid \(pid)"])
        }
    }

    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Stop the agent",
            discussion: "Finishes current requests first. Does nothing if no agent is running.")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        /// The agent waits up to 30 s for its requests, and for a refresh as long as the provider takes.
        private static let patience: Duration = .seconds(60)

        func run() async throws {
            let output = try Output(shared.choices())
            let environment = ProcessEnvironment()
            let agent = try AgentCommand.connection(environment)
            if let agent { try Self.stop(agent) }
            output.result(
                JSONValue(("stopped", .bool(agent != nil))),
                or: [agent == nil ? "no agent is running" : "agent stopped"])
        }

        /// Returns once the process has ended.
        static func stop(_ agent: AgentConnection) throws(Failure) {
            guard let status = agent.ask(.status), let pid = status["pid"]?.integer.flatMap({ pid_t(exactly: $0) }),
                agent.ask(.stop)?["stopping"]?.bool == true
            else { throw AgentCommand.silent }
            try Self.await(theEndOf: pid)
        }

        private static func await(theEndOf pid: pid_t) throws(Failure) {
            let deadline = ContinuousClock.now + patience
            while !ProcessEntry(pid).hasEnded {
                guard ContinuousClock.now < deadline else {
                    throw Failure(
                        .unavailable, "the agent (pid \(pid)) is still waiting for a provider", hint: "try again later")
                }
                usleep(10_000)
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show the agent's status and recent requests",
            discussion: "Exit status: 0 running, 8 not running, 6 not responding.")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let output = try Output(shared.choices())
            let environment = ProcessEnvironment()
            guard let agent = try AgentCommand.connection(environment) else {
                if output.json {
                    output.result(JSONValue(("running", false), ("socket", AgentPlace(environment).path.json)))
                    output.leave(AgentCommand.none.code.exitStatus)
                }
                throw AgentCommand.none
            }
            guard let status = agent.ask(.status) else { throw AgentCommand.silent }
            output.result(status, or: AgentStatusText(status: status).lines)
        }
    }

    /// Wait for the agent's first line; long enough for a busy machine.
    private static let patience: Duration = .seconds(5)

    /// - Returns: nil if no agent is running.
    /// - Throws: `unavailable` if it does not respond, `configuration` if something else uses its socket.
    static func connection(_ environment: ProcessEnvironment) throws(Failure) -> AgentConnection? {
        let place = AgentPlace(environment)
        do throws(AgentConnection.Trouble) {
            return try AgentConnection(place, patience: patience, forPerson: true)
        } catch {
            switch error {
            case .notRunning: return nil
            case .silent: throw silent
            case .busy(let connections): throw AgentProtocol.busy(connections: connections)
            case .notOurs(let why): throw Failure(.configuration, why, hint: "remove it, or ask the administrator")
            case .otherProtocol:
                throw Failure(
                    .configuration, "\(place.path) is not a compatible foyer agent",
                    hint: "stop it, and run \"foyer agent start\"")
            }
        }
    }

    /// - Throws: `notFound` if no agent is running.
    static func running(_ environment: ProcessEnvironment) throws(Failure) -> AgentConnection {
        guard let agent = try connection(environment) else { throw none }
        return agent
    }

    /// - Throws: the agent's error; `unavailable` if it does not respond.
    static func answer(_ agent: AgentConnection, _ request: AgentRequest) throws(Failure) -> JSONValue {
        guard let answer = agent.ask(request) else { throw silent }
        if answer["error"] != nil { throw Failure(answer) ?? silent }
        return answer
    }

    static let none = Failure(.notFound, "no agent is running", hint: "start one: foyer agent start")
    static let silent = Failure(
        .unavailable, "the agent does not respond", hint: "kill its process, and run \"foyer agent start\"")
}

extension Output {
    init(_ choices: TokenOptions) { self.init(json: choices.json, verbose: choices.verbose, noColor: choices.noColor) }
}
