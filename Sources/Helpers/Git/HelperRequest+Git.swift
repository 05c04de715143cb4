package import CommandSupport
import FoundationEssentials
import Identity

extension HelperRequest {
    package static func git(
        _ credential: GitCredential, _ options: TokenOptions, _ environment: ProcessEnvironment
    ) -> HelperRequest {
        var query = credential.query(options, environment)
        query.asked.forceRefresh = credential.isSecondChance
        if credential.isSecondChance {
            query.asked.challenge = credential.wwwAuthenticate
        }
        let devOps = credential.devOps
        let isRejected: @Sendable (IssuedToken) -> Rejection? = {
            RejectedTokens(environment).contains($0.secret, at: Date()) ? .reported : nil
        }
        return HelperRequest(query, environment, devOps: devOps, rejection: isRejected) { token, server in
            GitAnswer(token, to: credential, takesBearer: devOps != nil, server?.git).text
        }
    }
}

extension GitCredential {
    /// The words of `git-credential-foyer`.
    package static let accepted = CommandWords.Accepted(hasTenant: true, arguments: 1...1)
}
