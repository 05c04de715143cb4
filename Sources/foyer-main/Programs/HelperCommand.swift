import ArgumentParser

struct HelperCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "helper", abstract: "Answer another program in its own protocol",
        discussion: "Programs call it by another name of foyer's, such as git-credential-foyer.",
        subcommands: [
            GitHelper.self, DockerHelper.self, AzHelper.self, AzdHelper.self, KubectlHelper.self, KubeloginHelper.self,
            OIDCLoginHelper.self, KeyringHelper.self, GoogleHelper.self,
        ])
}

/// The other names of this program, as links to it.
enum HelperName {
    private static let names = [
        "git-credential-foyer": "git", "docker-credential-foyer": "docker", "az": "az", "azd": "azd",
        "kubectl-foyer": "kubectl",
        "kubelogin": "kubelogin", "kubectl-oidc_login": "oidc-login", "keyring": "keyring",
    ]

    /// The arguments that come to the same, without the program's name.
    ///
    /// - Parameter arguments: as the process was started with them.
    static func resolved(_ arguments: [String]) -> [String] {
        let rest = Array(arguments.dropFirst())
        guard let helper = helper(calledBy: arguments) else { return rest }
        return ["helper", helper] + rest
    }

    /// Whether the process was started by one of the names.
    static func isLink(_ arguments: [String]) -> Bool { helper(calledBy: arguments) != nil }

    private static func helper(calledBy arguments: [String]) -> String? {
        arguments.first?.split(separator: "/").last.flatMap { names[String($0)] }
    }
}

extension HelperName {
    private static let passthrough: [any PassthroughHelper.Type] = [
        AzHelper.self, AzdHelper.self, KubeloginHelper.self, OIDCLoginHelper.self, KeyringHelper.self,
    ]

    /// The helper that gets the words as they are, without the argument parser, which would take its own options out.
    ///
    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - isLink: whether the program was called by the helper's name; else its help is foyer's.
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
