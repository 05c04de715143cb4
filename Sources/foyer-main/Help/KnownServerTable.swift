import Identity

/// The built-in servers in the reference.
enum KnownServerTable {
    static var markdown: String {
        let rows = KnownServer.all.map { server in
            let hosts = server.hosts.map { "`\($0)`" }.joined(separator: ", ")
            let git = server.git.map { "`\($0.username)`" } ?? ""
            return "| `\(server.name)` | \(server.title) | \(hosts) | `\(server.kind.rawValue)` "
                + "| \(server.secret.words) | \(git) |\n"
        }
        return "| server | product | hosts without `--server` | kind | client secret | git's user |\n"
            + "|---|---|---|---|---|---|\n" + rows.joined()
    }
}

extension KnownServer.SecretNeed {
    fileprivate var words: String {
        switch self {
        case .none: "none"
        case .browserOnly: "in the browser's flow"
        case .always: "required"
        case .published: "required, though it protects nothing"
        }
    }
}
