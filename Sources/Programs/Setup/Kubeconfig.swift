import CommandSupport
import Identity
import StrictJSON

/// A kubeconfig, read and changed by kubectl itself, which rewrites the whole file. Only `kubectl config` is called: it
/// needs no cluster and starts no plugin.
struct Kubeconfig {
    private let kubectl: CheckedProgram
    private let environment: ProcessEnvironment

    static let command = "kubectl-foyer"

    init?(_ environment: ProcessEnvironment) {
        guard let kubectl = CheckedProgram("kubectl", environment) else { return nil }
        self.kubectl = kubectl
        self.environment = environment
    }

    /// The files that kubectl merges.
    var paths: [String] {
        environment["KUBECONFIG"]?.split(separator: ":").map { environment.expand(String($0)) }
            ?? [environment.home + "/.kube/config"]
    }

    func path() throws(Failure) -> String {
        guard paths.count == 1, let path = paths.first else {
            throw Failure(
                .usage, "KUBECONFIG names several files",
                hint: "choose one: KUBECONFIG=FILE foyer setup kubectl --user NAME")
        }
        return path
    }

    // MARK: Plugins

    func plugins() throws(Failure) -> KubeconfigPlugins { try Self.plugins(view([String]())) }

    func plugins(in bytes: [UInt8]) throws(Failure) -> KubeconfigPlugins { try Self.plugins(view(bytes)) }

    private static func plugins(_ text: [UInt8]) throws(Failure) -> KubeconfigPlugins {
        guard let plugins = KubeconfigPlugins(text) else {
            throw Failure(.configuration, "kubectl's kubeconfig output is not a JSON object")
        }
        return plugins
    }

    /// The kubeconfig as printed by kubectl, without secrets.
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

    /// The text after changing whether kubectl passes the cluster to these users' plugins.
    func telling(_ tellsCluster: Bool, _ names: [String], in bytes: [UInt8]) throws(Failure) -> [UInt8]? {
        try changed(bytes, names.map { Self.words($0, tellsCluster: tellsCluster) })
    }

    private func changed(_ bytes: [UInt8], _ commands: [[String]]) throws(Failure) -> [UInt8]? {
        try ScratchCopy.changed(bytes, environment) { copy throws(Failure) in
            for words in commands {
                _ = try kubectl.output(["config", "--kubeconfig=" + copy] + words, "change the kubeconfig")
            }
        }
    }

    /// `kubectl config set` cannot set fields of a plugin.
    private static func words(_ name: String, tellsCluster: Bool) -> [String] {
        ["set-credentials", "--exec-provide-cluster-info=\(tellsCluster)", "--", name]
    }

    static func command(_ name: String, tellsCluster: Bool) -> String {
        (["kubectl config"] + words(name, tellsCluster: tellsCluster).map(\.shellWord)).joined(separator: " ")
    }

    // MARK: Users

    struct User: Hashable {
        var command: String?
        var arguments: [String]
        /// Whether it has anything in addition to the plugin.
        var hasMore: Bool

        var isOurs: Bool { command == Kubeconfig.command && !hasMore }
    }

    func user(_ name: String, in bytes: [UInt8]) throws(Failure) -> User? {
        let text = try view(bytes)
        let users = (try? JSONValue(parsing: text, limits: JSONLimits(maximumBytes: 2_097_152)))?["users"]?.array
        guard let user = users?.first(where: { $0["name"]?.string == name })?["user"] else { return nil }
        let exec = user["exec"]
        return User(
            command: exec?["command"]?.string, arguments: exec?["args"]?.array?.compactMap(\.string) ?? [],
            hasMore: (user.object?.members.count ?? 0) > 1)
    }

    func added(_ name: String, _ arguments: [String], to bytes: [UInt8]?) throws(Failure) -> [UInt8]? {
        try ScratchCopy.changed(bytes, environment) { copy throws(Failure) in
            let words = ["config", "--kubeconfig=" + copy] + Self.words(name, arguments)
            // v1 needs the interactive mode, which kubectl before 1.30 cannot write; v1beta1 has a default.
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

    /// Quotes a value for kubectl's list options, which are parsed as CSV.
    private static func listed(_ value: String) -> String {
        guard value.contains(where: { [",", "\"", "\n"].contains($0) }) else { return value }
        return "\"" + value.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// The text without setup's changes. Throws `configuration` if a user that setup added was changed.
    func without(_ changes: [KubectlChange], from bytes: [UInt8]) throws(Failure) -> [UInt8]? {
        var text: [UInt8]? = bytes
        for change in changes {
            guard let now = text else { continue }
            switch change {
            case .user(let name):
                guard let user = try user(name, in: now) else { continue }
                guard user.isOurs else { throw Failure(.configuration, "the user \(name) has changed") }
                text = try changed(now, [["delete-user", name]])
            case .clusterInfo(let name):
                guard try plugins(in: now).telling.contains(name) else { continue }
                text = try telling(false, [name], in: now)
            case .rule: continue
            }
        }
        return text
    }

    func isRunning() -> Bool { kubectl.run(["version", "--client"])?.status == 0 }

    static func command(_ name: String, _ arguments: [String]) -> String {
        (["kubectl config"] + (words(name, arguments) + modes + [version("v1")]).map(\.shellWord)).joined(
            separator: " ")
    }

    /// The lines that kubectl writes for this user.
    static func lines(_ name: String, _ arguments: [String]) -> [String] {
        [
            "- name: \(name)", "user:", "users:", "exec:", "apiVersion: client.authentication.k8s.io/v1",
            "apiVersion: client.authentication.k8s.io/v1beta1", "args:", "args: null", "command: \(command)",
            "env: null", "interactiveMode: IfAvailable", "provideClusterInfo: true", "provideClusterInfo: false",
            "apiVersion: v1", "clusters: null", "contexts: null", "current-context: \"\"", "kind: Config",
            "preferences: {}", "clusters:", "contexts:", "users: null", "users: []",
        ] + arguments.flatMap { ["- \($0)", "- \"\($0)\"", "- '\($0)'"] }
    }

    static func checked(user name: String) throws(Failure) -> String {
        let isFine =
            !name.isEmpty && name.utf8.count <= 253 && !name.hasPrefix("-")
            && name.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 0x20 && $0.value < 0x7F }
        guard isFine else {
            throw Failure(.usage, "kubeconfig user names cannot contain spaces", hint: "for example --user contoso")
        }
        return name
    }
}
