import CommandSupport
import Identity
import SilentFirst
import TokenCache

// Two things belong together: kubectl tells a plugin which cluster a token is for, and a rule lets tokens go there.
extension Setup {
    func addKubectl(_ user: String?, _ arguments: [String], to plan: inout SetupPlan) throws(Failure) {
        guard let kubeconfig = Kubeconfig(environment) else {
            guard user == nil else { throw Self.isMissing("kubectl") }
            plan.notes.append("there is no kubectl on PATH: run this again once it is installed")
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
                    .configuration, "\(file.path) has a user \(name) already",
                    hint: "name another one, or remove it with: kubectl config delete-user \(name.shellWord)")
            }
            return
        }
        let before = plan.files.first { $0.path == file.path }?.after ?? file.bytes
        let after = try kubeconfig.added(name, arguments, to: before)
        plan.add(.user(name), of: file, as: after, known: Kubeconfig.lines(name, arguments))
        plan.commands.append(Kubeconfig.command(name, arguments))
    }

    // MARK: Clusters that are there

    /// A kubeconfig that cannot be read or changed is no reason to link nothing.
    private func addClusters(_ kubeconfig: Kubeconfig, to plan: inout SetupPlan) {
        do throws(Failure) {
            let served = try kubeconfig.plugins().uses.compactMap { use -> ClusterUse? in
                use.user.wish(cluster: use.server, environment).map { ClusterUse(use: use, wish: $0) }
            }
            try addRules(served, to: &plan)
            try addClusterInfo(served, kubeconfig, to: &plan)
        } catch {
            plan.warnings.append("clusters are left out: \(error.message)")
        }
    }

    private func addRules(_ served: [ClusterUse], to plan: inout SetupPlan) throws(Failure) {
        var missing: [String: [ProgramRule]] = [:]
        var servers: [String] = []
        for (use, wish) in served.map({ ($0.use, $0.wish) }) where !servers.contains(use.server) {
            servers.append(use.server)
            guard use.server.hasPrefix("https://") else {
                plan.warnings.append("\(use.server) gets no token, which would be sent there for all to read")
                continue
            }
            let environment = use.user.pluginEnvironment(environment)
            var options = wish.options
            options.neverAsks = true
            let settings = try CommandContext(options, environment: environment).settings
            let wishes = served.filter { $0.use.server == use.server }.map(\.wish)
            guard
                let rule = ProgramRule(
                    cluster: use.server, wishes, settings, onlyAccount: { Self.onlyAccount($0, $1, environment) })
            else { continue }
            missing[settings.path, default: []].append(rule)
            if use.isUnchecked {
                plan.warnings.append("the kubeconfig has kubectl trust whatever answers at \(use.server)")
            }
        }
        for (path, rules) in missing.sorted(by: { $0.key < $1.key }) {
            let file = try SetupFile(at: path)
            let after = try SettingsFile(path).adding(rules, to: file.bytes)
            let changes = rules.map { KubectlChange($0) }
            plan.files.append(
                .init(
                    path: file.path, before: file.bytes, after: after, own: changes.map(\.own),
                    lines: ChangedLines.of(file.bytes, after, known: changes.flatMap(\.lines)), isLocked: false))
        }
    }

    /// The only account that a plugin can mean; nil where several are signed in, or nobody.
    private static func onlyAccount(_ wish: ProgramCall.Wish, _ client: String?, _ environment: ProcessEnvironment)
        -> String?
    {
        var common = wish.options
        if common.client == nil, common.clientID == nil { common.client = client }
        let options = TokenOptions(
            common: common, asking: SignInOptions(tenant: wish.tenant ?? wish.defaults.tenant), silent: true)
        let accounts = (try? TokenCall(options, environment: environment) { _ in })?.candidates ?? []
        return accounts.count == 1 ? accounts.first?.label : nil
    }

    private func addClusterInfo(_ served: [ClusterUse], _ kubeconfig: Kubeconfig, to plan: inout SetupPlan)
        throws(Failure)
    {
        var names = Set(served.map(\.use.user).filter { !$0.tellsCluster }.map(\.name))
        for path in kubeconfig.paths where !names.isEmpty {
            let file = try SetupFile(at: path)
            guard let bytes = file.bytes else { continue }
            // What kubectl finds first by a name counts.
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
                    "\(error.message): write provideClusterInfo: true into \(path) for \(users), by hand")
            }
        }
    }
}

/// A plugin that foyer answers, for a cluster.
private struct ClusterUse {
    let use: KubeconfigPlugins.Use
    let wish: ProgramCall.Wish
}

extension SetupPlan {
    /// Notes a change of a kubeconfig, together with those of the same file.
    fileprivate mutating func add(_ change: KubectlChange, of file: SetupFile, as after: [UInt8]?, known: [String]) {
        let earlier = files.firstIndex { $0.path == file.path }
        let own = (earlier.map { files[$0].own } ?? []) + [change.own]
        let lines = ChangedLines.of(file.bytes, after, known: own.flatMap { KubectlChange($0).lines } + known)
        let new = FileChange(path: file.path, before: file.bytes, after: after, own: own, lines: lines)
        if let earlier { files[earlier] = new } else { files.append(new) }
    }
}

extension ProgramRule {
    /// The rule by which the tokens of some plugins go to a cluster: with the client that their arguments mean, and the
    /// account where only one can be meant. What a rule for kubectl says for all clusters stays so for this one.
    ///
    /// - Parameter onlyAccount: called with the client of the rule.
    /// - Returns: nil where a rule names the cluster already.
    init?(
        cluster: String, _ wishes: [ProgramCall.Wish], _ settings: Settings,
        onlyAccount: (ProgramCall.Wish, String?) -> String?
    ) {
        guard !settings.rules.contains(where: { [cluster, "*"].contains($0.conditions[.cluster]) }),
            var request = wishes.first?.request
        else { return nil }
        request.directory = nil
        let general = settings.rules.first { $0.mismatch(with: request) == nil }
        let clients = Set(wishes.map { settings.client(meantBy: $0) ?? general?.client })
        let client = clients.count == 1 ? clients.first.flatMap(\.self) : nil
        let accounts = Set(
            wishes.map { wish -> String? in
                guard wish.options.account == nil else { return nil }
                return general?.account ?? onlyAccount(wish, client)
            })
        self.init(
            [.cluster: cluster], client: client, account: accounts.count == 1 ? accounts.first.flatMap(\.self) : nil,
            tenant: general?.tenant, scopes: general?.scopes ?? [])
    }
}

extension Settings {
    /// The client that a plugin's arguments mean, by a name that a rule can have; nil for another, and where the
    /// settings say it for everything.
    fileprivate func client(meantBy wish: ProgramCall.Wish) -> String? {
        guard let named = wish.options.client ?? wish.options.clientID else {
            return defaultClient == nil && clients.count != 1 ? wish.defaults.client : nil
        }
        if let own = clients.first(where: { $0.name == named || $0.clientID == named }) { return own.name }
        return Client.wellKnown(named)?.name ?? (named.isGUID ? named : nil)
    }
}
