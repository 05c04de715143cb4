import CommandSupport
import Identity
import StrictJSON

/// A kubeconfig, read and changed by kubectl itself, which writes the whole file anew. Only `kubectl config` is called,
/// which needs no cluster and starts no plugin.
struct Kubeconfig {
    private let kubectl: CheckedProgram
    private let environment: ProcessEnvironment

    static let command = "kubectl-foyer"

    /// - Returns: nil where there is no kubectl.
    init?(_ environment: ProcessEnvironment) {
        guard let kubectl = CheckedProgram("kubectl", environment) else { return nil }
        self.kubectl = kubectl
        self.environment = environment
    }

    /// The files that kubectl reads as one.
    var paths: [String] {
        environment["KUBECONFIG"]?.split(separator: ":").map { environment.expand(String($0)) }
            ?? [environment.home + "/.kube/config"]
    }

    /// - Throws: `usage` when `KUBECONFIG` names several.
    func path() throws(Failure) -> String {
        guard paths.count == 1, let path = paths.first else {
            throw Failure(
                .usage, "KUBECONFIG names several files",
                hint: "name the one to change: KUBECONFIG=FILE foyer setup kubectl --user NAME")
        }
        return path
    }

    // MARK: Plugins

    /// Those of all files.
    func plugins() throws(Failure) -> KubeconfigPlugins { try Self.plugins(view([String]())) }

    /// Those of one file.
    func plugins(in bytes: [UInt8]) throws(Failure) -> KubeconfigPlugins { try Self.plugins(view(bytes)) }

    private static func plugins(_ text: [UInt8]) throws(Failure) -> KubeconfigPlugins {
        guard let plugins = KubeconfigPlugins(text) else {
            throw Failure(.configuration, "kubectl shows a kubeconfig that is no JSON object")
        }
        return plugins
    }

    /// A kubeconfig as kubectl shows it, without secrets.
    private func view(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        var text: [UInt8] = []
        _ = try ScratchCopy.changed(bytes, environment) { copy throws(Failure) in
            text = try view(["--kubeconfig=" + copy])
        }
        return text
    }

    private func view(_ options: [String]) throws(Failure) -> [UInt8] {
        try kubectl.output(["config", "view"] + options + ["-o", "json"], "read the kubeconfig")
    }

    /// The text with plugins that kubectl tells the cluster, or does not tell it any more.
    func telling(_ tellsCluster: Bool, _ names: [String], in bytes: [UInt8]) throws(Failure) -> [UInt8]? {
        try ScratchCopy.changed(bytes, environment) { copy throws(Failure) in
            for name in names {
                _ = try kubectl.output(
                    ["config", "--kubeconfig=" + copy] + Self.words(name, tellsCluster: tellsCluster),
                    "change the kubeconfig")
            }
        }
    }

    /// `kubectl config set` knows no path into a plugin, whatever the user is called.
    private static func words(_ name: String, tellsCluster: Bool) -> [String] {
        ["set-credentials", "--exec-provide-cluster-info=\(tellsCluster)", "--", name]
    }

    /// What a person would type.
    static func command(_ name: String, tellsCluster: Bool) -> String {
        (["kubectl config"] + words(name, tellsCluster: tellsCluster).map(\.shellWord)).joined(separator: " ")
    }

    // MARK: Users

    /// A user of it, as far as it is told without secrets.
    struct User: Hashable {
        /// Nil where it has no credential plugin.
        var command: String?
        var arguments: [String]
        /// Whether it has anything beside the plugin.
        var hasMore: Bool

        var isOurs: Bool { command == Kubeconfig.command && !hasMore }
    }

    /// - Returns: nil where there is no such user.
    func user(_ name: String, in bytes: [UInt8]) throws(Failure) -> User? {
        let text = try view(bytes)
        let users = (try? JSONValue(parsing: text, limits: JSONLimits(maximumBytes: 2_097_152)))?["users"]?.array
        guard let user = users?.first(where: { $0["name"]?.string == name })?["user"] else { return nil }
        let exec = user["exec"]
        return User(
            command: exec?["command"]?.string, arguments: exec?["args"]?.array?.compactMap(\.string) ?? [],
            hasMore: (user.object?.members.count ?? 0) > 1)
    }

    /// The text with a user whose credentials foyer gives.
    func added(_ name: String, _ arguments: [String], to bytes: [UInt8]?) throws(Failure) -> [UInt8]? {
        try ScratchCopy.changed(bytes, environment) { copy throws(Failure) in
            let words = ["config", "--kubeconfig=" + copy] + Self.words(name, arguments)
            // Version 1 needs the mode, which a kubectl before 1.30 cannot write; v1beta1 has one where none is named.
            if let end = kubectl.run(words + Self.modes + [Self.version("v1")]), end.status == 0 { return }
            _ = try kubectl.output(words + [Self.version("v1beta1")], "change the kubeconfig")
        }
    }

    private static let modes = ["--exec-interactive-mode=IfAvailable", "--exec-provide-cluster-info=true"]
    private static func version(_ version: String) -> String {
        "--exec-api-version=client.authentication.k8s.io/" + version
    }
    private static func words(_ name: String, _ arguments: [String]) -> [String] {
        ["set-credentials", name, "--exec-command=" + command] + arguments.map { "--exec-arg=" + listed($0) }
    }

    /// A value of an option of kubectl's that takes a list, which is a line of CSV.
    private static func listed(_ value: String) -> String {
        guard value.contains(where: { [",", "\"", "\n"].contains($0) }) else { return value }
        return "\"" + value.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// The text without what setup had changed in it.
    ///
    /// - Throws: `configuration` when somebody has changed a user since that setup had added.
    func without(_ changes: [KubectlChange], from bytes: [UInt8]) throws(Failure) -> [UInt8]? {
        var text: [UInt8]? = bytes
        for change in changes {
            guard let now = text else { continue }
            switch change {
            case .user(let name):
                guard let user = try user(name, in: now) else { continue }
                guard user.isOurs else { throw Failure(.configuration, "the user \(name) is another one by now") }
                text = try ScratchCopy.changed(now, environment) { copy throws(Failure) in
                    _ = try kubectl.output(
                        ["config", "--kubeconfig=" + copy, "delete-user", name], "change the kubeconfig")
                }
            case .clusterInfo(let name):
                guard try plugins(in: now).telling.contains(name) else { continue }
                text = try telling(false, [name], in: now)
            case .rule: continue
            }
        }
        return text
    }

    func isRunning() -> Bool { kubectl.run(["version", "--client"])?.status == 0 }

    /// What a person would type.
    static func command(_ name: String, _ arguments: [String]) -> String {
        (["kubectl config"] + (words(name, arguments) + modes + [version("v1")]).map(\.shellWord)).joined(
            separator: " ")
    }

    /// The lines that kubectl writes for such a user.
    static func lines(_ name: String, _ arguments: [String]) -> [String] {
        [
            "- name: \(name)", "user:", "users:", "exec:", "apiVersion: client.authentication.k8s.io/v1",
            "apiVersion: client.authentication.k8s.io/v1beta1", "args:", "args: null", "command: \(command)",
            "env: null", "interactiveMode: IfAvailable", "provideClusterInfo: true", "provideClusterInfo: false",
            "apiVersion: v1", "clusters: null", "contexts: null", "current-context: \"\"", "kind: Config",
            "preferences: {}", "clusters:", "contexts:", "users: null", "users: []",
        ] + arguments.flatMap { ["- \($0)", "- \"\($0)\"", "- '\($0)'"] }
    }

    /// - Throws: `usage`.
    static func checked(user name: String) throws(Failure) -> String {
        let isFine =
            !name.isEmpty && name.utf8.count <= 253 && !name.hasPrefix("-")
            && name.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 0x20 && $0.value < 0x7F }
        guard isFine else {
            throw Failure(.usage, "a user of a kubeconfig has a name without spaces", hint: "such as --user contoso")
        }
        return name
    }
}
