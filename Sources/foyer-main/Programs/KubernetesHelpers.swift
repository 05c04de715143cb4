import ArgumentParser
import CommandSupport
import Glibc
import Helpers

/// `kubectl-foyer`, a credential plugin for client-go.
struct KubectlHelper: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kubectl", abstract: "Credential plugin for kubectl (run as kubectl-foyer)",
        discussion: "In a kubeconfig: command: kubectl-foyer, args: [--client, work, --scope, SERVER/.default].")
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var tenancy: TenantOption
    @Flag(name: .customLong("id-token"), help: "Use an ID token, for clusters that accept the provider's")
    var isIDToken = false

    func run() async throws {
        let options = try shared.adding(tenancy).checked()
        try await answer(.kubectl(options, isIDToken: isIDToken, ProcessEnvironment()))
    }
}

/// `kubelogin`, with the options in kubeconfigs of AKS.
struct KubeloginHelper: PassthroughHelper {
    static let configuration = CommandConfiguration(
        commandName: "kubelogin", abstract: "Tokens for AKS (run as kubelogin)",
        discussion: """
            Link it as kubelogin on PATH: kubeconfigs of "az aks get-credentials" keep working. Service principals and \
            managed identities go to the next kubelogin on PATH.
            """)
    @Argument(parsing: .captureForPassthrough, help: "kubelogin arguments") var words: [String] = []

    func run() async throws {
        guard let request = try HelperRequest.kubelogin(words, ProcessEnvironment()) else {
            try NextProgram.become("kubelogin", words)
        }
        try await answer(request)
    }
}

/// `kubectl-oidc_login`, with the options in kubeconfigs for OpenID Connect.
struct OIDCLoginHelper: PassthroughHelper {
    static let configuration = CommandConfiguration(
        commandName: "oidc-login", abstract: "ID tokens for kubectl (run as kubectl-oidc_login)",
        discussion: """
            Link it as kubectl-oidc_login on PATH: kubeconfigs with "kubectl oidc-login get-token" keep working. \
            Clients with a secret and non-interactive logins go to the next kubectl-oidc_login.
            """)
    @Argument(parsing: .captureForPassthrough, help: "kubectl oidc-login arguments") var words: [String] = []

    func run() async throws {
        guard let request = try HelperRequest.oidcLogin(words, ProcessEnvironment()) else {
            try NextProgram.become("kubectl-oidc_login", words)
        }
        try await answer(request)
    }
}

private func answer(_ request: HelperRequest) async throws {
    let signIn = ProgramSignIn(environment: request.environment)
    if let answer = try await signIn.answer(request) { Output.write(answer, to: STDOUT_FILENO) }
}
