import ArgumentParser
import CommandSupport
import Console
import Glibc
import Identity
import StrictJSON

struct SSHCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ssh", abstract: "Run ssh with the agent forwarded to the other host",
        usage: "foyer ssh [<ssh options>] <host> [<command>]\nfoyer ssh --print-config <host>",
        discussion: """
            What the other host may have is written under [forward] of the settings; nothing is without. All arguments \
            are ssh's. With --print-config, prints the lines for ssh_config that do the same.
            """)
    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("What ssh is called with", valueName: "arguments"))
    var arguments: [String] = []

    func run() async throws {
        // ssh has no such option; the argument parser leaves all of them to it.
        if arguments.first == "--help" || arguments.first == "-h" {
            return HelpScreen(wantsBold: true).show(SSHCommand.self)
        }
        guard arguments.first != "--print-config" else { return try printConfiguration() }
        guard !arguments.isEmpty else {
            throw Failure(.usage, "no host is named", hint: "foyer ssh HOST, with ssh's options before it")
        }
        let environment = ProcessEnvironment()
        guard let program = environment.program("ssh") else {
            throw Failure(.configuration, "ssh is not installed", hint: "install the OpenSSH client")
        }
        let output = Output(TokenOptions())
        let local = try Self.forwardSocket(environment)
        let settings = try CommandContext(TokenOptions(), environment: environment).settings.forward
        if settings.servesNothing {
            output.warn("nothing is forwarded yet: name clients and scopes under [forward] of the settings")
        }
        let remote = Self.newRemotePath()
        // Sent by SendEnv: a SetEnv on the command line would take the place of those of ssh_config.
        setenv(ForwardedSockets.variable, remote, 1)
        let words = ["ssh", "-R", "\(remote):\(local)", "-o", "SendEnv=\(ForwardedSockets.variable)"] + arguments
        throw Failure(.configuration, "\(program): \(ProcessGuard.become(words, program: program))")
    }

    /// A name that no other connection has, and nobody can have made before.
    private static func newRemotePath() -> String {
        let name = (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return "\(ForwardedSockets.folder)/\(ForwardedSockets.prefix)\(name.joined()).sock"
    }

    /// The path of the running agent's socket for other hosts; the agent is started when none runs.
    ///
    /// - Throws: `configuration` where it has none, or ssh could not be told its path.
    private static func forwardSocket(_ environment: ProcessEnvironment) throws(Failure) -> String {
        if try AgentCommand.connection(environment) == nil { try AgentStart(environment).run() }
        let status = try AgentCommand.answer(AgentCommand.running(environment), .status)
        guard let path = status["forwardSocket"]?.string else {
            throw Failure(
                .configuration, "the agent has no socket for other hosts",
                hint: "restart it: foyer agent stop, foyer agent start")
        }
        // ssh takes colons apart, and replaces what follows a percent or a dollar sign.
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !":%$\\\"'[]".utf8.contains($0) }) else {
            throw Failure(
                .configuration, "ssh cannot be told the path of the agent's socket: \(path)",
                hint: "set XDG_RUNTIME_DIR to a plain path")
        }
        return path
    }

    private func printConfiguration() throws {
        guard arguments.count == 2, !arguments[1].hasPrefix("-"),
            arguments[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw Failure(.usage, "--print-config takes a host") }
        let local = AgentPlace(ProcessEnvironment()).forForwarding.path
        // %C stands for both hosts, the port and the user: one name for each of them.
        Output(TokenOptions()).lines([
            "Host \(arguments[1])",
            "    RemoteForward \(ForwardedSockets.folder)/\(ForwardedSockets.prefix)%C.sock \(local)",
            "    ExitOnForwardFailure no",
        ])
    }
}
