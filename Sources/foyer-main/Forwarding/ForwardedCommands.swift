import ArgumentParser
import CommandSupport
import Identity
import StrictJSON

extension AgentCommand {
    struct Forwarded: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forwarded", abstract: "List the hosts and containers that the agent is forwarded to, end one",
            subcommands: [List.self, End.self], defaultSubcommand: List.self)

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "list", abstract: "List who is forwarded, and what was given")
            @OptionGroup(title: "Common options") var shared: SharedOptions

            func run() async throws {
                let output = try Output(shared.choices())
                let status = try AgentCommand.answer(AgentCommand.running(ProcessEnvironment()), .status)
                let ways = status["forwardings"]?.array ?? []
                if output.json { return output.result(JSONValue(("forwardings", .array(ways)))) }
                guard !ways.isEmpty else { return output.note("foyer: nobody is forwarded") }
                output.lines(ways.map(AgentStatusText.words(ofForwarding:)))
            }
        }

        struct End: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "end", abstract: "Close its connections, and give it no more tokens",
                discussion: "The ssh itself goes on. A new one is served again.")
            @Argument(help: "Number of the entry, as the list has it", completion: .known(.forwardings)) var id: String
            @OptionGroup(title: "Common options") var shared: SharedOptions

            func run() async throws {
                let output = try Output(shared.choices())
                let answer = try AgentCommand.answer(AgentCommand.running(ProcessEnvironment()), .endForwarding(id: id))
                output.result(answer, or: ["ended"])
            }
        }
    }
}
