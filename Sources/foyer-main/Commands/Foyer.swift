// foyer, the program: commands, settings, the loop, effects, output and exit status. It only assembles the targets
// below, which hold all rules of the field.

import ArgumentParser
import Broker
import CommandSupport
import Console
import Helpers
import Identity
import Terminal
import TokenCache
import TokenCalls

@main
struct Foyer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "foyer",
        abstract: "Sign in, see who is signed in where, and give tokens to scripts.",
        discussion: "Without a command, opens the terminal interface.",
        version: "foyer \(Product.version)",
        groupedSubcommands: [
            CommandGroup(
                name: "Sign in and out", subcommands: [SignInCommand.self, SignOutCommand.self, RemoveCommand.self]),
            CommandGroup(
                name: "Tokens",
                subcommands: [
                    TokenCommand.self, IDTokenCommand.self, TokensCommand.self, InspectCommand.self, ScopesCommand.self,
                ]),
            CommandGroup(
                name: "Accounts and stores",
                subcommands: [
                    AccountsCommand.self, UseCommand.self, StoreCommand.self, StoresCommand.self, FamilyCommand.self,
                    ImportCommand.self,
                    CleanCommand.self,
                ]),
            CommandGroup(
                name: "Settings and help",
                subcommands: [
                    ClientsCommand.self, RegisterCommand.self, SecretCommand.self, DoctorCommand.self,
                    ReportCommand.self, DemoCommand.self, HelpCommand.self,
                ]),
            CommandGroup(
                name: "Serving other programs",
                subcommands: [
                    AgentCommand.self, BrokerCommand.self, SSHCommand.self, RunCommand.self, EndpointCommand.self,
                    TokenFileCommand.self, WhyCommand.self, SetupCommand.self, HelperCommand.self,
                ]),
        ])

    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var plainness: PlainOption

    /// Refuses core dumps and tracing before any secret is in memory, and checks the system before anything is opened:
    /// the main actor's queue would reuse a closed standard descriptor. The command then runs where it can block on
    /// stores, child programs and questions.
    static func main() async {
        ProcessGuard.denyDumps()
        ProcessGuard.restoreEnvironment()
        ProcessGuard.shareFreedMemory()
        ProcessGuard.ignoreBrokenPipes()
        let note: ExecHandover?
        do throws(Failure) {
            note = try HandOver.check()
            try SystemRequirements.check()
        } catch { Output(arguments: ProcessGuard.arguments).fail(error) }
        BrokerAccess.use { BrokerClient.shared.broker($0) }
        KeyCheck.use { keys, path throws(Failure) in _ = try keys.changes(in: path) }
        let arguments = HelperName.resolved(ProcessGuard.arguments)
        if arguments.first == "helper", ProcessEnvironment()[Product.setupVariable] != nil {
            Output(arguments: arguments).fail(Failure(.usage, "no tokens while setup is testing this program"))
        }
        if let choices = CommandWords.interface(arguments) { await openInterface(choices, arguments) }
        await BlockingExecutor.run { await carryOut(arguments, note) }
    }

    /// The interface runs on the main actor, and nothing else runs yet: it needs no thread that can block.
    @MainActor
    private static func openInterface(_ choices: TokenOptions, _ arguments: [String]) async -> Never {
        let output = Output(arguments: arguments)
        do throws(Failure) {
            try await Interface.open(CommandContext(try choices.checked()))?.passOn(noColor: choices.noColor)
            output.leave(0)
        } catch { output.fail(error) }
    }

    private static func carryOut(_ arguments: [String], _ note: ExecHandover?) async {
        let output = Output(arguments: arguments)
        do {
            if VersionDetails.isAsked(arguments) {
                VersionDetails().show(output)
                output.leave(0)
            }
            if let options = CommandWords.token(arguments) {
                try await TokenJob(options: options, note: note).run()
                output.leave(0)
            }
            if var command = DirectCommands.command(arguments, isLink: HelperName.isLink(ProcessGuard.arguments)) {
                try await command.run()
                output.leave(0)
            }
            var command = try parsed(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as Failure {
            output.tell(failure)
            await ProcessEnd.lateAnswer()
            output.leave(failure.code.exitStatus)
        } catch let code as ExitCode {
            output.leave(code.rawValue)
        } catch is CleanExit {
            // A command that only has subcommands.
            output.fail(Failure.commandMissing(after: HelpCommand.path(arguments)))
        } catch {
            // The shell runs this while the user types: an error would end up on the command line.
            if arguments.first == "---completion" {
                if exitCode(for: error) == .success { output.text(fullMessage(for: error) + "\n") }
                output.leave(exitCode(for: error).rawValue)
            }
            if exitCode(for: error) == .success {
                if arguments.contains("--generate-completion-script") {
                    output.text(CompletionScript.whole(fullMessage(for: error)))
                    output.leave(0)
                }
                // The argument parser's own help has forty lines of options before the first command.
                let message = fullMessage(for: error)
                if message == helpMessage() {
                    HelpScreen(wantsBold: true).showOverview()
                } else if let command = HelpCommand.commands(arguments).last, message == helpMessage(for: command) {
                    HelpScreen(wantsBold: true).show(command)
                } else {
                    exit(withError: error)
                }
                output.leave(0)
            }
            output.fail(Self.usage(arguments, message(for: error)))
        }
        output.leave(0)
    }

    /// Parses with the named command alone: the argument parser examines the types of all commands below its root.
    private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        let words = HelpCommand.path(arguments)
        if !words.isEmpty, let command = HelpCommand.commands(arguments).last,
            command.configuration.subcommands.isEmpty,
            let parsed = try? command.parseAsRoot(Array(arguments.dropFirst(words.count))),
            // A request for help is another type; its text needs the program's name.
            type(of: parsed) == command
        {
            return parsed
        }
        return try parseAsRoot(arguments)
    }

    /// The argument parser's message as a failure; an unknown command has its own.
    static func usage(_ arguments: [String], _ message: String) -> Failure {
        let words = HelpCommand.path(arguments)
        let command = HelpCommand.commands(arguments).last ?? Foyer.self
        if !command.configuration.subcommands.isEmpty, let word = arguments.dropFirst(words.count).first,
            !word.hasPrefix("-")
        {
            return HelpCommand.noSuchCommand(word, of: words)
        }
        return Failure(
            .usage, oneLine(message), hint: "see \"\((["foyer"] + words + ["--help"]).joined(separator: " "))\"")
    }

    /// The argument parser's message as one line: it can have several, with lists of values.
    static func oneLine(_ text: String) -> String {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }.filter {
            !$0.isEmpty
        }
        var line = ""
        var isInList = false
        for next in lines {
            let isItem = next.hasPrefix("- ")
            line += line.isEmpty ? "" : isItem && isInList ? ", " : " "
            line += isItem ? next.dropFirst(2) : next
            isInList = isItem
        }
        while line.hasSuffix(".") { line.removeLast() }
        guard let first = line.first, line.dropFirst().first?.isLowercase ?? false else { return line }
        return first.lowercased() + line.dropFirst()
    }

    func run() async throws {
        let options = try shared.adding(plainness).checked()
        try await Interface.open(CommandContext(options))?.passOn(noColor: options.noColor)
    }
}
