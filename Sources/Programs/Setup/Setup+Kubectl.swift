import CommandSupport
import Helpers
import Identity

// Both are needed: kubectl passes the cluster to the plugin, and a rule allows tokens for that cluster.
extension Setup {
    func addKubectl(_ user: String?, _ arguments: [String], to plan: inout SetupPlan) throws(Failure) {
        guard let kubeconfig = Kubeconfig(environment) else {
            guard user == nil else { throw Self.isMissing("kubectl") }
            plan.notes.append("kubectl not found on PATH: install it, then run this again")
            return
        }
        addClusters(kubeconfig, to: &plan)
        if let user { try addUser(user, arguments, kubeconfig, to: &plan) }
    }

    private func addUser(_ user: String, _ arguments: [String], _ kubeconfig: Kubeconfig, to plan: inout SetupPlan)
        throws(Failure)
    {
        let name = try Kubeconfig.checked(user: user)
        let file = try SetupFile(at: try kubeconfig.path())
        plan.notes.append(
            "for a context to use it: kubectl config set-context CONTEXT --user \(name.shellWord); "
                + "then, for its cluster: foyer setup kubectl")
        if let bytes = file.bytes, let there = try kubeconfig.user(name, in: bytes) {
            guard there.isOurs, there.arguments == arguments else {
                throw Failure(
                    .configuration, "\(file.path) already has a user \(name)",
                    hint: "choose another name, or remove it: kubectl config delete-user \(name.shellWord)")
            }
            return
        }
        let before = plan.files.first { $0.path == file.path }?.after ?? file.bytes
        let after = try kubeconfig.added(name, arguments, to: before)
        plan.add(.user(name), of: file, as: after, known: Kubeconfig.lines(name, arguments))
        plan.commands.append(Kubeconfig.command(name, arguments))
    }

    // MARK: Existing clusters

    /// If the kubeconfig cannot be read or changed, links are still made.
    private func addClusters(_ kubeconfig: Kubeconfig, to plan: inout SetupPlan) {
        do throws(Failure) {
            let served = try kubeconfig.plugins().uses.compactMap { use -> ClusterUse? in
                use.user.query(cluster: use.server, environment).map { ClusterUse(use: use, query: $0) }
            }
            try addRules(served, to: &plan)
            try addClusterInfo(served, kubeconfig, to: &plan)
        } catch {
            plan.warnings.append("clusters skipped: \(error.message)")
        }
    }

    private func addRules(_ served: [ClusterUse], to plan: inout SetupPlan) throws(Failure) {
        var missing: [String: [ProgramRule]] = [:]
        var servers: [String] = []
        for use in served.map(\.use) where !servers.contains(use.server) {
            servers.append(use.server)
            guard use.server.hasPrefix("https://") else {
                plan.warnings.append("\(use.server) gets no token: the connection is not encrypted")
                continue
            }
            do throws(Failure) {
                var calls: [PluginCall] = []
                for other in served where other.use.server == use.server {
                    calls.append(try PluginCall(other, environment))
                }
                guard let context = calls.first?.context,
                    let rule = try ProgramRule(cluster: use.server, calls.map(\.meant), context.settings)
                else { continue }
                missing[context.settings.path, default: []].append(rule)
            } catch {
                plan.warnings.append("\(use.server) skipped: \(error.message)")
                continue
            }
            if use.isUnchecked {
                plan.warnings.append("kubectl does not verify the TLS certificate of \(use.server)")
            }
        }
        for (path, rules) in missing.sorted(by: { $0.key < $1.key }) {
            let file = try SetupFile(at: path)
            let after = try SettingsFile(path).adding(rules, to: file.bytes)
            let changes = rules.map { KubectlChange($0) }
            plan.files.append(
                .init(file, to: after, own: changes.map(\.own), known: changes.flatMap(\.lines), isLocked: false))
        }
    }

    private func addClusterInfo(_ served: [ClusterUse], _ kubeconfig: Kubeconfig, to plan: inout SetupPlan)
        throws(Failure)
    {
        var names = Set(served.map(\.use.user).filter { !$0.tellsCluster }.map(\.name))
        for path in kubeconfig.paths where !names.isEmpty {
            let file = try SetupFile(at: path)
            guard let bytes = file.bytes else { continue }
            // kubectl uses the first file that has the name.
            let here = try kubeconfig.plugins(in: bytes).users.intersection(names).sorted()
            names.subtract(here)
            guard !here.isEmpty else { continue }
            do throws(Failure) {
                let after = try kubeconfig.telling(true, here, in: bytes)
                for name in here {
                    plan.add(.clusterInfo(name), of: file, as: after, known: [])
                    plan.commands.append(Kubeconfig.command(name, tellsCluster: true))
                }
            } catch {
                let users = here.joined(separator: ", ")
                plan.warnings.append(
                    "\(error.message): add provideClusterInfo: true to \(path) for \(users)")
            }
        }
    }
}

private struct ClusterUse {
    let use: KubeconfigPlugins.Use
    let query: TokenQuery
}

/// The resolution of a plugin's request with current settings.
private struct PluginCall {
    let context: CommandContext
    let meant: ProgramRule.Meant

    init(_ served: ClusterUse, _ environment: ProcessEnvironment) throws(Failure) {
        var query = served.query
        query.options.neverAsks = true
        context = try CommandContext(query.options, environment: served.use.user.pluginEnvironment(environment))
        let by = try? context.resolvedPlace(query)
        let matches = by.map { [.option, .asked, .program].contains($0.source) } ?? false
        // An unreadable store does not exclude the cluster.
        let call = try? ProgramCall(query, context, isAsked: false)
        var account: Account?
        if case .ask(let accounts)? = call?.resolution.outcome, accounts.count == 1 { account = accounts.first }
        meant = .init(client: matches ? by?.client?.name : nil, account: account?.label)
    }
}

extension SetupPlan {
    /// Adds a change of a kubeconfig to the earlier ones of the same file.
    fileprivate mutating func add(_ change: KubectlChange, of file: SetupFile, as after: [UInt8]?, known: [String]) {
        let earlier = files.firstIndex { $0.path == file.path }
        let own = (earlier.map { files[$0].own } ?? []) + [change.own]
        let new = FileChange(file, to: after, own: own, known: own.flatMap { KubectlChange($0).lines } + known)
        if let earlier { files[earlier] = new } else { files.append(new) }
    }
}

extension ProgramRule {
    /// The client and account that one plugin uses for a cluster.
    struct Meant: Hashable {
        /// From its arguments or its default; nil if the settings decide.
        var client: String?
        /// The only account, or the one in its arguments.
        var account: String?
    }

    /// The rule that allows tokens for a cluster, with the values that its plugins have in common. Values of a general
    /// kubectl rule are kept.
    ///
    /// - Returns: nil if a rule already names the cluster.
    /// - Throws: `configuration` if no rule can name it.
    init?(cluster: String, _ plugins: [Meant], _ settings: Settings) throws(Failure) {
        let request = ProgramRequest(program: ProgramName.kubectl.rawValue, cluster: cluster)
        let isNamed = settings.rules.contains { rule in
            rule.conditions[.cluster].map { ProgramRule([.cluster: $0]).mismatch(with: request) == nil } ?? false
        }
        guard !isNamed else { return nil }
        func common(_ values: [String?]) -> String? { Set(values).count == 1 ? values.first.flatMap(\.self) : nil }
        let general = settings.rules.first { $0.mismatch(with: request) == nil }
        let client = common(plugins.map { $0.client ?? general?.client })
        self.init(
            [.cluster: try ConditionValue(literal: cluster, of: .cluster)],
            // A rule cannot name every client that a plugin's arguments can.
            client: client.flatMap { (try? settings.knownClient(named: $0)) == nil ? nil : $0 },
            account: general?.account ?? common(plugins.map(\.account)), tenant: general?.tenant,
            scopes: general?.scopes ?? [])
    }
}
