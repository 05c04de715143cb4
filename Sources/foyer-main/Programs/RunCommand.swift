import ArgumentParser
import CommandSupport
import Console
import Glibc
import Identity
import Programs
import TokenCalls

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a command that gets Azure tokens from foyer",
        discussion: """
            The command gets its own managed identity endpoint in IDENTITY_ENDPOINT and IDENTITY_HEADER while it runs, \
            and no variable that would choose another identity. Exits with the command's status.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var tenancy: TenantOption
    @Flag(help: "Also set AZD_AUTH_ENDPOINT and AZD_AUTH_KEY for the Azure Developer CLI")
    var azd = false
    @Option(
        name: .customLong("aws-role"),
        help: ArgumentHelp(
            "Assume this AWS role with an ID token file that foyer keeps current", valueName: "arn"))
    var awsRole: String?
    @Flag(help: "Show which variables the command gets and loses, and why; starts nothing")
    var explain = false
    @Argument(parsing: .postTerminator, help: "The command, after --")
    var command: [String] = []

    func run() async throws {
        let inherited = StartedCommand.inheritedDescriptors()
        guard explain || !command.isEmpty else {
            throw Failure(.usage, "foyer run needs a command", hint: "run \"foyer run -- terraform plan\"")
        }
        let options = try shared.adding(tenancy).checked()
        let environment = ProcessEnvironment()
        // An error in the settings is reported before the command starts.
        let session = try CommandContext(options, environment: environment)
        let given = EndpointVariables.given(hasDeveloperCLI: azd).union(awsRole == nil ? [] : [.webIdentity])
        let surroundings = StartedEnvironment(given, options, environment)
        guard !explain else {
            return try session.show(surroundings, all: false)
        }
        let program = command[0].split(separator: "/").last.map(String.init) ?? command[0]
        let query = TokenQuery(
            options, ProgramRequest(program: program, directory: environment.workingFolder, home: environment.home))
        let identity =
            if let awsRole { try await WebIdentityFile.make(awsRole, query, environment) } else {
                WebIdentityFile?.none
            }
        defer { identity?.remove() }
        let endpoint = try await IdentityEndpoint.open(.loopback)
        let values = EndpointVariables(endpoint, hasDeveloperCLI: azd).values
        let variables = surroundings.set(values.merging(identity?.values ?? [:]) { own, _ in own })
        async let serving: Void = endpoint.serve(IdentityTokens(query, environment, home: ForwardedCall.token))
        let keeping = Task { await identity?.keepFresh() }
        let end: StartedCommand.End
        do throws(StartedCommand.NotStarted) {
            end = try StartedCommand.start(command, set: variables, unset: surroundings.removed, keeping: inherited)
                .end()
        } catch {
            keeping.cancel()
            endpoint.close()
            await serving
            Output.write("foyer: \(SafeText.line(error.command)): \(error.cause)\n", to: STDERR_FILENO)
            throw ExitCode(error.status)
        }
        let interrupt = Interrupt.watch { number in
            identity?.remove()
            ProcessEnd.soon(by: number)
        }
        defer { interrupt.cancel() }
        keeping.cancel()
        endpoint.close()
        await serving
        // Responses to requests that were sent are stored before the process ends.
        await keeping.value
        identity?.remove()
        switch end {
        case .exited(let status): throw ExitCode(status)
        case .died(let signal): ProcessGuard.end(by: signal)
        }
    }
}
