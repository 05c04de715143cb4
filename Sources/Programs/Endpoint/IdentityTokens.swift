package import CommandSupport
import Identity
import SilentFirst
import TokenCache

/// The tokens that an endpoint gives out: silent calls by the rules, for one command or for whoever has the secret.
package struct IdentityTokens: Sendable {
    /// What the command line of `foyer run` or `foyer endpoint` says.
    private let wish: ProgramCall.Wish
    private let environment: ProcessEnvironment
    private let calls = SilentCalls()

    package init(_ wish: ProgramCall.Wish, _ environment: ProcessEnvironment) {
        self.wish = wish
        self.environment = environment
    }

    func answer(_ request: IdentityRequest) async -> IdentityAnswer {
        do throws(Failure) { return IdentityAnswer(try await token(request), to: request) } catch {
            return IdentityAnswer(error, to: request.contract)
        }
    }

    private func token(_ request: IdentityRequest) async throws(Failure) -> ProgramToken {
        try await BlockingExecutor.run { () throws(Failure) in
            var wish = wish
            // The token is for what was asked for, whatever a rule says.
            wish.options.scopes = request.scopes
            wish.tenant = wish.tenant ?? request.tenant
            if let identity = request.identity { try choose(identity, &wish.options) }
            guard let call = try ProgramCall(wish, environment) else {
                throw Failure(.notFound, "no rule is for this program")
            }
            return try await call.token(calls)
        }
    }

    /// A user-assigned identity is a client of the settings, by its name or ID, else an account.
    private func choose(_ identity: String, _ options: inout CommonOptions) throws(Failure) {
        let settings = try CommandContext(options, environment: environment).settings
        if settings.clients.contains(where: { $0.name == identity || $0.clientID == identity })
            || Client.wellKnown(identity) != nil
        {
            (options.client, options.clientID) = (nil, nil)
            if identity.isGUID { options.clientID = identity } else { options.client = identity }
        } else {
            options.account = identity
        }
    }

    package func close() async { await calls.close() }
}
