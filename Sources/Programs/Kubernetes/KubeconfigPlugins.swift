import CommandSupport
import Identity
import StrictJSON

/// Which users of a kubeconfig have a credential plugin, and for which clusters: as `kubectl config view -o json` tells
/// it, which leaves secrets out.
package struct KubeconfigPlugins: Hashable, Sendable {
    /// A user with a plugin, as a context has them for a cluster.
    package struct Use: Hashable, Sendable {
        package let context: String
        /// The cluster's address, exactly as the plugin is told it.
        package let server: String
        /// Whether anybody who answers at that address counts as the cluster.
        let isUnchecked: Bool
        package let user: KubectlUser
    }

    /// In the order of the file, the current context first.
    package let uses: [Use]
    /// Of all users, with a plugin or without.
    let users: Set<String>
    /// Those whose plugin is told the cluster.
    let telling: Set<String>
    /// The address of the current context's cluster.
    package let currentServer: String?

    private static let maximumBytes = 2_097_152

    /// - Returns: nil for what kubectl does not print.
    package init?(_ bytes: [UInt8]) {
        let limits = JSONLimits(maximumBytes: Self.maximumBytes)
        guard let value = try? JSONValue(parsing: bytes, limits: limits), value.object != nil else { return nil }
        func named(_ list: String, _ member: String) -> [(name: String, value: JSONValue)] {
            (value[list]?.array ?? []).compactMap { entry in
                guard let name = entry["name"]?.string, let value = entry[member] else { return nil }
                return (name, value)
            }
        }
        let clusters = Dictionary(named("clusters", "cluster").map { ($0.name, $0.value) }) { first, _ in first }
        let plugins = Dictionary(
            named("users", "user").compactMap { name, user in KubectlUser(name, user).map { (name, $0) } }
        ) { first, _ in first }
        let contexts = named("contexts", "context")
        let current = value["current-context"]?.string
        func server(_ context: JSONValue) -> String? {
            context["cluster"]?.string.flatMap { clusters[$0]?["server"]?.string }
        }
        users = Set(named("users", "user").map(\.name))
        telling = Set(plugins.values.filter(\.tellsCluster).map(\.name))
        currentServer = contexts.first { $0.name == current }.flatMap { server($0.value) }
        uses = (contexts.filter { $0.name == current } + contexts.filter { $0.name != current }).compactMap {
            name, context in
            guard let server = server(context), let user = context["user"]?.string.flatMap({ plugins[$0] }) else {
                return nil
            }
            let cluster = context["cluster"]?.string.flatMap { clusters[$0] }
            return Use(
                context: name, server: server, isUnchecked: cluster?["insecure-skip-tls-verify"]?.bool ?? false,
                user: user)
        }
    }

    /// Who is for a cluster, by an address as rules compare them: the current context's user first.
    package func uses(of server: String) -> [Use] {
        let rule = ProgramRule([.cluster: server])
        return uses.filter {
            rule.mismatch(with: ProgramRequest(program: ProgramName.kubectl.rawValue, cluster: $0.server)) == nil
        }
    }
}
