import ArgumentParser
import Broker
import Bus
import CommandSupport
import Glibc
import Identity
import StrictJSON

struct BrokerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker", abstract: "Act as the Linux identity broker for other programs",
        discussion: """
            Programs that use MSAL's broker, such as VS Code, get single sign-on through foyer. Off by default. See \
            "foyer help broker".
            """,
        subcommands: [Enable.self, Disable.self, Status.self])
    @Flag(help: "Run in the foreground (how D-Bus starts it)")
    var foreground = false
    @Option(help: ArgumentHelp("Exit after this many idle seconds", valueName: "seconds"))
    var idle: Int?

    func run() async throws {
        guard foreground else { throw Failure.commandMissing(after: ["broker"], example: "status") }
        if let idle, !(1...86_400).contains(idle) { throw Failure(.usage, "--idle must be 1 to 86400 seconds") }
        try await BrokerProcess.serve(
            ProcessEnvironment(), idleTime: idle.map { .seconds($0) } ?? BrokerProcess.idleTime)
    }

    /// - Throws: `configuration` if there is no D-Bus session.
    static func bus(_ environment: ProcessEnvironment) throws(Failure) -> MessageBus {
        do { return try MessageBus(environment) } catch {
            throw Failure(.configuration, error.message, hint: "the broker needs a D-Bus session and libdbus-1.so.3")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable", abstract: "Let programs in your session get tokens from foyer",
            discussion: "Writes a D-Bus service file. Fails if another broker is installed.")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let output = try Output(shared.choices())
            let environment = ProcessEnvironment()
            let file = BrokerServiceFile(environment)
            let bus = try BrokerCommand.bus(environment)
            if let other = BrokerPresence(bus, file).other {
                throw Failure(
                    .configuration, "another broker is installed: \(other)",
                    hint: "foyer can get tokens from it: see \"foyer help broker\"")
            }
            try file.write(program: AgentUnits.program())
            bus.reloadConfiguration()
            output.result(
                JSONValue(("enabled", true), ("file", file.path.json)),
                or: ["written: \(file.path)", "enabled: the broker starts when a program first calls it"])
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Undo \"foyer broker enable\"",
            discussion: "Removes the service file and stops the broker.")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let output = try Output(shared.choices())
            let environment = ProcessEnvironment()
            let isRemoved = try BrokerServiceFile(environment).remove()
            if let bus = try? MessageBus(environment) {
                bus.reloadConfiguration()
                if let own = bus.owner(of: BrokerInterface.ownName), own == bus.owner(of: BrokerInterface.name),
                    let process = bus.process(of: own), process.uid == geteuid()
                {
                    kill(process.pid, SIGTERM)
                }
            }
            output.result(
                JSONValue(("removed", .bool(isRemoved))),
                or: [
                    isRemoved
                        ? "disabled: foyer no longer provides \(BrokerInterface.name)" : "the broker was not enabled"
                ])
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show the session's broker and foyer's recent answers")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        private static let mostAnswers = 10

        func run() async throws {
            let output = try Output(shared.choices())
            let environment = ProcessEnvironment()
            let file = BrokerServiceFile(environment)
            let bus = try? MessageBus(environment)
            let presence = bus.map { BrokerPresence($0, file) }
            let answers = BrokerLog(environment).last(Self.mostAnswers)
            output.result(
                JSONValue(
                    ("enabled", .bool(file.isThere)), ("hasBus", .bool(bus != nil)),
                    ("running", .bool(presence?.isOwnRunning ?? false)), ("otherBroker", (presence?.other).json),
                    ("answers", .array(answers))),
                or: [presence.map { $0.words } ?? "no broker: no D-Bus session, or libdbus is missing"]
                    + answers.map(Self.words))
        }

        private static func words(_ answer: JSONValue) -> String {
            func text(_ name: String) -> String { answer[name]?.string ?? "" }
            let words = ["time", "program", "method", "clientId", "account", "outcome"].map(text)
            return words.filter { !$0.isEmpty }.joined(separator: "  ")
        }
    }
}
