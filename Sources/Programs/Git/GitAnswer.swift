package import CommandSupport
import Identity

/// What a credential helper answers `get` with.
package struct GitAnswer: Sendable {
    package let lines: [String]

    /// Says to git that nobody else needs to be asked, and ends it; the remedy stands on standard error.
    package static let quit = ["quit=1"]
    /// What `state[]` is after the first answer: the next request says that the server has refused the token.
    package static let mark = "foyer:1"

    /// A bearer token where this git and the server take one, else a password, which every version takes.
    ///
    /// - Parameter takesBearer: whether the service is known to.
    package init(_ token: IssuedToken, to credential: GitCredential, takesBearer: Bool) {
        let secret = token.secret.reveal()
        let expiry = "password_expiry_utc=\(token.expiresAt)"
        let asksForBearer = AuthenticationChallenge.read(credential.wwwAuthenticate).contains {
            $0.scheme.asciiLowercased == "bearer"
        }
        guard credential.understands("authtype"), takesBearer || asksForBearer else {
            // The name that git has asked for stays, so that it finds the answer again.
            let name = credential.username.flatMap { $0.isEmpty ? nil : $0 } ?? "oauth2"
            lines = ["username=\(name)", "password=\(secret)", expiry]
            return
        }
        var lines = ["capability[]=authtype"]
        let hasSecondChance = credential.understands("state") && !credential.isSecondChance
        if hasSecondChance { lines.append("capability[]=state") }
        lines += ["authtype=Bearer", "credential=\(secret)", "ephemeral=1", expiry]
        // After a 401 git asks once more then, instead of giving up.
        if hasSecondChance { lines += ["continue=1", "state[]=\(Self.mark)"] }
        self.lines = lines
    }
}

extension GitCredential {
    /// Whether the server has refused the token of the answer before.
    package var isSecondChance: Bool { state.contains(GitAnswer.mark) }
}
