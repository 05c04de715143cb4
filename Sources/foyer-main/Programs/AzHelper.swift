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
        var wish = ProgramCall.Wish(
            ProgramRequest(
                program: ProgramName.az.rawValue, directory: environment.workingFolder, home: environment.home),
            options: CommonOptions(scopes: request.scopes), tenant: request.tenant,
            defaults: ProgramChoice.Defaults(client: "Azure CLI"))
        wish.defaults.tenant = subscription?.tenant
        let token: ProgramToken?
        do throws(Failure) { token = try await Self.token(wish, subscription?.user, environment) } catch {
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

    /// - Parameter user: whom Azure CLI is set to; they count where no rule names an account.
    /// - Returns: nil where the token is the next az's to give.
    /// - Throws: also where it would be, and there is no next az.
    private static func token(
        _ wish: ProgramCall.Wish, _ user: AzureProfile.User?, _ environment: ProcessEnvironment
    ) async throws(Failure) -> ProgramToken? {
        guard let call = try ProgramCall(wish, environment) else { return nil }
        let signIn = ProgramSignIn(environment)
        guard let user, call.choice.account == nil else { return try await signIn.token(call, wish) }
        if let account = user.account(among: call.candidates) {
            var wish = wish
            wish.options.account = account.homeAccountID
            guard let chosen = try ProgramCall(wish, environment) else { return nil }
            return try await signIn.token(chosen, wish)
        }
        guard !NextProgram.isThere(ProgramName.az.rawValue) else { return nil }
        // Somebody else's token would be another's authority under this one's name.
        return try await call.noting { () throws(Failure) in throw user.failure(client: call.call.client.name) }
    }

    private func pass() throws { try NextProgram.become("az", words) }
}
