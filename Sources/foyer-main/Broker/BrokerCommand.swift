import ArgumentParser
import Broker
import Bus
import CommandSupport
import Glibc
import Identity
import StrictJSON

struct BrokerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker", abstract: "Be the Linux identity broker for other programs",
        discussion: """
            Programs that use MSAL's broker, such as VS Code, then have single sign-on from foyer's accounts. Off \
            unless enabled. See "foyer help broker".
            """,
        subcommands: [Enable.self, Disable.self, Status.self])
    @Flag(help: "Serve on the session bus, as the bus starts it")
    var foreground = false
    @Option(help: ArgumentHelp("Seconds without a call after which it ends", valueName: "seconds"))
    var idle: Int?

    func run() async throws {
        guard foreground else { throw Failure.commandMissing(after: ["broker"], example: "status") }
        if let idle, !(1...86_400).contains(idle) { throw Failure(.usage, "--idle takes 1 to 86400 seconds") }
        try await BrokerProcess.serve(
            ProcessEnvironment(), idleTime: idle.map { .seconds($0) } ?? BrokerProcess.idleTime)
    }

    /// - Throws: `configuration` where there is no session bus.
    static func bus(_ environment: ProcessEnvironment) throws(Failure) -> MessageBus {
        do { return try MessageBus(environment) } catch {
            throw Failure(.configuration, error.message, hint: "the broker needs a session bus and libdbus-1.so.3")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable", abstract: "Let programs of your session ask foyer for tokens",
            discussion: "Writes a service file, by which the bus starts the broker. Refused where there is another.")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let output = try Output(shared.choices())
            let environment = ProcessEnvironment()
            let file = BrokerServiceFile(environment)
            let bus = try BrokerCommand.bus(environment)
            if let other = BrokerPresence(bus, file).other {
                throw Failure(
                    .configuration, "there is a broker already: \(other)",
                    hint: "foyer can ask it for tokens: see \"foyer help broker\"")
            }
            try file.write(program: AgentUnits.program())
            bus.reloadConfiguration()
            output.result(
                JSONValue(("enabled", true), ("file", file.path.json)),
                or: ["written: \(file.path)", "enabled: the broker starts when a program asks for it"])
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Take back what enable has done",
            discussion: "Removes the service file, and ends the broker that runs.")
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
                or: [isRemoved ? "disabled: \(BrokerInterface.name) is given up" : "the broker was not enabled"])
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show who is the broker, and what foyer's has answered lately")
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
                or: [presence.map { $0.words } ?? "no broker: there is no session bus, or no libdbus"]
                    + answers.map(Self.words))
        }

        private static func words(_ answer: JSONValue) -> String {
            func text(_ name: String) -> String { answer[name]?.string ?? "" }
            let words = ["time", "program", "method", "clientId", "account", "outcome"].map(text)
            return words.filter { !$0.isEmpty }.joined(separator: "  ")
        }
    }
}
