package import CommandSupport
import FoundationEssentials
package import Identity

extension HelperRequest {
    /// The words of `kubectl-foyer`.
    package static let kubectlWords = CommandWords.Accepted(hasTenant: true, flags: [idToken])
    package static let idToken = "id-token"

    /// - Parameter options: from a kubeconfig, which can be untrusted.
    package static func kubectl(_ options: TokenOptions, isIDToken: Bool, _ environment: ProcessEnvironment)
        throws(Failure) -> HelperRequest
    {
        let exec = try ExecCredential(environment)
        let (options, asked) = options.split
        var query = TokenQuery(
            options, ProgramRequest(.kubectl, person: .nobody, cluster: exec.cluster, environment), .cluster)
        query.asked = asked
        query.isIDToken = isIDToken
        return HelperRequest(exec, query, environment)
    }

    /// - Returns: nil for a command line that is left to the real kubelogin.
    package static func kubelogin(_ words: [String], _ environment: ProcessEnvironment) throws(Failure)
        -> HelperRequest?
    {
        guard let arguments = KubeloginArguments(words) else { return nil }
        let exec = try ExecCredential(environment)
        return HelperRequest(exec, arguments.query(cluster: exec.cluster, environment), environment)
    }

    /// - Returns: nil for a command line that is left to the real plugin.
    package static func oidcLogin(_ words: [String], _ environment: ProcessEnvironment) throws(Failure)
        -> HelperRequest?
    {
        guard let arguments = OIDCLoginArguments(words) else { return nil }
        let exec = try ExecCredential(environment)
        return HelperRequest(exec, arguments.query(cluster: exec.cluster, environment), environment)
    }

    private init(_ exec: ExecCredential, _ query: TokenQuery, _ environment: ProcessEnvironment) {
        var query = query
        // A user who runs it by hand has the token, and no cluster.
        if !exec.isAsked { query.place.mustBeNamed = nil }
        let calls = RetryDetector(environment, for: exec.cluster)
        self.init(
            query, environment,
            rejection: { calls.contains($0.secret, at: Date()) ? .guessed : nil },
            noteAnswer: { calls.note($0.secret, at: Date()) }, answer: exec.answer)
    }
}
