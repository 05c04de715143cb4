package import CommandSupport
import Helpers
package import Identity
import TokenCache
import TokenCalls

/// Tokens for an endpoint's clients, from silent calls according to the rules.
package struct IdentityTokens: Sendable {
    package typealias Home = @Sendable (TokenCall) -> Result<IssuedToken?, Failure>

    /// The options of `foyer run` or `foyer endpoint`; requests can only narrow them.
    private let query: TokenQuery
    private let environment: ProcessEnvironment
    /// Queries the agent of another host if this host has no token.
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
            // The terminal is the program's.
            query.options.neverAsks = true
            // Read for each request, so changes of settings and rules take effect.
            let context = try CommandContext(query.options, environment: environment)
            guard let call = try ProgramCall(query, context) else {
                throw Failure(.notFound, "no rule matches this program")
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
