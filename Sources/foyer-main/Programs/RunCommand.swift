import ArgumentParser
import CommandSupport
import Console
import Glibc
import Identity
import Programs

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a command whose Azure SDK gets tokens from here",
        discussion: """
            The command and what it starts find a managed-identity endpoint of their own in IDENTITY_ENDPOINT and \
            IDENTITY_HEADER. It answers as long as the command runs. The exit status is the command's.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var tenancy: TenantOption
    @Flag(help: "Set AZD_AUTH_ENDPOINT and AZD_AUTH_KEY for the Azure Developer CLI, too")
    var azd = false
    @Option(
        name: .customLong("aws-role"),
        help: ArgumentHelp(
            "Sign in to AWS as this role, with an ID token in a file that is kept fresh", valueName: "arn"))
    var awsRole: String?
    @Argument(parsing: .postTerminator, help: "The command, after --")
    var command: [String] = []

    func run() async throws {
        let inherited = StartedCommand.inheritedDescriptors()
        guard let name = command.first else {
            throw Failure(.usage, "foyer run needs a command", hint: "run \"foyer run -- terraform plan\"")
        }
        let options = try shared.adding(tenancy).checked()
        let environment = ProcessEnvironment()
        // A mistake in the settings is told before the command starts.
        _ = try CommandContext(options, environment: environment)
        let program = name.split(separator: "/").last.map(String.init) ?? name
        let query = TokenQuery(
            options, ProgramRequest(program: program, directory: environment.workingFolder, home: environment.home))
        let identity =
            if let awsRole { try await WebIdentityFile.make(awsRole, query, environment) } else {
                WebIdentityFile?.none
            }
        defer { identity?.remove() }
        let endpoint = try await IdentityEndpoint.open(.loopback)
        let variables = EndpointVariables(endpoint, hasDeveloperCLI: azd).set + (identity?.variables ?? [])
        let unset = EndpointVariables.unset + (identity == nil ? [] : WebIdentityFile.unset)
        async let serving: Void = endpoint.serve(IdentityTokens(query, environment, home: ForwardedCall.token))
        let keeping = Task { await identity?.keepFresh() }
        let end: StartedCommand.End
        do throws(StartedCommand.NotStarted) {
            end = try StartedCommand.start(command, set: variables, unset: unset, keeping: inherited).end()
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
        // What was sent is stored before the process ends.
        await keeping.value
        identity?.remove()
        switch end {
        case .exited(let status): throw ExitCode(status)
        case .died(let signal): ProcessGuard.end(by: signal)
        }
    }
}
