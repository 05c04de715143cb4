import ArgumentParser
import CommandSupport
import Glibc
import Identity
import Programs

/// `az`: `account get-access-token` from here, everything else from the next `az` on `PATH`.
struct AzHelper: PassthroughHelper {
    static let configuration = CommandConfiguration(
        commandName: "az", abstract: "Azure CLI's access tokens, called as az",
        discussion: """
            As a link named az before the real one on PATH. "az account get-access-token" is answered from here, all \
            else by Azure CLI.
            """)
    @Argument(parsing: .captureForPassthrough, help: "Arguments of az") var words: [String] = []

    func run() async throws {
        let environment = ProcessEnvironment()
        guard let request = AzureCLIRequest(words) else { return try pass() }
        let profile = AzureProfile(environment)
        let subscription = profile.subscription(request.subscription)
        // A subscription that is not in the profile is Azure CLI's to look for.
        if request.subscription != nil, request.tenant == nil, subscription == nil { return try pass() }
        let query = TokenQuery.az(profile, subscription, environment, scopes: request.scopes, tenant: request.tenant)
        let token: IssuedToken?
        do throws(Failure) { token = try await Self.token(query, environment) } catch {
            // By these words an SDK knows that its next credential is to be tried; a refusal of the provider is told.
            if error.wantsOrdinarySignIn {
                Output.write("ERROR: Please run 'az login' to setup account.\n", to: STDERR_FILENO)
            }
            throw error
        }
        guard let token else { return try pass() }
        let answer = AzureCLIAnswer(token, subscription: subscription?.id, to: request)
        Output.write(answer.text, to: STDOUT_FILENO)
    }

    /// - Returns: nil where the token is the next az's to give.
    /// - Throws: also where it would be, and there is no next az.
    private static func token(_ query: TokenQuery, _ environment: ProcessEnvironment) async throws(Failure)
        -> IssuedToken?
    {
        guard let call = try ProgramCall(query, CommandContext(query.options, environment: environment)) else {
            return nil
        }
        if case .refuse(.otherUser) = call.resolution.outcome, NextProgram.isThere(ProgramName.az.rawValue) {
            return nil
        }
        return try await ProgramSignIn(environment).token(call)
    }

    private func pass() throws { try NextProgram.become("az", words) }
}
