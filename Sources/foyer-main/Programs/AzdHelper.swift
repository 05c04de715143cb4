import ArgumentParser
import CommandSupport
import Glibc
import Helpers
import Identity

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
        guard let request = HelperRequest.azd(words, ProcessEnvironment()) else {
            try NextProgram.become("azd", words)
        }
        do throws(Failure) {
            guard let answer = try await ProgramSignIn(environment: request.environment).answer(request) else { return }
            Output.write(answer, to: STDOUT_FILENO)
        } catch {
            Output.write(DeveloperCLIRequest.refusal(error), to: STDERR_FILENO)
            throw ExitCode(error.code.exitStatus)
        }
    }
}
