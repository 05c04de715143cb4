package import CommandSupport
import Identity

package struct GitAnswer: Sendable {
    let lines: [String]

    package var text: String { lines.map { $0 + "\n" }.joined() }

    /// Makes git stop without trying other helpers; standard error has the next step.
    package static let quit = "quit=1\n"
    /// The `state[]` of a first response: a request that carries it means that the server rejected the token.
    package static let mark = "foyer:1"

    /// A bearer token if git and the server support it, else a password, which works with every git version.
    package init(_ token: IssuedToken, to credential: GitCredential, takesBearer: Bool) {
        let secret = token.secret.reveal()
        let expiry = "password_expiry_utc=\(token.expiresAt)"
        let asksForBearer = AuthenticationChallenge.read(credential.wwwAuthenticate).contains {
            $0.scheme.asciiLowercased == "bearer"
        }
        guard credential.understands("authtype"), takesBearer || asksForBearer else {
            // Git's own username is kept, so git finds the credential again.
            let name = credential.username.flatMap { $0.isEmpty ? nil : $0 } ?? "oauth2"
            lines = ["username=\(name)", "password=\(secret)", expiry]
            return
        }
        var lines = ["capability[]=authtype"]
        let hasSecondChance = credential.understands("state") && !credential.isSecondChance
        if hasSecondChance { lines.append("capability[]=state") }
        lines += ["authtype=Bearer", "credential=\(secret)", "ephemeral=1", expiry]
        // After a 401, git then asks again instead of giving up.
        if hasSecondChance { lines += ["continue=1", "state[]=\(Self.mark)"] }
        self.lines = lines
    }
}

extension GitCredential {
    package var isSecondChance: Bool { state.contains(GitAnswer.mark) }
}
