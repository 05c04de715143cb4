import ArgumentParser
import CommandSupport
import Glibc
import Helpers

/// `keyring`, as run by pip and uv for the password of a package index.
struct KeyringHelper: PassthroughHelper {
    static let configuration = CommandConfiguration(
        commandName: "keyring", abstract: "Package index passwords for pip and uv (run as keyring)",
        discussion: """
            Link it as keyring on PATH, with "pip --keyring-provider subprocess". Serves Azure Artifacts, hosts named \
            by a rule, and hosts of configured OpenID Connect providers; everything else goes to the next keyring on \
            PATH.
            """)
    @Argument(parsing: .captureForPassthrough, help: "keyring arguments") var words: [String] = []

    func run() async throws {
        let environment = ProcessEnvironment()
        guard let request = HelperRequest.keyring(words, environment),
            let answer = try await ProgramSignIn(environment: environment).answer(request, leavesOthers: true)
        else { return try pass() }
        Output.write(answer, to: STDOUT_FILENO)
    }

    private func pass() throws {
        // keyring's exit status without a password.
        guard NextProgram.isThere("keyring") else { throw ExitCode(1) }
        try NextProgram.become("keyring", words)
    }
}
