package import CommandSupport
import Identity

/// The request that kubectl's plugin would make for a cluster, for `foyer why`.
package struct KubectlTarget: Sendable {
    /// Nil if no supported plugin is found.
    package let query: TokenQuery?
    package let environment: ProcessEnvironment
    /// The plugin's user, or why none was found; one line each.
    package let notes: [String]

    /// - Parameter server: the cluster's URL; nil for the current context's.
    package init(_ server: String?, _ options: TokenOptions, _ environment: ProcessEnvironment) {
        let plugins: KubeconfigPlugins
        do throws(Failure) {
            guard let kubeconfig = Kubeconfig(environment) else { throw Setup.isMissing("kubectl") }
            plugins = try kubeconfig.plugins()
        } catch {
            self.init(environment, "cannot read the kubeconfig: \(error.message)")
            return
        }
        self.init(plugins, server, options, environment)
    }

    init(_ plugins: KubeconfigPlugins, _ server: String?, _ options: TokenOptions, _ environment: ProcessEnvironment) {
        guard let server = server ?? plugins.currentServer else {
            self.init(environment, "the kubeconfig has no current context")
            return
        }
        let uses = plugins.uses(of: server)
        guard let use = uses.first else {
            self.init(environment, "the kubeconfig has no user with a plugin for \(server)")
            return
        }
        let user = use.user
        let whose = "the user \(user.name) of the context \(use.context)"
        guard let query = user.query(options, cluster: user.tellsCluster ? server : nil, environment) else {
            self.init(environment, "\(whose) has a plugin that foyer does not support: \(user.command)")
            return
        }
        let others = Set(uses.map(\.user.name)).subtracting([user.name]).sorted()
        var notes = ["as \(user.command) for \(whose)"]
        if !others.isEmpty { notes.append("other users for this cluster: \(others.joined(separator: ", "))") }
        if !user.tellsCluster {
            notes.append("kubectl does not pass the cluster to the plugin: run \"foyer setup kubectl\"")
        }
        self.init(query: query, environment: user.pluginEnvironment(environment), notes: notes)
    }

    private init(_ environment: ProcessEnvironment, _ note: String) {
        self.init(query: nil, environment: environment, notes: [note])
    }

    private init(query: TokenQuery?, environment: ProcessEnvironment, notes: [String]) {
        (self.query, self.environment, self.notes) = (query, environment, notes)
    }
}
