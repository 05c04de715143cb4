import ArgumentParser
import CommandSupport
import Identity
import Programs
import StrictJSON
import TokenCalls

struct IDTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "id-token", abstract: "Print an ID token, for example for AWS, Google Cloud or Vault",
        discussion: """
            Prints only the token. Its audience is the client ID, which the relying party must accept. Never prompts.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var tenancy: TenantOption
    @Flag(name: .customLong("force-refresh"), help: "Ignore the cached token and refresh")
    var forceRefresh = false

    func run() async throws {
        var options = try shared.adding(tenancy).checked()
        options.silent = true
        let call = try TokenCall(options)
        let token = try await SilentCalls.during { [forceRefresh] calls throws(Failure) in
            try await call.noting(for: ProgramRequest(program: ProgramName.idToken.rawValue)) { () throws(Failure) in
                try await call.idToken(calls, forceRefresh: forceRefresh)
            }
        }
        guard call.context.output.json else { return try call.context.output.token(token.secret) }
        call.context.output.result(
            JSONValue(
                ("idToken", token.secret.reveal().json), ("expiresOn", token.expiresOn.rfc3339.json),
                ("clientId", token.clientID.json), ("tenantId", token.tenantID.json),
                ("username", token.username.json)))
    }
}
