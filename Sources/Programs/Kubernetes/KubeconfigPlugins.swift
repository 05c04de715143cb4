import CommandSupport
import StrictJSON

/// A kubeconfig's users with a credential plugin and their clusters, as `kubectl config view -o json` prints them,
/// without secrets.
package struct KubeconfigPlugins: Hashable, Sendable {
    /// A context that combines a cluster with a user who has a plugin.
    package struct Use: Hashable, Sendable {
        package let context: String
        /// The cluster's URL, exactly as passed to the plugin.
        package let server: String
        /// Whether the cluster's TLS certificate is not verified.
        let isUnchecked: Bool
        package let user: KubectlUser
    }

    /// In file order, the current context first.
    package let uses: [Use]
    let users: Set<String>
    /// Users whose plugin receives the cluster.
    let telling: Set<String>
    package let currentServer: String?

    private static let maximumBytes = 2_097_152

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

    /// Uses of a cluster, by a URL compared like in rules; the current context first.
    package func uses(of server: String) -> [Use] {
        guard let server = try? ConditionValue(literal: server, of: .cluster) else { return [] }
        let rule = ProgramRule([.cluster: server])
        return uses.filter {
            rule.mismatch(with: ProgramRequest(program: ProgramName.kubectl.rawValue, cluster: $0.server)) == nil
        }
    }
}
