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
}
