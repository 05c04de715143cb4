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
    /// - Parameters:
    ///   - options: a person's own, which hold whatever the plugin's arguments say.
    ///   - cluster: its address, where kubectl tells it.
    /// - Returns: nil for another plugin, and for arguments that are left to the next program of its name.
    package func query(
        _ options: TokenOptions = TokenOptions(), cluster: String?, _ environment: ProcessEnvironment
    ) -> TokenQuery? {
        let environment = pluginEnvironment(environment)
        var words = arguments[...]
        var plugin = command.split(separator: "/").last.map(String.init) ?? ""
        // kubectl looks for a program of that name, with _ for -.
        if plugin == "kubectl", let word = words.popFirst() {
            plugin = "kubectl-" + word.split(separator: "-").joined(separator: "_")
        }
        switch plugin {
        case "kubelogin": return KubeloginArguments(Array(words))?.query(options, cluster: cluster, environment)
        case "kubectl-oidc_login":
            return OIDCLoginArguments(Array(words))?.query(options, cluster: cluster, environment)
        case Kubeconfig.command: return Self.ownQuery(Array(words), options, cluster: cluster, environment)
        default: return nil
        }
    }

    /// That of ``query(_:cluster:_:)``.
    package func pluginEnvironment(_ environment: ProcessEnvironment) -> ProcessEnvironment {
        environment.with(variables)
    }

    /// The options of `kubectl-foyer` are those of `foyer token`; what is not about the token is a person's own where
    /// they name it.
    private static func ownQuery(
        _ words: [String], _ options: TokenOptions, cluster: String?, _ environment: ProcessEnvironment
    ) -> TokenQuery? {
        let idToken = "--id-token"
        guard let own = FastPathArguments.token(["token"] + words.filter { $0 != idToken })?.split else { return nil }
        var options = options
        options.store = options.store ?? own.options.store
        options.config = options.config ?? own.options.config
        var query = TokenQuery(options, ProgramRequest(.kubectl, cluster: cluster, environment), .cluster)
        query.asked = own.asked
        query.isIDToken = words.contains(idToken)
        return query
    }
}
