package import CommandSupport
import Helpers
import Identity

/// Settings of git that decide whether, and with what, it calls a credential helper for a remote.
package struct GitRemotes {
    private let git: CheckedProgram

    package init?(_ environment: ProcessEnvironment) {
        guard let git = CheckedProgram("git", environment) else { return nil }
        self.git = git
    }

    /// Notes on a remote's URL, for which foyer's answer is explained.
    ///
    /// - Parameter needsPath: whether a rule depends on the path.
    package func notes(on url: String, needsPath: Bool) -> [String] {
        var notes: [String] = []
        if let ssh = sshRewrites.filter({ url.hasPrefix($0.url) }).max(by: { $0.url.utf8.count < $1.url.utf8.count }) {
            notes.append("git uses SSH there, without foyer: \(ssh.words)")
        }
        if needsPath, withholdsPath(of: url), let host = (try? GitCredential(url: url))?.host {
            notes.append(
                "git does not send the path, so no rule with a path matches; run "
                    + "\"git config --global \(GitCredential.pathSetting(at: host)) true\"")
        }
        return notes
    }

    /// A prefix of URLs for which git uses SSH instead (`url.BASE.insteadOf`, see git-config(1)).
    struct SSHRewrite: Hashable {
        let url: String
        let base: String

        var words: String { "url.\(base).insteadOf = \(url)" }
    }

    var sshRewrites: [SSHRewrite] {
        guard let end = git.run(["config", "-z", "--get-regexp", "^url\\..*\\.insteadof$"]), end.status == 0 else {
            return []
        }
        return Self.sshRewrites(in: String(decoding: end.output, as: UTF8.self))
    }

    /// - Parameter output: of `git config -z --get-regexp`: a name, a line break and a value, ended by a NUL.
    static func sshRewrites(in output: String) -> [SSHRewrite] {
        output.split(separator: "\0").compactMap { entry in
            let parts = entry.split(separator: "\n", maxSplits: 1).map(String.init)
            guard parts.count == 2, parts[0].hasPrefix("url."), parts[0].hasSuffix(".insteadof") else { return nil }
            let base = String(parts[0].dropFirst(4).dropLast(10))
            guard parts[1].hasPrefix("https://"), GitCredential.isSSH(base) else { return nil }
            return SSHRewrite(url: parts[1], base: base)
        }
    }

    /// False also if git cannot read its configuration, such as in a damaged repository.
    private func withholdsPath(of url: String) -> Bool {
        let end = git.run(["config", "--type=bool", "--get-urlmatch", "credential.useHttpPath", url])
        return end.map { $0.status == 1 || $0.output.starts(with: "false".utf8) } ?? false
    }
}
