package import CommandSupport
package import Identity
import SilentFirst
import TokenCache

/// The tokens that an endpoint gives out: silent calls by the rules, for one command or for whoever has the secret.
package struct IdentityTokens: Sendable {
    package typealias Home = @Sendable (TokenCall) -> Result<IssuedToken?, Failure>

    /// What the command line of `foyer run` or `foyer endpoint` says: bounds, within which requests choose.
    private let query: TokenQuery
    private let environment: ProcessEnvironment
    /// Asks the agent of another host, where this one has no answer.
    private let home: Home
    private let calls = SilentCalls()

    package init(_ query: TokenQuery, _ environment: ProcessEnvironment, home: @escaping Home) {
        (self.query, self.environment, self.home) = (query, environment, home)
    }

    func answer(_ request: IdentityRequest) async -> IdentityAnswer {
        do throws(Failure) { return IdentityAnswer(try await token(request), to: request) } catch {
            return IdentityAnswer(error, to: request.contract)
        }
    }

    private func token(_ request: IdentityRequest) async throws(Failure) -> IssuedToken {
        try await BlockingExecutor.run { () throws(Failure) in
            var query = query
            query.place = .resource(request.scopes)
            query.asked.scopes = request.scopes
            query.asked.tenant = request.tenant
            query.identity = request.identity
            // Settings and rules as they are now.
            let context = try CommandContext(query.options, environment: environment)
            guard let call = try ProgramCall(query, context) else {
                throw Failure(.notFound, "no rule is for this program")
            }
            return try await call.noting { () throws(Failure) in
                do throws(Failure) { return try await call.silentToken(calls) } catch {
                    guard call.mayAskHome(after: error), let token = try home(call.call).get() else { throw error }
                    return token
                }
            }
        }
    }

    package func close() async { await calls.close() }
}
