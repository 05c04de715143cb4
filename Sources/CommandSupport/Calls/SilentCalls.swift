package import FoundationEssentials
package import Identity
package import SilentFirst
import TokenCache

/// Makes silent calls for others, as `foyer token --silent` would where they are.
package final class SilentCalls: Sendable {
    /// A token that was given, with what there is to know for the next one.
    package struct Given: Sendable {
        package let token: AcquiredToken
        package let client: String
        /// Whom the next refresh will go to.
        package let provider: String
        /// The folder that the store is in.
        package let storeFolder: String
        /// Nil for a token that the store does not date.
        package let life: TokenLife?
    }

    package let applications = Applications()

    package init() {}

    /// The call as `foyer token --silent` would make it where the asker is.
    package func worked(out request: AgentTokenRequest) async throws(Failure) -> (TokenCall, warnings: [String]) {
        try await BlockingExecutor.run { () throws(Failure) in
            var warnings: [String] = []
            let call = try TokenCall(request.options, environment: request.askersEnvironment) { aside in
                if case .warning(let text) = aside { warnings.append(text) }
            }
            try Self.check(request, call)
            return (call, warnings)
        }
    }

    /// The call as `foyer token --silent` would make it here.
    package func worked(out options: TokenOptions, _ environment: ProcessEnvironment) async throws(Failure) -> TokenCall
    {
        try await BlockingExecutor.run { () throws(Failure) in
            try TokenCall(options, environment: environment) { _ in }
        }
    }

    /// The same words may name another store here: a container sees other files at a path, and another session has
    /// another keyring.
    private static func check(_ request: AgentTokenRequest, _ call: TokenCall) throws(Failure) {
        let store = try call.context.storeSpec(call.client)
        guard FileIdentity(ofFolderOf: store.path) == request.storeFolder else {
            throw Failure(.configuration, "the agent sees another folder at the path of the store")
        }
        if store.kind == .keyring {
            let bus = "DBUS_SESSION_BUS_ADDRESS"
            guard request.environment[bus] == ProcessEnvironment()[bus] else {
                throw Failure(.configuration, "the agent belongs to another session than the keyring")
            }
        }
    }

    /// Callers of one client and store share one application, so that those who ask for the same share one refresh.
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
        // What a refresh has brought is in the store, and not in what was read before.
        let decision = token.source == .cache ? nil : await decision(call)
        return Given(
            token: token, client: call.client.name, provider: token.authority.provider,
            storeFolder: (try? call.context.storeSpec(call.client).folder) ?? "/",
            life: (decision ?? self.decision(call, from: call.snapshot)).servedLife)
    }

    /// What a silent call would do now; nil when the store cannot be read.
    package func decision(_ call: TokenCall) async -> SilentDecision? {
        await BlockingExecutor.run {
            (try? call.application.snapshot()).map { self.decision(call, from: $0) }
        }
    }

    private func decision(_ call: TokenCall, from snapshot: CacheSnapshot) -> SilentDecision {
        var request = call.request
        // Both are for one call.
        request.forceRefresh = false
        request.claims = nil
        return call.application.decision(on: request, from: snapshot)
    }

    /// Closes the connections, once the answer to every refresh that was sent has come and is stored.
    package func close() async { await applications.closeAll() }
}

extension SilentDecision {
    /// The life of the cached token that is handed out.
    package var servedLife: TokenLife? {
        guard case .serve(let token, _) = outcome, let issued = token.cachedAt, let expires = token.expiresOn else {
            return nil
        }
        return TokenLife(issued: issued, expires: expires, refresh: token.refreshOn)
    }
}
