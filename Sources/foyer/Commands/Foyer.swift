// foyer, the program: commands, settings, the loop, effects, output and exit status.
// It puts the rooms together and must hold no rule of the field: those live below.

import ArgumentParser
import Identity
import Terminal

@main
struct Foyer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "foyer",
        abstract: "Signs in, shows who is signed in where, hands tokens to scripts, and signs out.",
        discussion:
            "Without a command it opens the terminal interface. Exit status: see \"foyer help\" and the README.",
        version: "foyer \(foyerVersion)",
        subcommands: [
            SignInCommand.self, TokenCommand.self, AccountsCommand.self, TokensCommand.self, InspectCommand.self,
            ScopesCommand.self,
            SignOutCommand.self, RemoveCommand.self, ImportCommand.self, ClientsCommand.self, RegisterCommand.self,
            CleanCommand.self,
            StoreCommand.self, StoresCommand.self, FamilyCommand.self,
            DoctorCommand.self,
            DemoCommand.self,
        ])

    @OptionGroup var shared: SharedOptions
    @OptionGroup var plainness: PlainOption

    /// Refuses core dumps and tracing before anything secret is in memory, then finds the command.
    static func main() async {
        ProcessGuard.denyDumps()
        ProcessGuard.ignoreBrokenPipes()
        do throws(Failure) { try Surroundings.check() } catch { Output(arguments: CommandLine.arguments).fail(error) }
        let arguments = Array(CommandLine.arguments.dropFirst())
        let output = Output(arguments: arguments)
        do {
            if let choices = FastPathArguments.token(arguments) {
                try await TokenJob(choices: choices).run()
                output.leave(0)
            }
            if let choices = FastPathArguments.interface(arguments) {
                if let signal = try await Interface.open(CommandContext(try choices.checked())) {
                    ProcessGuard.end(by: signal)
                }
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
            let code = exitCode(for: error)
            if code == .success { exit(withError: error) }
            output.fail(Failure(.usage, Self.oneLine(message(for: error)), hint: "see \"foyer --help\""))
        }
        output.leave(0)
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
        if let signal = try await Interface.open(CommandContext(plainness.applied(to: shared))) {
            ProcessGuard.end(by: signal)
        }
    }
}

let foyerVersion = "0.1.0"
