package import CommandSupport
import Identity

/// The request that kubectl's plugin makes for a cluster, for whoever asks what becomes of it.
package struct KubectlTarget: Sendable {
    /// Nil where no plugin is known.
    package let query: TokenQuery?
    /// The plugin's.
    package let environment: ProcessEnvironment
    /// Whose plugin it is, and what keeps it from being found, each a line for a person.
    package let notes: [String]

    /// - Parameters:
    ///   - server: the cluster's address; nil for the current context's.
    ///   - options: those that a person names.
    package init(_ server: String?, _ options: TokenOptions, _ environment: ProcessEnvironment) {
        let plugins: KubeconfigPlugins
        do throws(Failure) {
            guard let kubeconfig = Kubeconfig(environment) else { throw Setup.isMissing("kubectl") }
            plugins = try kubeconfig.plugins()
        } catch {
            self.init(environment, "no kubeconfig was read: \(error.message)")
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
            self.init(environment, "\(whose) has a plugin that foyer does not answer: \(user.command)")
            return
        }
        let others = Set(uses.map(\.user.name)).subtracting([user.name]).sorted()
        var notes = ["as \(user.command) is called for \(whose)"]
        if !others.isEmpty { notes.append("for this cluster there are also \(others.joined(separator: ", "))") }
        if !user.tellsCluster {
            notes.append("kubectl does not tell it which cluster the token is for: run \"foyer setup kubectl\"")
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
