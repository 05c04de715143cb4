import ArgumentParser
import CommandSupport
import Glibc
import Identity
import Programs

/// `azd`: answers `auth token`, passes everything else to the next `azd` on `PATH`.
struct AzdHelper: PassthroughHelper {
    static let configuration = CommandConfiguration(
        commandName: "azd", abstract: "Tokens for Azure Developer CLI (run as azd)",
        discussion: """
            Link it as azd ahead of the real one on PATH. foyer answers "azd auth token --output json", also with a \
            claims challenge, and passes everything else to azd.
            """)
    @Argument(parsing: .captureForPassthrough, help: "azd arguments") var words: [String] = []

    func run() async throws {
        guard let request = DeveloperCLIRequest(words) else { try NextProgram.become("azd", words) }
        let environment = ProcessEnvironment()
        do throws(Failure) {
            let query = request.query(environment)
            let context = try CommandContext(query.options, environment: environment)
            guard let call = try ProgramCall(query, context) else { return }
            let token = try await ProgramSignIn(environment: environment).token(call)
            Output.write(DeveloperCLIRequest.answer(token), to: STDOUT_FILENO)
        } catch {
            Output.write(DeveloperCLIRequest.refusal(error), to: STDERR_FILENO)
            throw ExitCode(error.code.exitStatus)
        }
    }
}
