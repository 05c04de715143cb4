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
            point to it, and those that would choose another identity and must be unset. "foyer run" gives one command an endpoint of its own.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var tenancy: TenantOption
    @Option(
        help: ArgumentHelp("Listen on a Unix socket, for example for a container", valueName: "path"),
        completion: .file())
    var socket: String?
    @Flag(help: "Also print AZD_AUTH_ENDPOINT and AZD_AUTH_KEY for the Azure Developer CLI")
    var azd = false
    @Option(help: "Print the lines that set the variables in a shell: sh, fish or csh")
    var syntax: ShellSyntax?
    @Flag(help: "Show which variables programs need and must not have, and why; serves nothing")
    var explain = false

    func run() async throws {
        let options = try shared.adding(tenancy).checked()
        let environment = ProcessEnvironment()
        let session = try CommandContext(options, environment: environment)
        let tokens = IdentityTokens(
            TokenQuery(options, ProgramRequest(.endpoint, person: .nobody, environment)), environment,
            home: ForwardedCall.token)
        let surroundings = StartedEnvironment(
            EndpointVariables.given(hasDeveloperCLI: azd), TokenOptions(), environment)
        guard !explain else {
            return try session.show(surroundings, all: true)
        }
        let path = socket.map(environment.expand)
        let endpoint = try await IdentityEndpoint.open(path.map { .socket(path: $0) } ?? .loopback)
        let isEnding = AtomicFlag(false)
        // A second signal does not wait for pending responses.
        let interrupt = Interrupt.watch { number in
            if isEnding.value { return ProcessEnd.soon(by: number) }
            isEnding.value = true
            endpoint.close()
        }
        let variables = surroundings.set(EndpointVariables(endpoint, hasDeveloperCLI: azd).values)
        let socket = path.map { [(name: "socket", value: $0)] } ?? []
        let removed = surroundings.removed
        session.output.result(
            JSONValue(
                (variables + socket).map { ($0.name, $0.value.json) }
                    + [("unset", .array(removed.map(\.json)))]),
            or: variables.map { syntax?.line($0.name, $0.value) ?? "\($0.name)=\($0.value)" }
                + socket.map { "\($0.name)=\($0.value)" } + removed.map { (syntax ?? .sh).line($0, nil) })
        await endpoint.serve(tokens)
        interrupt.cancel()
    }
}
