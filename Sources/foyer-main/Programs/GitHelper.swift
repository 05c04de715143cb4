import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc
import Helpers
import Identity
import TokenCache

/// `git-credential-foyer`, see git-credential(1).
struct GitHelper: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "git", abstract: "Credential helper for Git (run as git-credential-foyer)",
        discussion: """
            Set up with: git config --global credential.helper foyer. Serves Azure DevOps, hosts named by a rule, and \
            hosts of configured OpenID Connect and OAuth providers; no others.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var tenancy: TenantOption
    @Argument(help: "get, store, erase or capability; unknown ones are ignored") var verb: String

    func run() async throws {
        let environment = ProcessEnvironment()
        switch verb {
        case "get": try await get(environment)
        case "erase": try erase(environment)
        case "capability": Output.write("version 0\ncapability authtype\ncapability state\n", to: STDOUT_FILENO)
        default: _ = HelperInput.read(limit: GitCredential.longest)
        }
    }

    private func get(_ environment: ProcessEnvironment) async throws {
        let credential = try GitCredential(HelperInput.read(limit: GitCredential.longest))
        guard credential.address() != nil else { return }
        let request = HelperRequest.git(credential, try shared.adding(tenancy).checked(), environment)
        do throws(Failure) {
            let signIn = ProgramSignIn(environment: environment)
            guard let answer = try await signIn.answer(request, leavesOthers: true) else { return }
            Output.write(answer, to: STDOUT_FILENO)
        } catch {
            // Otherwise Git would prompt for a password, and there is none.
            Output.write(GitAnswer.quit, to: STDOUT_FILENO)
            throw error
        }
    }

    /// The server rejected git's token: the next request gets another one, from the organization's current tenant.
    private func erase(_ environment: ProcessEnvironment) throws {
        let credential = try GitCredential(HelperInput.read(limit: GitCredential.longest))
        if let secret = credential.secret { RejectedTokens(environment).note(secret, at: Date()) }
        if let devOps = credential.devOps { AzureDevOpsTenants(environment).forget(devOps) }
    }
}
