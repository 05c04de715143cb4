import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc
import Identity
import Programs

/// `kubectl-foyer`, a credential plugin of client-go.
struct KubectlHelper: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kubectl", abstract: "A credential plugin for kubectl, called as kubectl-foyer",
        discussion: "As in a kubeconfig: command: kubectl-foyer, args: [--client, work, --scope, SERVER/.default].")
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @OptionGroup var tenancy: TenantOption
    @Flag(name: .customLong("id-token"), help: "For a cluster that takes ID tokens of an OpenID Connect provider")
    var isIDToken = false

    func run() async throws {
        let environment = ProcessEnvironment()
        let exec = try ExecCredential(environment)
        // A kubeconfig, which may be a stranger's, writes these options.
        let (options, asked) = try shared.adding(tenancy).checked().split
        var query = TokenQuery(options, ProgramRequest(.kubectl, cluster: exec.cluster, environment), .cluster)
        query.asked = asked
        query.isIDToken = isIDToken
        try await answer(exec, query, environment)
    }
}

/// `kubelogin`, with the options that kubeconfigs of AKS carry.
struct KubeloginHelper: PassthroughHelper {
    static let configuration = CommandConfiguration(
        commandName: "kubelogin", abstract: "Tokens for AKS, called as kubelogin",
        discussion: """
            As a link named kubelogin on PATH: kubeconfigs that "az aks get-credentials" has written go on working.
            What is not a person's sign-in is left to the next kubelogin.
            """)
    @Argument(parsing: .captureForPassthrough, help: "Arguments of kubelogin") var words: [String] = []

    func run() async throws {
        guard let arguments = KubeloginArguments(words) else { try NextProgram.become("kubelogin", words) }
        let environment = ProcessEnvironment()
        let exec = try ExecCredential(environment)
        try await answer(exec, arguments.query(cluster: exec.cluster, environment), environment)
    }
}

/// `kubectl-oidc_login`, with the options that kubeconfigs for OpenID Connect carry.
struct OIDCLoginHelper: PassthroughHelper {
    static let configuration = CommandConfiguration(
        commandName: "oidc-login", abstract: "ID tokens for kubectl, called as kubectl-oidc_login",
        discussion: """
            As a link named kubectl-oidc_login on PATH: kubeconfigs with "kubectl oidc-login get-token" go on working.
            Clients with a secret, and what is not a person's sign-in, are left to the next kubectl-oidc_login.
            """)
    @Argument(parsing: .captureForPassthrough, help: "Arguments of kubectl oidc-login") var words: [String] = []

    func run() async throws {
        guard let arguments = OIDCLoginArguments(words) else { try NextProgram.become("kubectl-oidc_login", words) }
        let environment = ProcessEnvironment()
        let exec = try ExecCredential(environment)
        try await answer(exec, arguments.query(cluster: exec.cluster, environment), environment)
    }
}

private func answer(_ exec: ExecCredential, _ query: TokenQuery, _ environment: ProcessEnvironment) async throws {
    var query = query
    // Whoever runs it by hand has the token, and no cluster.
    if !exec.isAsked { query.place.mustBeNamed = nil }
    let calls = RepeatedCalls(environment, for: exec.cluster)
    guard let call = try ProgramCall(query, CommandContext(query.options, environment: environment)) else { return }
    let cached = call.refusal == nil ? try call.cachedToken() : nil
    let refused = cached.flatMap { calls.contains($0.secret, at: Date()) ? $0 : nil }
    let token: IssuedToken
    do throws(Failure) {
        token = try await ProgramSignIn(environment).token(refused == nil ? call : call.renewing)
    } catch {
        // Nobody has said that it was refused, and without a network there is no better one.
        guard error.code == .unavailable, let refused else { throw error }
        token = refused
    }
    calls.note(token.secret, at: Date())
    Output.write(exec.answer(token), to: STDOUT_FILENO)
}
