import CommandSupport
import Identity

/// A change for kubectl, in the form of the setup record.
enum KubectlChange: Hashable {
    case user(String)
    /// A user whose plugin now receives the cluster.
    case clusterInfo(String)
    /// A rule in the settings: its lines as written.
    case rule(String)

    private static let infoMark = "provideClusterInfo "
    private static let ruleMark = "[[rules]]"

    /// - Parameter own: an entry of the record. Names of added users have no spaces.
    init(_ own: String) {
        self =
            own.hasPrefix(Self.ruleMark)
            ? .rule(own)
            : own.hasPrefix(Self.infoMark) ? .clusterInfo(String(own.dropFirst(Self.infoMark.count))) : .user(own)
    }

    init(_ rule: ProgramRule) { self = .rule(rule.lines.joined(separator: "\n")) }

    var own: String {
        switch self {
        case .user(let name): name
        case .clusterInfo(let name): Self.infoMark + name
        case .rule(let text): text
        }
    }

    /// Lines of the changed file that can be shown.
    var lines: [String] {
        switch self {
        case .user(let name), .clusterInfo(let name): Kubeconfig.lines(name, [])
        case .rule(let text): text.split(separator: "\n").map(String.init)
        }
    }

    func undoCommand(in path: String) -> String {
        switch self {
        case .user(let name): "kubectl config delete-user \(name.shellWord)"
        case .clusterInfo(let name): Kubeconfig.command(name, tellsCluster: false)
        case .rule(let text): "\(text.split(separator: "\n").joined(separator: " ")) from \(path)"
        }
    }
}
