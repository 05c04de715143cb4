import ArgumentParser
import Glibc
import SystemPackage
import TokenCache

struct HelperCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "helper", abstract: "Answer another program in its own protocol",
        discussion: "Programs call it by another name of foyer's, such as git-credential-foyer.",
        subcommands: [
            GitHelper.self, DockerHelper.self, AzHelper.self, KubectlHelper.self, KubeloginHelper.self,
            OIDCLoginHelper.self, KeyringHelper.self, GoogleHelper.self,
        ])
}

/// The other names of this program, as links to it.
enum HelperName {
    private static let names = [
        "git-credential-foyer": "git", "docker-credential-foyer": "docker", "az": "az", "kubectl-foyer": "kubectl",
        "kubelogin": "kubelogin", "kubectl-oidc_login": "oidc-login", "keyring": "keyring",
    ]

    /// The arguments that come to the same, without the program's name.
    ///
    /// - Parameter arguments: as the process was started with them.
    static func resolved(_ arguments: [String]) -> [String] {
        let rest = Array(arguments.dropFirst())
        guard let name = arguments.first?.split(separator: "/").last, let helper = names[String(name)] else {
            return rest
        }
        return ["helper", helper] + rest
    }
}

/// What a program writes to its helper.
enum HelperInput {
    /// Standard input to its end.
    ///
    /// - Parameter limit: bytes; one more is read, so that too much is seen.
    static func read(limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = uninterrupted { Glibc.read(STDIN_FILENO, &chunk, chunk.count) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
