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
