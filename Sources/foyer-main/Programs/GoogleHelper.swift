import Agent
import ArgumentParser
import CommandSupport
import Glibc
import Helpers
import Identity
import Programs
import TokenCache
import TokenCalls

/// Run by Google's libraries for another provider's token, in workforce and workload identity federation.
struct GoogleHelper: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "google", abstract: "ID tokens for Google's libraries, as an executable-sourced credential",
        discussion: """
            In a credential configuration: "credential_source": {"executable": {"command": "foyer helper google \
            --client lab"}}. GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1 allows it.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var tenancy: TenantOption

    func run() async throws {
        let environment = ProcessEnvironment()
        do throws(Failure) {
            let request = try GoogleRequest(environment)
            let options = try shared.adding(tenancy).checked()
            var query = TokenQuery(options, ProgramRequest(.google, person: .nobody, environment))
            query.isIDToken = true
            guard let call = try ProgramCall(query, CommandContext(options, environment: environment)) else { return }
            let answer = request.answer(try await token(call, request, environment))
            // On failure, the library requests it again next time.
            if let file = request.outputFile { try? TokenFile.write(Secret(answer), to: file) }
            Output.write(answer, to: STDOUT_FILENO)
        } catch { Output.write(GoogleRequest.refusal(error), to: STDOUT_FILENO) }
    }

    private func token(
        _ call: ProgramCall, _ request: GoogleRequest, _ environment: ProcessEnvironment
    ) async throws(Failure) -> IssuedToken {
        if request.isInteractive { return try await ProgramSignIn(environment: environment).token(call) }
        return try await SilentCalls.during { calls throws(Failure) in try await call.token(calls) }
    }
}
