import CommandSupport
import Identity

/// What setup has changed for kubectl, by the words of its record.
enum KubectlChange: Hashable {
    /// A user that was added to a kubeconfig.
    case user(String)
    /// A user of the kubeconfig whose plugin is told the cluster since.
    case clusterInfo(String)
    /// A rule of the settings: its lines as they were written.
    case rule(String)

    private static let infoMark = "provideClusterInfo "
    private static let ruleMark = "[[rules]]"

    /// - Parameter own: a word of the record. The name of a user that was added has no blank.
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

    /// What may be shown of a file in which it was changed.
    var lines: [String] {
        switch self {
        case .user(let name), .clusterInfo(let name): Kubeconfig.lines(name, [])
        case .rule(let text): text.split(separator: "\n").map(String.init)
        }
    }

    /// What a person would do to take it back.
    func undoCommand(in path: String) -> String {
        switch self {
        case .user(let name): "kubectl config delete-user \(name.shellWord)"
        case .clusterInfo(let name): Kubeconfig.command(name, tellsCluster: false)
        case .rule(let text): "\(text.split(separator: "\n").joined(separator: " ")) from \(path)"
        }
    }
}
