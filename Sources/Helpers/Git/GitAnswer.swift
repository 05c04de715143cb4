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
            // Git's own username is kept if the server accepts it, so git finds the credential again. Git takes another
            // username from its helper.
            let own = form?.takesAnyUsername == false ? nil : credential.person.kept(credential.username, for: token)
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

extension NamedPerson {
    /// The username of the request, if the token may go out under it: it names no person, or the token's. A login
    /// that is not the token's own may be another person's.
    func kept(_ username: String?, for token: IssuedToken) -> String? {
        guard let username, !username.isEmpty else { return nil }
        // The resolution has matched an address with the account.
        guard let name, !isAddress else { return username }
        return name.lowercased() == token.username.lowercased() ? username : nil
    }
}

extension GitCredential {
    package var isSecondChance: Bool { state.contains(GitAnswer.mark) }
}
