import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc
import Identity
import Programs
import TokenCache

/// `git-credential-foyer`, see git-credential(1).
struct GitHelper: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "git", abstract: "Credential helper for Git (run as git-credential-foyer)",
        discussion: """
            Set up with: git config --global credential.helper foyer. Serves Azure DevOps, hosts named by a rule, and \
            hosts of configured OpenID Connect providers; no others.
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
        let options = try shared.adding(tenancy).checked()
        do throws(Failure) {
            guard let call = try await resolved(credential, options, environment) else { return }
            let token = try await ProgramSignIn(environment: environment).token(call)
            say(GitAnswer(token, to: credential, takesBearer: credential.devOps != nil).lines)
        } catch {
            // Otherwise Git would prompt for a password, and there is none.
            say(GitAnswer.quit)
            throw error
        }
    }

    /// - Returns: nil for a host that no rule or setting names.
    private func resolved(
        _ credential: GitCredential, _ options: TokenOptions, _ environment: ProcessEnvironment
    ) async throws(Failure) -> ProgramCall? {
        let context = try CommandContext(options, environment: environment)
        var query = credential.query(options, environment)
        query.asked.forceRefresh = credential.isSecondChance
        if credential.isSecondChance {
            query.asked.claims = ClaimsChallenge(wwwAuthenticate: credential.wwwAuthenticate)?.claims
        }
        guard let call = try await ProgramCall.inTenant(of: credential.devOps, query, context) else { return nil }
        let isRefused =
            call.refusal == nil
            ? try call.cachedToken().map { RejectedTokens(environment).contains($0.secret, at: Date()) } : nil
        return isRefused == true ? call.renewing : call
    }

    /// The server rejected git's token: the next request gets another one, from the organization's current tenant.
    private func erase(_ environment: ProcessEnvironment) throws {
        let credential = try GitCredential(HelperInput.read(limit: GitCredential.longest))
        if let secret = credential.secret { RejectedTokens(environment).note(secret, at: Date()) }
        if let devOps = credential.devOps {
            AzureDevOpsTenants(try CommandContext(shared.choices(), environment: environment)).forget(devOps)
        }
    }

    private func say(_ lines: [String]) { Output.write(lines.map { $0 + "\n" }.joined(), to: STDOUT_FILENO) }
}
