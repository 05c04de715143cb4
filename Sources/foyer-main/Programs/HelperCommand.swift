import ArgumentParser

struct HelperCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "helper", abstract: "Credential helpers for other programs",
        discussion: "Programs run these as git-credential-foyer and the like.",
        subcommands: [
            GitHelper.self, DockerHelper.self, AzHelper.self, AzdHelper.self, KubectlHelper.self, KubeloginHelper.self,
            OIDCLoginHelper.self, KeyringHelper.self, GoogleHelper.self,
        ])
}

/// Other names of this program, as links to it.
enum HelperName {
    private static let names = [
        "git-credential-foyer": "git", "docker-credential-foyer": "docker", "az": "az", "azd": "azd",
        "kubectl-foyer": "kubectl",
        "kubelogin": "kubelogin", "kubectl-oidc_login": "oidc-login", "keyring": "keyring",
    ]

    /// - Returns: the equivalent arguments, without the program's name.
    static func resolved(_ arguments: [String]) -> [String] {
        (helper(calledBy: arguments).map { ["helper", $0] } ?? []) + arguments.dropFirst()
    }

    static func isLink(_ arguments: [String]) -> Bool { helper(calledBy: arguments) != nil }

    private static func helper(calledBy arguments: [String]) -> String? {
        arguments.first?.split(separator: "/").last.flatMap { names[String($0)] }
    }

    private static let passthrough: [any PassthroughHelper.Type] = [
        AzHelper.self, AzdHelper.self, KubeloginHelper.self, OIDCLoginHelper.self, KeyringHelper.self,
    ]

    /// The helper that gets its words unparsed, as the argument parser would remove its own options.
    ///
    /// - Parameter isLink: whether the program was started by the helper's name; else `--help` is foyer's.
    static func passthrough(_ arguments: [String], isLink: Bool) -> (any AsyncParsableCommand)? {
        guard arguments.count >= 2, arguments[0] == HelperCommand._commandName,
            let helper = passthrough.first(where: { $0._commandName == arguments[1] })
        else { return nil }
        let words = Array(arguments.dropFirst(2))
        guard isLink || !["--help", "-h"].contains(words.first) else { return nil }
        return made(helper, words)
    }

    private static func made<Helper: PassthroughHelper>(_ helper: Helper.Type, _ words: [String]) -> Helper {
        var made = Helper()
        made.words = words
        return made
    }
}
