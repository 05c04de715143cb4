import ArgumentParser
import CommandSupport
import Glibc
import Helpers
import Identity

/// `az`: answers `account get-access-token`, passes everything else to the next `az` on `PATH`.
struct AzHelper: PassthroughHelper {
    static let configuration = CommandConfiguration(
        commandName: "az", abstract: "Tokens for Azure CLI (run as az)",
        discussion: """
            Link it as az ahead of Azure CLI on PATH. foyer answers "az account get-access-token" and passes \
            everything else to Azure CLI.
            """)
    @Argument(parsing: .captureForPassthrough, help: "az arguments") var words: [String] = []

    func run() async throws {
        guard let request = HelperRequest.az(words, ProcessEnvironment()) else { return try pass() }
        let answer: String?
        do throws(Failure) { answer = try await Self.answer(request) } catch {
            // SDKs recognize this text and try their next credential; a refusal by the provider is reported instead.
            if error.wantsOrdinarySignIn {
                Output.write("ERROR: Please run 'az login' to setup account.\n", to: STDERR_FILENO)
            }
            throw error
        }
        guard let answer else { return try pass() }
        Output.write(answer, to: STDOUT_FILENO)
    }

    /// - Returns: nil if the next az should get the token.
    /// - Throws: also if it should, but there is no next az.
    private static func answer(_ request: HelperRequest) async throws(Failure) -> String? {
        let signIn = ProgramSignIn(environment: request.environment)
        guard let call = try await signIn.call(request) else { return nil }
        if case .refuse(.otherUser) = call.resolution.outcome, NextProgram.isThere(ProgramName.az.rawValue) {
            return nil
        }
        return try await signIn.answer(request, call)
    }

    private func pass() throws { try NextProgram.become("az", words) }
}
