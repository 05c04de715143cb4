import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc
import Identity
import Programs

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
        let environment = ProcessEnvironment()
        let exec = try ExecCredential(environment)
        // These options come from a kubeconfig, which can be untrusted.
        let (options, asked) = try shared.adding(tenancy).checked().split
        var query = TokenQuery(options, ProgramRequest(.kubectl, cluster: exec.cluster, environment), .cluster)
        query.asked = asked
        query.isIDToken = isIDToken
        try await answer(exec, query, environment)
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
        guard let arguments = KubeloginArguments(words) else { try NextProgram.become("kubelogin", words) }
        let environment = ProcessEnvironment()
        let exec = try ExecCredential(environment)
        try await answer(exec, arguments.query(cluster: exec.cluster, environment), environment)
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
        guard let arguments = OIDCLoginArguments(words) else { try NextProgram.become("kubectl-oidc_login", words) }
        let environment = ProcessEnvironment()
        let exec = try ExecCredential(environment)
        try await answer(exec, arguments.query(cluster: exec.cluster, environment), environment)
    }
}

private func answer(_ exec: ExecCredential, _ query: TokenQuery, _ environment: ProcessEnvironment) async throws {
    var query = query
    // A user who runs it by hand has the token, and no cluster.
    if !exec.isAsked { query.place.mustBeNamed = nil }
    let calls = RetryDetector(environment, for: exec.cluster)
    guard let call = try ProgramCall(query, CommandContext(query.options, environment: environment)) else { return }
    let cached = call.refusal == nil ? try call.cachedToken() : nil
    let refused = cached.flatMap { calls.contains($0.secret, at: Date()) ? $0 : nil }
    let token: IssuedToken
    do throws(Failure) {
        token = try await ProgramSignIn(environment: environment).token(refused == nil ? call : call.renewing)
    } catch {
        // The rejection is only a guess, and without a network there is no other token.
        guard error.code == .unavailable, let refused else { throw error }
        token = refused
    }
    calls.note(token.secret, at: Date())
    Output.write(exec.answer(token), to: STDOUT_FILENO)
}
