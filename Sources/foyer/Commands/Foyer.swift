// foyer, the program: commands, settings, the loop, effects, output and exit status.
// It puts the targets together and must hold no rule of the field: those belong to the targets below.

import ArgumentParser
import Identity
import Terminal
import TokenCache

@main
struct Foyer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "foyer",
        abstract: "Sign in, see who is signed in where, and give tokens to scripts.",
        discussion: "Without a command it opens the terminal interface.",
        version: "foyer \(foyerVersion)",
        groupedSubcommands: [
            CommandGroup(
                name: "Sign in and out", subcommands: [SignInCommand.self, SignOutCommand.self, RemoveCommand.self]),
            CommandGroup(
                name: "Tokens",
                subcommands: [TokenCommand.self, TokensCommand.self, InspectCommand.self, ScopesCommand.self]),
            CommandGroup(
                name: "Accounts and stores",
                subcommands: [
                    AccountsCommand.self, StoreCommand.self, StoresCommand.self, FamilyCommand.self, ImportCommand.self,
                    CleanCommand.self,
                ]),
            CommandGroup(
                name: "Settings and help",
                subcommands: [
                    ClientsCommand.self, RegisterCommand.self, DoctorCommand.self, DemoCommand.self, HelpCommand.self,
                ]),
        ])

    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var plainness: PlainOption

    /// Refuses core dumps and tracing before anything secret is in memory, and looks at what the system gives before
    /// anything is opened: the main actor's queue would take the place of a closed descriptor. Then it carries out the
    /// command where it may wait for stores, for programs that it starts and for answers to its questions.
    static func main() async {
        ProcessGuard.denyDumps()
        ProcessGuard.ignoreBrokenPipes()
        do throws(Failure) { try Surroundings.check() } catch { Output(arguments: CommandLine.arguments).fail(error) }
        await BlockingExecutor.run { await carryOut() }
    }

    private static func carryOut() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let output = Output(arguments: arguments)
        do {
            if let choices = FastPathArguments.token(arguments) {
                try await TokenJob(choices: choices).run()
                output.leave(0)
            }
            if let choices = FastPathArguments.interface(arguments) {
                try await Interface.open(CommandContext(try choices.checked()))?.passOn()
                output.leave(0)
            }
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as Failure {
            output.fail(failure)
        } catch let code as ExitCode {
            output.leave(code.rawValue)
        } catch is CleanExit {
            exit(withError: CleanExit.helpRequest())
        } catch {
            if exitCode(for: error) == .success {
                // The argument parser's own list of everything is forty lines of options before the first command.
                guard fullMessage(for: error) == helpMessage() else { exit(withError: error) }
                HelpScreen.showOverview()
                output.leave(0)
            }
            output.fail(Self.usage(arguments, message(for: error)))
        }
        output.leave(0)
    }

    /// What is wrong with a command line, from the argument parser's message; a command that does not exist is said so.
    static func usage(_ arguments: [String], _ message: String) -> Failure {
        if let word = arguments.first, !word.hasPrefix("-"), HelpCommand.command([word]) == nil {
            return HelpCommand.unknown(word, what: "no command is named")
        }
        let words = HelpCommand.path(arguments)
        return Failure(
            .usage, oneLine(message), hint: "see \"\((["foyer"] + words + ["--help"]).joined(separator: " "))\"")
    }

    /// The argument parser's texts as one line of ours: theirs go over several lines, with lists of what may be
    /// written.
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
        try await Interface.open(CommandContext(plainness.applied(to: shared)))?.passOn()
    }
}

let foyerVersion = "0.1.0"
