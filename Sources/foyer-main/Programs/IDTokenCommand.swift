import ArgumentParser
import CommandSupport
import Helpers
import Identity
import Programs
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
        let call = try TokenCall(options, isIDToken: true)
        let token = try await SilentCalls.during { [forceRefresh] calls throws(Failure) in
            try await call.noting(for: ProgramRequest(program: ProgramName.idToken.rawValue)) { () throws(Failure) in
                try await call.idToken(calls, forceRefresh: forceRefresh)
            }
        }
        try call.show(idToken: token)
    }
}
