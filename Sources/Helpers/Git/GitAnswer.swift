package import CommandSupport
import FoundationEssentials
package import Identity

package struct GitAnswer: Sendable {
    let lines: [String]

    package var text: String { lines.map { $0 + "\n" }.joined() }

    /// Makes git stop without trying other helpers; standard error has the next step.
    package static let quit = "quit=1\n"
    /// The `state[]` of a first response: a request that carries it means that the server rejected the token.
    package static let mark = "foyer:1"

    /// A bearer token if git and the server support it, else a password, which works with every git version.
    ///
    /// - Parameter form: of the server that issued the token, if it is known.
    package init(
        _ token: IssuedToken, to credential: GitCredential, takesBearer: Bool, _ form: KnownServer.GitForm? = nil
    ) {
        let secret = token.secret.reveal()
        // Without an end that the server announced, git learns by a rejection that the token has ended.
        let expiry = token.expiresOn == .noAnnouncedEnd ? [] : ["password_expiry_utc=\(token.expiresAt)"]
        let asksForBearer = AuthenticationChallenge.read(credential.wwwAuthenticate).contains {
            $0.scheme.asciiLowercased == "bearer"
        }
        guard credential.understands("authtype"), takesBearer || asksForBearer else {
            // Git's own username is kept if the server accepts it, so git finds the credential again.
            let own = form?.takesAnyUsername == false ? nil : credential.username.flatMap { $0.isEmpty ? nil : $0 }
            lines = ["username=\(own ?? form?.username ?? "oauth2")", "password=\(secret)"] + expiry
            return
        }
        var lines = ["capability[]=authtype"]
        let hasSecondChance = credential.understands("state") && !credential.isSecondChance
        if hasSecondChance { lines.append("capability[]=state") }
        lines += ["authtype=Bearer", "credential=\(secret)", "ephemeral=1"] + expiry
        // After a 401, git then asks again instead of giving up.
        if hasSecondChance { lines += ["continue=1", "state[]=\(Self.mark)"] }
        self.lines = lines
    }
}

extension GitCredential {
    package var isSecondChance: Bool { state.contains(GitAnswer.mark) }
}
