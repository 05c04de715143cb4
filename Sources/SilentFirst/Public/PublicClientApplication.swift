// The core, and the public interface of the library: silent, interactive, silent first, sign-out. It knows no terminal,
// touches no file and builds no URL: the targets below do that, and what is outside comes in as closures.

package import FoundationEssentials
public import Identity
package import TokenCache
package import Wire

/// A public client application: signs people in at one authority and keeps their tokens in one store.
///
/// ```swift
/// let application = PublicClientApplication(configuration)
/// let token = try await application.acquireTokenSilentFirst(TokenRequest(scopes: ["User.Read"]))
/// ```
///
/// The three calls differ only in when a person is asked: ``acquireTokenSilent(_:onStep:)`` never,
/// ``acquireToken(_:userAgents:onEvent:)`` always, and ``acquireTokenSilentFirst(_:userAgents:onEvent:)`` when, and
/// only when, the silent answer is that a person is needed.
public final class PublicClientApplication: Sendable {
    /// The name under which MSAL's users look for it.
    public typealias Configuration = ClientConfiguration
    /// ``ClientConfiguration/network``, under the application's name.
    public typealias NetworkSettings = SilentFirst.NetworkSettings

    /// What does not change while the application lives.
    public let configuration: Configuration

    let cache: TokenCache
    let provider: Provider
    let now: @Sendable () -> Date
    private let broker: TokenBroker?
    private let onFailure: (@Sendable (Failure, Authority) -> Void)?
    var context: ClientContext {
        ClientContext(configuration: configuration, cache: cache, provider: provider, now: now, broker: broker)
    }
    private let flights = InFlightRequests()

    /// - Parameter configuration: who the application is and where it keeps tokens.
    public convenience init(_ configuration: Configuration) {
        self.init(
            configuration,
            cache: TokenCache(
                naming: configuration.store, folder: configuration.dataFolder,
                label: configuration.network.productName),
            provider: Provider(configuration.network), now: { Date() })
    }

    /// - Parameters:
    ///   - provider: what is known of providers, shared by the applications of one process.
    ///   - broker: asked where the configuration says so.
    ///   - onFailure: called once with how an acquisition has failed, whoever waits for it, and the authority that it
    ///     was for.
    ///   - now: the wall clock, told by whoever tests.
    package init(
        _ configuration: Configuration, cache: TokenCache, provider: Provider, broker: TokenBroker? = nil,
        onFailure: (@Sendable (Failure, Authority) -> Void)? = nil,
        now: @escaping @Sendable () -> Date
    ) {
        self.configuration = configuration
        self.cache = cache
        self.provider = provider
        self.broker = broker
        self.onFailure = onFailure
        self.now = now
    }

    // MARK: Tokens

    /// A token from the store, or refreshed with a refresh token of the store. Never asks a person.
    ///
    /// Concurrent calls with the same request share one answer; between processes one refresh goes out at a time.
    /// - Parameters:
    ///   - request: what is asked for; its interactive members are not looked at.
    ///   - onStep: called with each step as it is taken.
    /// - Throws: ``/Identity/Failure`` with code `interactionRequired` when only a person can help, `ambiguous` when no
    ///   account was named and there are several, `unavailable` when the provider was not reached (try later), else
    ///   `declinedScopes`, `serverError`, `storeError`, `untrustedResponse`, `configuration` or `cancelled`.
    public func acquireTokenSilent(_ request: TokenRequest, onStep: @escaping @Sendable (Step) -> Void = { _ in })
        async throws(Failure)
        -> AcquiredToken
    {
        try await acquireTokenSilent(request, from: nil, onStep: onStep)
    }

    /// The same, beginning from a snapshot that was read a moment ago to find the account: a large store is then read
    /// once.
    ///
    /// - Parameter turn: what the program before this one, in the same process, found of the turn to refresh.
    package func acquireTokenSilent(
        _ request: TokenRequest, from snapshot: CacheSnapshot?, turn: RefreshTurn? = nil,
        onStep: @escaping @Sendable (Step) -> Void
    )
        async throws(Failure) -> AcquiredToken
    {
        try await join(.silent, request) { [self] in
            await Silent(
                context: context, request: request, record: StepRecorder(onStep), snapshot: snapshot, turn: turn,
                lock: turn?.lock.flatMap { RefreshLock(inherited: $0, path: cache.path) }
            ).acquire()
        }
    }

    /// Asks a person, whatever the store holds.
    ///
    /// - Parameters:
    ///   - request: what is asked for, with prompt, hints and method, and without an agent's session, which ends with
    ///     `usage`.
    ///   - userAgents: how a person can be reached.
    ///   - onEvent: called with what happens meanwhile, for a screen or a log.
    /// - Throws: ``/Identity/Failure`` with code `cancelled` when the person gave up or said no, `declinedScopes` when
    ///   fewer scopes were granted (the tokens are kept), else as ``acquireTokenSilent(_:onStep:)``.
    public func acquireToken(
        _ request: TokenRequest, userAgents: UserAgents, onEvent: @escaping @Sendable (SignInEvent) -> Void = { _ in }
    ) async throws(Failure) -> AcquiredToken {
        try await join(.interactive, request) { [self] in
            let record = StepRecorder { onEvent(.step($0)) }
            return await Interactive(
                context: context, request: request, userAgents: userAgents, record: record, onEvent: onEvent
            )
            .acquire()
        }
    }

    /// Silent first; a person is asked at most once, and only when the silent answer is `interactionRequired`.
    ///
    /// This is what ADAL's `acquireToken` did with `AD_PROMPT_AUTO`. It never asks after a network, store,
    /// configuration, security or declined-scope failure, because a sign-in mends none of them. The reason, the claims
    /// and the login hint go into the interactive flow. An agent's session never gets a prompt.
    /// - Throws: as the two calls it is made of.
    public func acquireTokenSilentFirst(
        _ request: TokenRequest, userAgents: UserAgents, onEvent: @escaping @Sendable (SignInEvent) -> Void = { _ in }
    ) async throws(Failure) -> AcquiredToken {
        try await acquireTokenSilentFirst(request, from: nil, userAgents: userAgents, onEvent: onEvent)
    }

    /// The same, beginning from a snapshot that was read a moment ago to find the account.
    package func acquireTokenSilentFirst(
        _ request: TokenRequest, from snapshot: CacheSnapshot?, userAgents: UserAgents,
        onEvent: @escaping @Sendable (SignInEvent) -> Void
    ) async throws(Failure) -> AcquiredToken {
        try await join(.silentFirst, request) { [self] in
            let record = StepRecorder { onEvent(.step($0)) }
            let refusal: Failure
            switch await Silent(context: context, request: request, record: record, snapshot: snapshot).acquire() {
            case .success(let token): return .success(token)
            case .failure(let failure) where failure.code == .interactionRequired && request.agentSession == nil:
                refusal = failure
            case .failure(let failure): return .failure(failure)
            }
            var wish = request
            wish.claims = refusal.claims ?? request.claims
            // The account that the silent flow chose by itself is the one that has to sign in.
            wish.account = request.account ?? meant(by: request, in: snapshot)
            wish.loginHint = request.loginHint ?? wish.account.map(\.username).flatMap { $0.isEmpty ? nil : $0 }
            record.note(.interaction, .done, refusal.message)
            let result = await Interactive(
                context: context, request: wish, userAgents: userAgents, record: record, onEvent: onEvent
            ).acquire()
            if case .success(let token) = result, token.accessToken.isEmpty { return .failure(.noAccessToken(token)) }
            return result
        }
    }

    /// The one way to an acquisition: each failure is told once.
    private func join(
        _ kind: InFlightRequests.Kind, _ request: TokenRequest,
        start: @escaping @Sendable () async -> Result<AcquiredToken, Failure>
    ) async throws(Failure) -> AcquiredToken {
        guard let onFailure else { return try await flights.join(kind, request, start: start) }
        let authority = request.authority ?? configuration.authority
        return try await flights.join(kind, request) {
            let result = await start()
            if case .failure(let failure) = result { onFailure(failure, authority) }
            return result
        }
    }

    private func meant(by request: TokenRequest, in snapshot: CacheSnapshot?) -> Account? {
        guard let snapshot = try? snapshot ?? self.snapshot() else { return nil }
        return try? ResolvedRequest.account(for: request, in: snapshot, configuration)
    }

    /// Closes the connections, once the answer to every refresh that was sent has come and is stored. The application
    /// can be used again afterwards.
    public func close() async { await provider.close() }
}

extension PublicClientApplication {
    /// Whether an account is of the provider that is asked.
    package nonisolated func isOfProvider(
        _ account: Account, at authority: Authority, in snapshot: CacheSnapshot
    ) -> Bool {
        let place = ResolvedRequest.place(of: account, authority, configuration)
        return ResolvedRequest.belongs(account, to: place, in: snapshot, configuration)
    }

    /// What the store holds now. Reads where it is called: for a caller that may block there.
    package func snapshot() throws(Failure) -> CacheSnapshot { try context.snapshot() }

    /// What each sign-in needs of the provider, requested again: metadata that passes every check, and a key that
    /// signatures can be checked with.
    ///
    /// - Returns: the metadata.
    /// - Throws: ``/Identity/Failure`` as a sign-in would end with it.
    package func examineProvider() async throws(Failure) -> ProviderMetadata {
        let metadata = try await BlockingExecutor.run { [context, configuration] () throws(Failure) in
            try await context.metadata(of: configuration.authority, StepRecorder { _ in })
        }
        do {
            guard try await provider.keys.hasUsableKey(at: metadata.keys) else {
                throw WireError.unsupported(
                    "the provider publishes no key that signatures can be checked with",
                    hint: "RSA keys of 2048 bits and more and P-256 keys can be; the provider has to publish one")
            }
        } catch let error as WireError { throw Failure(error) } catch { throw Failure(.cancelled, "cancelled") }
        return metadata
    }

    /// The cached access token that ``acquireTokenSilent(_:onStep:)`` would hand out at once; nil where it would have
    /// to send, write or wait for anything, or would fail. Only a token that is handed out is told in steps.
    ///
    /// - Parameters:
    ///   - snapshot: what the store holds.
    ///   - onStep: called with each step as it is taken.
    /// - Throws: ``/Identity/Failure`` when the proof of possession that goes with the token cannot be made.
    package func cachedToken(
        for request: TokenRequest, from snapshot: CacheSnapshot, onStep: @escaping @Sendable (Step) -> Void
    ) throws(Failure) -> AcquiredToken? {
        try Silent(context: context, request: request, record: StepRecorder(onStep), snapshot: snapshot).fromCache()
    }

    /// Where ``acquireTokenSilent(_:onStep:)`` would refresh: the token that another process stores, which is waited
    /// for as long as that call would. Asks no server and writes no store; holds the thread.
    ///
    /// - Parameter snapshot: what the store holds.
    package func tokenRenewedByAnother(
        for request: TokenRequest, from snapshot: CacheSnapshot, onStep: @escaping @Sendable (Step) -> Void
    ) throws(Failure) -> RenewalByAnother {
        try Silent(context: context, request: request, record: StepRecorder(onStep), snapshot: snapshot)
            .renewedByAnother()
    }

    /// What ``acquireTokenSilent(_:onStep:)`` would do now with this request. Asks no server, writes nothing, takes no
    /// lock.
    ///
    /// - Parameters:
    ///   - snapshot: what the store holds.
    ///   - sideFiles: what lies beside the store; nil reads it where it is called, when it is needed.
    ///   - time: now, unless told.
    package func decision(
        on request: TokenRequest, from snapshot: CacheSnapshot, beside sideFiles: SideFiles? = nil,
        at time: Date? = nil
    ) -> SilentDecision {
        SilentDecision(
            context.situation(of: request, snapshot, at: time ?? now(), keepsNewKeys: false, sideFiles: sideFiles))
    }
}
