import AppModel
import ArgumentParser
import CommandSupport
import Identity
import StrictJSON
import TokenCache

extension AgentCommand {
    struct Lock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lock", abstract: "Lock the agent: no tokens until unlocked",
            discussion: """
                Also forgets the keys of encrypted stores. Unencrypted stores stay readable by programs running as \
                you.
                """)
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let session = try CommandContext(shared.choices())
            let agent = try AgentCommand.running(session.environment)
            let answer = try Self.lock(agent, session)
            session.output.result(answer, or: [Self.words(answer)])
        }

        static func lock(_ agent: AgentConnection, _ session: CommandContext) throws(Failure) -> JSONValue {
            let spec = try session.storeSpec(try session.clientIfAny())
            return try AgentCommand.answer(agent, .lock(store: spec.kind == .encrypted ? spec.description : nil))
        }

        static func words(_ answer: JSONValue) -> String {
            let stores = (answer["lockedBy"]?.array ?? []).compactMap(\.string)
            return stores.isEmpty
                ? "agent locked, but any of your programs can unlock it: no store is encrypted"
                : "agent locked; the passphrase of \(stores.joined(separator: " or ")) unlocks it"
        }
    }

    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unlock", abstract: "Unlock the agent",
            discussion: "Asks for the passphrase of the encrypted store that was locked with it, if any.")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let session = try CommandContext(shared.choices())
            let agent = try AgentCommand.running(session.environment)
            let status = try AgentCommand.answer(agent, .status)
            var answer: JSONValue
            if status["locked"]?.bool == true, let store = status["lockedBy"]?.array?.first?.string {
                answer = try Self.unlock(agent, store, session)
            } else {
                answer = try AgentCommand.answer(agent, .unlock(passphrase: nil))
            }
            session.output.result(
                answer, or: [status["locked"]?.bool == true ? "agent unlocked" : "the agent was not locked"])
        }

        private static let tries = 3

        private static func unlock(_ agent: AgentConnection, _ store: String, _ session: CommandContext)
            throws(Failure) -> JSONValue
        {
            var last = AgentCommand.silent
            for attempt in 0..<tries {
                let question = PassphraseQuestion(purpose: .open, path: store, isRepeated: attempt > 0)
                let passphrase = try Failure.translating(try session.desk.answer(question))
                guard let answer = agent.ask(.unlock(passphrase: passphrase)) else { throw AgentCommand.silent }
                guard answer["error"] != nil else { return answer }
                last = Failure(answer) ?? last
                guard last.code == .storeError else { throw last }
            }
            throw last
        }
    }

    struct Requests: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "requests", abstract: "List and answer pending requests",
            subcommands: [List.self, Allow.self, Refuse.self], defaultSubcommand: List.self)

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(commandName: "list", abstract: "List pending requests")
            @OptionGroup(title: "Common options") var shared: SharedOptions

            func run() async throws {
                let output = try Output(shared.choices())
                let answer = try AgentCommand.answer(AgentCommand.running(ProcessEnvironment()), .requests)
                if output.json { return output.result(answer) }
                let requests = answer["requests"]?.array ?? []
                guard !requests.isEmpty else { return output.note("foyer: no pending requests") }
                output.lines(requests.map(AgentStatusText.words(ofRequest:)))
            }
        }

        struct Allow: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "allow", abstract: "Allow a token request",
                discussion: "Once by default.")
            @Argument(help: "Number of the request", completion: .known(.requests)) var id: String
            @Flag(help: "Until the agent stops") var session = false
            @Flag(help: "Always, for this program, client, account and scopes") var always = false
            @OptionGroup(title: "Common options") var shared: SharedOptions

            func run() async throws { try Requests.answer(id, always ? .always : session ? .session : .once, shared) }
        }

        struct Refuse: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "refuse", abstract: "Refuse a token request")
            @Argument(help: "Number of the request", completion: .known(.requests)) var id: String
            @Flag(help: "Always, for this program, client, account and scopes") var always = false
            @OptionGroup(title: "Common options") var shared: SharedOptions

            func run() async throws { try Requests.answer(id, always ? .never : .refuse, shared) }
        }

        private static func answer(_ id: String, _ permission: AgentPermission, _ shared: SharedOptions) throws {
            let output = try Output(shared.choices())
            if permission.allows {
                try CommandContext(shared.choices()).world.requirePerson(to: "allow a request in your place")
            }
            let answer = try AgentCommand.answer(
                AgentCommand.running(ProcessEnvironment()), .answer(id: id, permission))
            output.result(answer, or: [permission.allows ? "allowed" : "refused"])
        }
    }
}
