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
            The other host gets what [forward] in the settings allows; nothing by default. All arguments \
            are passed to ssh. With --print-config, prints the lines for ssh_config that do the same.
            """)
    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("ssh arguments", valueName: "arguments"))
    var arguments: [String] = []

    func run() async throws {
        // ssh has no --help; the argument parser passes all options to ssh.
        if arguments.first == "--help" || arguments.first == "-h" {
            return HelpScreen(wantsBold: true).show(SSHCommand.self)
        }
        guard arguments.first != "--print-config" else { return try printConfiguration() }
        guard !arguments.isEmpty else {
            throw Failure(.usage, "no host given", hint: "usage: foyer ssh [OPTIONS] HOST")
        }
        let environment = ProcessEnvironment()
        guard let program = environment.program("ssh") else {
            throw Failure(.configuration, "ssh is not installed", hint: "install the OpenSSH client")
        }
        let output = Output(TokenOptions())
        let local = try Self.forwardSocket(environment)
        let settings = try CommandContext(TokenOptions(), environment: environment).settings.forward
        if settings.servesNothing {
            output.warn("nothing is forwarded yet: list clients and scopes under [forward] in the settings")
        }
        let remote = Self.newRemotePath()
        // Sent by SendEnv: SetEnv on the command line would replace that of ssh_config.
        setenv(ForwardedSockets.variable, remote, 1)
        let words = ["ssh", "-R", "\(remote):\(local)", "-o", "SendEnv=\(ForwardedSockets.variable)"] + arguments
        throw Failure(.configuration, "\(program): \(ProcessGuard.become(words, program: program))")
    }

    /// Random: not used by another connection, and not predictable by other users.
    private static func newRemotePath() -> String {
        let name = (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return "\(ForwardedSockets.folder)/\(ForwardedSockets.prefix)\(name.joined()).sock"
    }

    /// - Throws: `configuration` if the agent, started if needed, has no such socket, or ssh cannot take its path.
    private static func forwardSocket(_ environment: ProcessEnvironment) throws(Failure) -> String {
        if try AgentCommand.connection(environment) == nil { try AgentStart(environment: environment).run() }
        let status = try AgentCommand.answer(AgentCommand.running(environment), .status)
        guard let path = status["forwardSocket"]?.string else {
            throw Failure(
                .configuration, "the agent has no socket for other hosts",
                hint: "restart it: foyer agent stop, foyer agent start")
        }
        // ssh splits at colons and expands percent and dollar signs.
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !":%$\\\"'[]".utf8.contains($0) }) else {
            throw Failure(
                .configuration, "cannot pass the agent's socket path to ssh: \(path)",
                hint: "set XDG_RUNTIME_DIR to a plain path")
        }
        return path
    }

    private func printConfiguration() throws {
        guard arguments.count == 2, !arguments[1].hasPrefix("-"),
            arguments[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw Failure(.usage, "--print-config requires a host") }
        let local = AgentPlace(ProcessEnvironment()).forForwarding.path
        // %C is a hash of both hosts, the port and the user: one name per connection target.
        Output(TokenOptions()).lines([
            "Host \(arguments[1])",
            "    RemoteForward \(ForwardedSockets.folder)/\(ForwardedSockets.prefix)%C.sock \(local)",
            "    ExitOnForwardFailure no",
        ])
    }
}
