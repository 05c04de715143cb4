import ArgumentParser
import CommandSupport
import Identity
import StrictJSON

extension AgentCommand {
    struct Forwarded: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forwarded", abstract: "List or close forwarded connections",
            subcommands: [List.self, End.self], defaultSubcommand: List.self)

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "list", abstract: "List forwarded connections and tokens given")
            @OptionGroup(title: "Common options") var shared: SharedOptions

            func run() async throws {
                let output = try Output(shared.choices())
                let status = try AgentCommand.answer(AgentCommand.running(ProcessEnvironment()), .status)
                let ways = status["forwardings"]?.array ?? []
                if output.json { return output.result(JSONValue(("forwardings", .array(ways)))) }
                guard !ways.isEmpty else { return output.note("foyer: no forwarded connections") }
                output.lines(ways.map(AgentStatusText.words(ofForwarding:)))
            }
        }

        struct End: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "end", abstract: "Close a forwarded connection",
                discussion: "The ssh session stays open. A new session can connect again.")
            @Argument(help: "Number from the list", completion: .known(.forwardings)) var id: String
            @OptionGroup(title: "Common options") var shared: SharedOptions

            func run() async throws {
                let output = try Output(shared.choices())
                let answer = try AgentCommand.answer(AgentCommand.running(ProcessEnvironment()), .endForwarding(id: id))
                output.result(answer, or: ["ended"])
            }
        }
    }
}
