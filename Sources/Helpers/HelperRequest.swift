// Helpers answers the credential helpers of git, kubectl, az and others from the cache. It must not choose the account
// (the resolution does), send anything (Programs does) or prompt the user (foyer-main does).

package import CommandSupport
import FoundationEssentials
package import Identity
import TokenCache

/// A program's request to one of its credential helpers, and the form of the answer.
package struct HelperRequest: Sendable {
    /// How it is known that a server refuses a token before it expires.
    package enum Rejection: Sendable {
        /// The program said so.
        case reported
        /// The program asks again, without saying why.
        case guessed
    }

    package let query: TokenQuery
    package let environment: ProcessEnvironment
    /// The organization whose tenant issues the token, if no tenant is set.
    private let devOps: AzureDevOps?
    /// The text that the program reads from standard output.
    private let answer: @Sendable (IssuedToken, KnownServer?) -> String
    private let rejection: @Sendable (IssuedToken) -> Rejection?
    private let noteAnswer: @Sendable (IssuedToken) -> Void

    /// - Parameters:
    ///   - noteAnswer: called with each token that the program gets.
    init(
        _ query: TokenQuery, _ environment: ProcessEnvironment, devOps: AzureDevOps? = nil,
        rejection: @escaping @Sendable (IssuedToken) -> Rejection? = { _ in nil },
        noteAnswer: @escaping @Sendable (IssuedToken) -> Void = { _ in },
        answer: @escaping @Sendable (IssuedToken) -> String
    ) {
        self.init(
            query, environment, devOps: devOps, rejection: rejection, noteAnswer: noteAnswer,
            answerByServer: { token, _ in answer(token) })
    }

    /// - Parameter answerByServer: with the server that issued the token, if it is known.
    init(
        _ query: TokenQuery, _ environment: ProcessEnvironment, devOps: AzureDevOps? = nil,
        rejection: @escaping @Sendable (IssuedToken) -> Rejection?,
        noteAnswer: @escaping @Sendable (IssuedToken) -> Void = { _ in },
        answerByServer: @escaping @Sendable (IssuedToken, KnownServer?) -> String
    ) {
        (self.query, self.environment, self.devOps) = (query, environment, devOps)
        (self.rejection, self.noteAnswer, answer) = (rejection, noteAnswer, answerByServer)
    }

    /// The organization to look up for the query; nil if nothing names its host for tokens, or a tenant is set.
    package func organizationToLookUp(_ context: CommandContext) throws(Failure) -> AzureDevOps? {
        guard let devOps, let first = try context.resolvedPlace(query), first.tenant == nil, let client = first.client,
            (try? first.authority(of: client))?.isTenantIndependent == true
        else { return nil }
        return devOps
    }

    /// The cached token that its server has rejected; nil if there is none, or it can be issued.
    package func rejectedToken(_ call: ProgramCall) -> (token: IssuedToken, rejection: Rejection)? {
        guard let token = try? call.cachedToken(), let rejection = rejection(token) else { return nil }
        return (token, rejection)
    }

    /// The token's text for the program, which is then printed.
    package func finalAnswer(_ token: IssuedToken, to call: ProgramCall) -> String {
        noteAnswer(token)
        return answer(token, call.call.server)
    }

    /// The answer with a cached token, which is recorded.
    ///
    /// - Returns: nil if it takes more than reading the store.
    package func cachedAnswer() throws(Failure) -> String? {
        let began = ContinuousClock.now
        let context = try CommandContext(query.options, environment: environment, keys: .held)
        guard context.settings.keys == .none else { return nil }
        var query = query
        if let devOps = try organizationToLookUp(context) {
            guard let tenant = AzureDevOpsTenants(environment).known(devOps, at: Date()) else { return nil }
            query.place.tenant = tenant
        }
        let call = try ProgramCall(query, context, isAsked: false, aside: TokenCall.readingOnly)
        guard let call, let token = try call.cachedToken(), rejection(token) == nil else { return nil }
        call.call.note(.success(token), for: call.request, began: began)
        return finalAnswer(token, to: call)
    }
}
