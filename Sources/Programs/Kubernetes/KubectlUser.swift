package import CommandSupport
import Identity
import StrictJSON

/// A user of a kubeconfig with a credential plugin.
package struct KubectlUser: Hashable, Sendable {
    package let name: String
    let command: String
    let arguments: [String]
    /// Variables that kubectl sets for the plugin.
    let variables: [String: String]
    /// Whether kubectl tells the plugin which cluster the token is for.
    let tellsCluster: Bool

    /// - Returns: nil for a user without a plugin.
    init?(_ name: String, _ user: JSONValue) {
        guard let exec = user["exec"], let command = exec["command"]?.string else { return nil }
        self.name = name
        self.command = command
        arguments = exec["args"]?.array?.compactMap(\.string) ?? []
        variables = (exec["env"]?.array ?? []).reduce(into: [:]) { variables, variable in
            if let name = variable["name"]?.string { variables[name] = variable["value"]?.string ?? "" }
        }
        tellsCluster = exec["provideClusterInfo"]?.bool ?? false
    }

    /// What the plugin asks for, where it is one that foyer is called as.
    ///
    /// - Parameter cluster: its address, where kubectl tells it.
    /// - Returns: nil for another plugin, and for arguments that are left to the next program of its name.
    package func wish(cluster: String?, _ environment: ProcessEnvironment) -> ProgramCall.Wish? {
        let environment = pluginEnvironment(environment)
        var words = arguments[...]
        var plugin = command.split(separator: "/").last.map(String.init) ?? ""
        // kubectl looks for a program of that name, with _ for -.
        if plugin == "kubectl", let word = words.popFirst() {
            plugin = "kubectl-" + word.split(separator: "-").joined(separator: "_")
        }
        switch plugin {
        case "kubelogin": return KubeloginArguments(Array(words))?.wish(cluster: cluster, environment)
        case "kubectl-oidc_login": return OIDCLoginArguments(Array(words))?.wish(cluster: cluster, environment)
        case Kubeconfig.command: return Self.ownWish(Array(words), cluster: cluster, environment)
        default: return nil
        }
    }

    /// That of ``wish(cluster:_:)``.
    package func pluginEnvironment(_ environment: ProcessEnvironment) -> ProcessEnvironment {
        environment.with(variables)
    }

    /// The options of `kubectl-foyer` are those of `foyer token`.
    private static func ownWish(_ words: [String], cluster: String?, _ environment: ProcessEnvironment)
        -> ProgramCall.Wish?
    {
        let idToken = "--id-token"
        guard let options = FastPathArguments.token(["token"] + words.filter { $0 != idToken }) else { return nil }
        var wish = ProgramCall.Wish(
            ProgramRequest(
                program: ProgramName.kubectl.rawValue, cluster: cluster, directory: environment.workingFolder,
                home: environment.home),
            options: options.common, tenant: options.asking.tenant)
        wish.isIDToken = words.contains(idToken)
        return wish
    }
}
