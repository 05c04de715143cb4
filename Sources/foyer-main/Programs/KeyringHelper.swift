import ArgumentParser
import CommandSupport
import Glibc
import Identity
import Programs

/// `keyring`, as pip and uv call it for the password of a package index.
struct KeyringHelper: PassthroughHelper {
    static let configuration = CommandConfiguration(
        commandName: "keyring", abstract: "Passwords of package indexes for pip and uv, called as keyring",
        discussion: """
            As a link named keyring on PATH, with "pip --keyring-provider subprocess". It answers for Azure Artifacts, \
            for hosts that a rule names, and for those of a configured OpenID Connect provider; all else is left to \
            the next keyring.
            """)
    @Argument(parsing: .captureForPassthrough, help: "Arguments of keyring") var words: [String] = []

    func run() async throws {
        guard let request = KeyringRequest(words) else { return try pass() }
        let environment = ProcessEnvironment()
        let context = try CommandContext(TokenOptions(), environment: environment)
        guard
            let call = try await ProgramCall.inTenant(
                of: request.devOps, request.query(context.shared, environment), context)
        else {
            return try pass()
        }
        let token = try await ProgramSignIn(environment).token(call)
        Output.write(request.answer(token), to: STDOUT_FILENO)
    }

    private func pass() throws {
        // As keyring ends where it knows no password.
        guard NextProgram.isThere("keyring") else { throw ExitCode(1) }
        try NextProgram.become("keyring", words)
    }
}
