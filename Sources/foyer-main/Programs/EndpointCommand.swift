import ArgumentParser
import CommandSupport
import Identity
import Programs
import StrictJSON

struct EndpointCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "endpoint", abstract: "Serve tokens to Azure SDKs until interrupted",
        discussion: """
            A managed-identity endpoint in the form of App Service's, for programs of yours on this machine. It prints \
            the environment by which they find it. "foyer run" gives one command an endpoint of its own.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var tenancy: TenantOption
    @Option(
        help: ArgumentHelp("Listen at a Unix socket, such as for a container", valueName: "path"), completion: .file())
    var socket: String?
    @Flag(help: "Print AZD_AUTH_ENDPOINT and AZD_AUTH_KEY for the Azure Developer CLI, too")
    var azd = false

    func run() async throws {
        let options = try shared.adding(tenancy).checked()
        let environment = ProcessEnvironment()
        let session = try CommandContext(options, environment: environment)
        let tokens = IdentityTokens(
            TokenQuery(options, ProgramRequest(.endpoint, environment)), environment, home: ForwardedCall.token)
        let path = socket.map(environment.expand)
        let endpoint = try await IdentityEndpoint.open(path.map { .socket(path: $0) } ?? .loopback)
        let isEnding = Atomically(false)
        // A second signal does not wait for the answers that are under way.
        let interrupt = Interrupt.watch { number in
            if isEnding.value { return ProcessEnd.soon(by: number) }
            isEnding.value = true
            endpoint.close()
        }
        var lines = EndpointVariables(endpoint, hasDeveloperCLI: azd).set
        // What is at the other end of the socket in a container gives it its own address.
        if let path {
            lines = lines.filter { $0.name.hasSuffix("HEADER") || $0.name.hasSuffix("KEY") } + [("socket", path)]
        }
        session.output.result(
            .object(JSONObject(lines.map { JSONMember(name: $0.name, value: $0.value.json) })),
            or: lines.map { "\($0.name)=\($0.value)" })
        await endpoint.serve(tokens)
        interrupt.cancel()
    }
}
