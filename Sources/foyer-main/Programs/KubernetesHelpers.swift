import ArgumentParser
import CommandSupport
import Glibc
import Identity
import Programs

/// `kubectl-foyer`, a credential plugin of client-go.
struct KubectlHelper: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kubectl", abstract: "A credential plugin for kubectl, called as kubectl-foyer",
        discussion: "As in a kubeconfig: command: kubectl-foyer, args: [--client, work, --scope, SERVER/.default].")
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @Option(help: ArgumentHelp("Tenant, by id or domain", valueName: "id"))
    var tenant: String?
    @Flag(name: .customLong("id-token"), help: "For a cluster that takes ID tokens of an OpenID Connect provider")
    var isIDToken = false

    func run() async throws {
        let environment = ProcessEnvironment()
        let exec = try ExecCredential(environment["KUBERNETES_EXEC_INFO"])
        let wish = ProgramCall.Wish(
            ProgramRequest(
                program: ProgramName.kubectl.rawValue, cluster: exec.cluster, directory: environment.workingFolder,
                home: environment.home),
            options: try shared.choices(), tenant: tenant)
        try await answer(exec, wish, environment, isIDToken: isIDToken)
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
        let exec = try ExecCredential(environment["KUBERNETES_EXEC_INFO"])
        try await answer(exec, arguments.wish(cluster: exec.cluster, environment), environment)
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
        let exec = try ExecCredential(environment["KUBERNETES_EXEC_INFO"])
        try await answer(exec, arguments.wish(cluster: exec.cluster, environment), environment)
    }
}

/// - Parameter isIDToken: for a cluster that takes those.
private func answer(
    _ exec: ExecCredential, _ wish: ProgramCall.Wish, _ environment: ProcessEnvironment, isIDToken: Bool = false
) async throws {
    var wish = wish
    let calls = RepeatedCalls(environment, for: exec.cluster)
    wish.isIDToken = wish.isIDToken || isIDToken
    guard var call = try ProgramCall(wish, environment) else { return }
    if let token = try call.cachedToken(), calls.contains(token.secret) {
        wish.forceRefresh = true
        if let renewing = try ProgramCall(wish, environment) { call = renewing }
    }
    let token = try await ProgramSignIn(environment).token(call, wish)
    calls.note(token.secret)
    Output.write(exec.answer(token), to: STDOUT_FILENO)
}
