import ArgumentParser
import CommandSupport
import Identity
import Programs
import StrictJSON
import TokenCalls

struct EndpointCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "endpoint", abstract: "Serve tokens to Azure SDKs until interrupted",
        discussion: """
            An App Service managed identity endpoint for your own programs. Prints the environment variables that \
            point to it. "foyer run" gives one command an endpoint of its own.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var tenancy: TenantOption
    @Option(
        help: ArgumentHelp("Listen on a Unix socket, for example for a container", valueName: "path"),
        completion: .file())
    var socket: String?
    @Flag(help: "Also print AZD_AUTH_ENDPOINT and AZD_AUTH_KEY for the Azure Developer CLI")
    var azd = false

    func run() async throws {
        let options = try shared.adding(tenancy).checked()
        let environment = ProcessEnvironment()
        let session = try CommandContext(options, environment: environment)
        let tokens = IdentityTokens(
            TokenQuery(options, ProgramRequest(.endpoint, person: .nobody, environment)), environment,
            home: ForwardedCall.token)
        let path = socket.map(environment.expand)
        let endpoint = try await IdentityEndpoint.open(path.map { .socket(path: $0) } ?? .loopback)
        let isEnding = AtomicFlag(false)
        // A second signal does not wait for pending responses.
        let interrupt = Interrupt.watch { number in
            if isEnding.value { return ProcessEnd.soon(by: number) }
            isEnding.value = true
            endpoint.close()
        }
        var lines = EndpointVariables(endpoint, hasDeveloperCLI: azd).set
        // The program that forwards the socket in a container sets its own address there.
        if let path {
            lines = lines.filter { $0.name.hasSuffix("HEADER") || $0.name.hasSuffix("KEY") } + [("socket", path)]
        }
        session.output.result(
            JSONValue(lines.map { ($0.name, $0.value.json) }),
            or: lines.map { "\($0.name)=\($0.value)" })
        await endpoint.serve(tokens)
        interrupt.cancel()
    }
}
