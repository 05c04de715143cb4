import ArgumentParser
import CommandSupport
import Glibc
import Identity
import Programs

/// `azd`: `auth token` from here, everything else from the next `azd` on `PATH`.
struct AzdHelper: PassthroughHelper {
    static let configuration = CommandConfiguration(
        commandName: "azd", abstract: "The Azure Developer CLI's access tokens, called as azd",
        discussion: """
            As a link named azd before the real one on PATH. "azd auth token --output json" is answered from here, \
            also with a claims challenge; all else by azd.
            """)
    @Argument(parsing: .captureForPassthrough, help: "Arguments of azd") var words: [String] = []

    func run() async throws {
        guard let request = DeveloperCLIRequest(words) else { try NextProgram.become("azd", words) }
        let environment = ProcessEnvironment()
        do throws(Failure) {
            let query = request.query(environment)
            let context = try CommandContext(query.options, environment: environment)
            guard let call = try ProgramCall(query, context) else { return }
            let token = try await ProgramSignIn(environment).token(call)
            Output.write(DeveloperCLIRequest.answer(token), to: STDOUT_FILENO)
        } catch {
            Output.write(DeveloperCLIRequest.refusal(error), to: STDERR_FILENO)
            throw ExitCode(error.code.exitStatus)
        }
    }
}
