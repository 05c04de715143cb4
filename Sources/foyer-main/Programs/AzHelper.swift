import ArgumentParser
import CommandSupport
import Glibc
import Identity
import Programs

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
        let environment = ProcessEnvironment()
        guard let request = AzureCLIRequest(words) else { return try pass() }
        let profile = AzureProfile(environment)
        let subscription = profile.subscription(request.subscription)
        // Only Azure CLI can look up a subscription that is not in the profile.
        if request.subscription != nil, request.tenant == nil, subscription == nil { return try pass() }
        let query = TokenQuery.az(profile, subscription, environment, scopes: request.scopes, tenant: request.tenant)
        let token: IssuedToken?
        do throws(Failure) { token = try await Self.token(query, environment) } catch {
            // SDKs recognize this text and try their next credential; a refusal by the provider is reported instead.
            if error.wantsOrdinarySignIn {
                Output.write("ERROR: Please run 'az login' to setup account.\n", to: STDERR_FILENO)
            }
            throw error
        }
        guard let token else { return try pass() }
        let answer = AzureCLIAnswer(token, subscription: subscription?.id, to: request)
        Output.write(answer.text, to: STDOUT_FILENO)
    }

    /// - Returns: nil if the next az should get the token.
    /// - Throws: also if it should, but there is no next az.
    private static func token(_ query: TokenQuery, _ environment: ProcessEnvironment) async throws(Failure)
        -> IssuedToken?
    {
        guard let call = try ProgramCall(query, CommandContext(query.options, environment: environment)) else {
            return nil
        }
        if case .refuse(.otherUser) = call.resolution.outcome, NextProgram.isThere(ProgramName.az.rawValue) {
            return nil
        }
        return try await ProgramSignIn(environment: environment).token(call)
    }

    private func pass() throws { try NextProgram.become("az", words) }
}
