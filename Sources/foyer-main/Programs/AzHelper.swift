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
            As a link named az before the real one on PATH. "az account get-access-token" is answered from here, all
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
        var wish = ProgramCall.Wish(
            ProgramRequest(
                program: ProgramName.az.rawValue, directory: environment.workingFolder, home: environment.home),
            options: CommonOptions(scopes: request.scopes), tenant: request.tenant,
            defaults: ProgramChoice.Defaults(client: "Azure CLI"))
        wish.defaults.tenant = subscription?.tenant
        do throws(Failure) {
            guard var call = try ProgramCall(wish, environment) else { return }
            if let user = subscription?.user, call.choice.account == nil,
                let account = call.candidates.first(where: { $0.username == user })
            {
                wish.options.account = account.homeAccountID
                if let chosen = try ProgramCall(wish, environment) { call = chosen }
            }
            let token = try await ProgramSignIn(environment).token(call, wish)
            let answer = AzureCLIAnswer(token, subscription: subscription?.id, to: request)
            Output.write(answer.text, to: STDOUT_FILENO)
        } catch {
            // By these words an SDK knows that its next credential is to be tried; a refusal of the provider is told.
            if error.wantsOrdinarySignIn {
                Output.write("ERROR: Please run 'az login' to setup account.\n", to: STDERR_FILENO)
            }
            throw error
        }
    }

    private func pass() throws { try NextProgram.become("az", words) }
}
