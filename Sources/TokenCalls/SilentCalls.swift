package import CommandSupport
package import FoundationEssentials
package import Identity
package import SilentCore
import SilentFirst
import TokenCache

/// Makes silent calls for other processes, as `foyer token --silent` would in their environment.
package final class SilentCalls: Sendable {
    package struct Given: Sendable {
        package let token: AcquiredToken
        package let client: String
        package let provider: String
        /// The path of its file.
        package let store: String?
        /// Nil for a token without dates in the store.
        package let life: TokenLifetime?
    }

    package let applications = Applications()

    package init() {}

    /// The call of `foyer token --silent` in the requesting process's environment.
    package func worked(out request: AgentTokenRequest) async throws(Failure) -> (TokenCall, warnings: [String]) {
        try await BlockingExecutor.run { () throws(Failure) in
            var warnings: [String] = []
            let call = try TokenCall(request.options, environment: request.requestersEnvironment) { aside in
                if case .warning(let text) = aside { warnings.append(text) }
            }
            try Self.check(request, call)
            return (call, warnings)
        }
    }

    package func worked(out options: TokenOptions, _ environment: ProcessEnvironment) async throws(Failure) -> TokenCall
    {
        try await BlockingExecutor.run { () throws(Failure) in
            try TokenCall(options, environment: environment) { _ in }
        }
    }

    /// Checks that the request's store is the same store here: in a container a path may lead to other files, and
    /// another session has another keyring.
    private static func check(_ request: AgentTokenRequest, _ call: TokenCall) throws(Failure) {
        let store = try call.context.storeSpec(call.client)
        guard FileIdentity(ofFolderOf: store.path) == request.storeFolder else {
            throw Failure(.configuration, "the agent sees another folder at the store's path")
        }
        if store.kind == .keyring {
            let bus = "DBUS_SESSION_BUS_ADDRESS"
            guard request.environment[bus] == ProcessEnvironment()[bus] else {
                throw Failure(.configuration, "the agent belongs to another session than the keyring")
            }
        }
    }

    /// Callers of one client and store share an application, so equal requests share one refresh.
    package func acquire(_ call: TokenCall, forceRefresh: Bool = false, correlationID: UUID? = nil)
        async throws(Failure)
        -> Given
    {
        let (application, key) = await applications.take(call.application)
        var request = call.request
        request.forceRefresh = request.forceRefresh || forceRefresh
        request.correlationID = correlationID ?? request.correlationID
        let result = await Result.of { [request] () throws(Failure) in
            try await application.acquireTokenSilent(request, from: call.snapshot) { _ in }
        }
        await applications.giveBack(key)
        let token: AcquiredToken
        do throws(Failure) { token = try result.get() } catch { throw call.hinted(error) }
        // A refreshed token is in the store, but not in the earlier snapshot.
        let decision = token.source == .cache ? nil : await decision(call)
        return Given(
            token: token, client: call.client.name, provider: token.authority.provider,
            store: try? call.context.storeSpec(call.client).path,
            life: (decision ?? self.decision(call, from: call.snapshot)).servedLife)
    }

    /// The decision of a silent call now; nil if the store cannot be read.
    package func decision(_ call: TokenCall) async -> SilentDecision? {
        await BlockingExecutor.run {
            (try? call.cached.snapshot()).map { self.decision(call, from: $0) }
        }
    }

    private func decision(_ call: TokenCall, from snapshot: CacheSnapshot) -> SilentDecision {
        var request = call.request
        // These apply to a single call.
        request.forceRefresh = false
        (request.claims, request.stepUp) = (nil, nil)
        return call.cached.decision(on: request, from: snapshot)
    }

    /// Closes the connections after all pending refreshes are stored.
    package func close() async { await applications.closeAll() }
}

extension SilentDecision {
    package var servedLife: TokenLifetime? {
        guard case .serve(let token, _) = outcome, let issued = token.cachedAt, let expires = token.expiresOn else {
            return nil
        }
        return TokenLifetime(issued: issued, expires: expires, refresh: token.refreshOn)
    }
}
