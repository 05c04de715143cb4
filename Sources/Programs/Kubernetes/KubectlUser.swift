package import CommandSupport
import Helpers
import StrictJSON

package struct KubectlUser: Hashable, Sendable {
    package let name: String
    let command: String
    let arguments: [String]
    let variables: [String: String]
    /// Whether kubectl passes the cluster to the plugin.
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

    /// The plugin's query; nil for another plugin, and for arguments left to the next program of its name.
    ///
    /// - Parameters:
    ///   - options: from the user; they override the plugin's arguments.
    ///   - cluster: its URL, if kubectl passes it.
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

    package func pluginEnvironment(_ environment: ProcessEnvironment) -> ProcessEnvironment {
        environment.with(variables)
    }

    /// The user's store and settings file override those of the plugin.
    private static func ownQuery(
        _ words: [String], _ options: TokenOptions, cluster: String?, _ environment: ProcessEnvironment
    ) -> TokenQuery? {
        guard let words = CommandWords(words[...], HelperRequest.kubectlWords) else { return nil }
        let own = words.options.split
        var options = options
        options.store = options.store ?? own.options.store
        options.config = options.config ?? own.options.config
        var query = TokenQuery(
            options, ProgramRequest(.kubectl, person: .nobody, cluster: cluster, environment), .cluster)
        query.asked = own.asked
        query.isIDToken = words.has(HelperRequest.idToken)
        return query
    }
}
