import ArgumentParser
import CommandSupport
import Glibc
import Identity
import StrictJSON

struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Run the agent, which refreshes tokens for all programs",
        discussion: "Nothing needs it: without an agent, each command works by itself. See \"foyer help agent\".",
        subcommands: [
            Start.self, Stop.self, Status.self, Lock.self, Unlock.self, Requests.self, Forwarded.self, Install.self,
            Uninstall.self,
        ])
    @Flag(help: "Serve here until interrupted, and log to standard error")
    var foreground = false

    func run() async throws {
        guard foreground else { throw Failure.commandMissing(after: ["agent"], example: "start") }
        try await AgentProcess.serve(ProcessEnvironment())
    }

    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start the agent in the background",
            discussion: "Returns when the agent answers. One that runs already is left as it is.")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let output = try Output(shared.choices())
            let environment = ProcessEnvironment()
            var isNew = false
            if try AgentCommand.connection(environment) == nil {
                // Said here, and not in the log only.
                try AgentProcess.checkDescriptors()
                isNew = true
                try AgentStart(environment).run()
            }
            guard let agent = try AgentCommand.connection(environment), let status = agent.ask(.status) else {
                throw AgentCommand.silent
            }
            let pid = status["pid"]?.integer ?? 0
            output.result(
                JSONValue(("started", .bool(isNew)), ("agent", status)),
                or: [isNew ? "agent started, pid \(pid)" : "an agent is running already, pid \(pid)"])
        }
    }

    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Stop the agent",
            discussion: "Requests that are being answered are finished first. Without an agent nothing is done.")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        /// The agent waits for its requests for 30 s, and for a refresh for as long as the provider may take.
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

        /// Returns when it has ended.
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
                        .unavailable, "the agent (pid \(pid)) still waits for a provider", hint: "try again later")
                }
                usleep(10_000)
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show whether the agent runs, and whom it has served",
            discussion: "Exit status: 0 when it runs, 8 when none does, 6 when it does not answer.")
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
            output.result(status, or: AgentStatusText(status, installed: Product.version).lines)
        }
    }

    /// How long a command waits for the agent's first line: as long as a busy machine may need.
    private static let patience: Duration = .seconds(5)

    /// Nil when no agent runs.
    ///
    /// - Throws: `unavailable` when it does not answer, `configuration` when something else is at its place.
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
                    .configuration, "what listens at \(place.path) is no agent that this foyer understands",
                    hint: "end it, and run \"foyer agent start\"")
            }
        }
    }

    /// The same for what needs one.
    ///
    /// - Throws: `notFound` when none runs.
    static func running(_ environment: ProcessEnvironment) throws(Failure) -> AgentConnection {
        guard let agent = try connection(environment) else { throw none }
        return agent
    }

    /// The answer to a request.
    ///
    /// - Throws: what the agent says instead; `unavailable` when it says nothing.
    static func answer(_ agent: AgentConnection, _ request: AgentRequest) throws(Failure) -> JSONValue {
        guard let answer = agent.ask(request) else { throw silent }
        if answer["error"] != nil { throw Failure(answer) ?? silent }
        return answer
    }

    static let none = Failure(.notFound, "no agent is running", hint: "start one: foyer agent start")
    static let silent = Failure(
        .unavailable, "the agent does not answer", hint: "end its process, and run \"foyer agent start\"")
}

extension Output {
    init(_ choices: TokenOptions) { self.init(json: choices.json, verbose: choices.verbose, noColor: choices.noColor) }
}
