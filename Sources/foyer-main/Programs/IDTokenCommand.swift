import ArgumentParser
import CommandSupport
import Identity
import Programs
import StrictJSON

struct IDTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "id-token", abstract: "Print an ID token, such as for AWS, Google Cloud or Vault",
        discussion: """
            The token is printed alone. It is for the client itself: whoever takes it has to know the client's ID as \
            its audience. Never prompts.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @Option(help: ArgumentHelp("Tenant, by id or domain", valueName: "id"))
    var tenant: String?
    @Flag(name: .customLong("force-refresh"), help: "Ignore the cached token and refresh")
    var forceRefresh = false

    func run() async throws {
        let call = try TokenCall(
            TokenOptions(common: shared.choices(), asking: SignInOptions(tenant: tenant), silent: true))
        let calls = SilentCalls()
        let result = await Result.of { [forceRefresh] () throws(Failure) in
            try await call.noting(for: ProgramRequest(program: ProgramName.idToken.rawValue)) { () throws(Failure) in
                ProgramToken(try await call.idToken(calls, forceRefresh: forceRefresh))
            }
        }
        await calls.close()
        let token = try result.get()
        guard call.session.output.json else { return try call.session.output.token(token.secret) }
        call.session.output.result(
            JSONValue(
                ("idToken", token.secret.reveal().json), ("expiresOn", token.expiresOn.rfc3339.json),
                ("clientId", token.clientID.json), ("tenantId", token.tenantID.json),
                ("username", token.username.json)))
    }
}
