// The public API of the library: silent, interactive, silent first, sign-out. It does not use the terminal, access
// files or build URLs: lower targets do that, and the environment is passed in as closures.

package import FoundationEssentials
public import Identity
public import Logging
package import SilentCore
package import TokenCache
package import Wire

/// A public client application: signs users in at one authority and keeps their tokens in one store.
///
/// ```swift
/// let application = PublicClientApplication(configuration)
/// let token = try await application.acquireTokenSilentFirst(TokenRequest(scopes: ["User.Read"]))
/// ```
///
/// The calls differ in when they prompt: ``acquireTokenSilent(_:onStep:)`` never,
/// ``acquireToken(_:userAgents:onEvent:)`` always, ``acquireTokenSilentFirst(_:userAgents:onEvent:)`` only if a sign-in
/// is required.
public final class PublicClientApplication: Sendable {
    /// An alias with the name that MSAL uses.
    public typealias Configuration = ClientConfiguration
    /// An alias for the type of ``/Identity/ClientConfiguration/network``.
    public typealias NetworkSettings = Identity.NetworkSettings

    /// The configuration, which is fixed for the lifetime of the application.
    public let configuration: Configuration

    /// The same client without network access.
    package var cached: CachedClient { context.cached }
    let context: ClientContext
    private let onFailure: (@Sendable (Failure, Authority) -> Void)?
    private let log: AcquisitionLog?
    private let flights = InFlightRequests()

    /// - Parameters:
    ///   - configuration: the application.
    ///   - store: its token store, in place of the one that the configuration names.
    ///   - broker: used as ``/Identity/ClientConfiguration/broker`` says; nil for none.
    ///   - logger: receives steps at `debug`, tokens at `info`, failures at `notice` or `warning`, with the client ID,
    ///     authority and correlation ID as metadata; never a secret. Nil for no log.
    ///   - logsNames: whether the log may show users' names; by default each is `<masked>`, as in MSAL.
    public convenience init(
        _ configuration: Configuration, store: (any TokenStore)? = nil, broker: TokenBroker? = nil,
        logger: Logger? = nil, logsNames: Bool = false
    ) {
        self.init(
            configuration, cache: TokenCache(store ?? configuration.namedStore),
            provider: Provider(configuration.network), broker: broker,
            log: logger.map { AcquisitionLog($0, showsNames: logsNames) },
            now: { Date() })
    }

    /// - Parameter onFailure: called once per failed acquisition, however many callers share it, with its authority.
    package convenience init(
        _ configuration: Configuration, cache: TokenCache, provider: Provider, broker: TokenBroker? = nil,
        onFailure: (@Sendable (Failure, Authority) -> Void)? = nil,
        now: @escaping @Sendable () -> Date, jitter: @escaping @Sendable () -> Double = Throttle.chance
    ) {
        self.init(
            configuration, cache: cache, provider: provider, broker: broker, onFailure: onFailure, log: nil, now: now,
            jitter: jitter)
    }

    init(
        _ configuration: Configuration, cache: TokenCache, provider: Provider, broker: TokenBroker? = nil,
        onFailure: (@Sendable (Failure, Authority) -> Void)? = nil, log: AcquisitionLog?,
        now: @escaping @Sendable () -> Date, jitter: @escaping @Sendable () -> Double = Throttle.chance
    ) {
        self.configuration = configuration
        self.log = log
        context = ClientContext(
            cached: CachedClient(configuration, cache, nonces: provider.nonces, now: now, jitter: jitter),
            provider: provider, broker: broker)
        self.onFailure = onFailure
    }

    /// The sign-in methods of a provider, by the same metadata request as a sign-in, which then needs none.
    ///
    /// - Throws: ``/Identity/Failure`` with code `unavailable`, `untrustedResponse`, `serverError` or `configuration`.
    package func support(at authority: Authority) async throws(Failure) -> ProviderSupport {
        ProviderSupport(
            authority, try await context.metadata(of: authority, StepRecorder { _ in }), configuration)
    }

    // MARK: Tokens

    /// Returns a cached token, or one refreshed with a cached refresh token. Never prompts.
    ///
    /// Concurrent calls with the same request share one response; between processes, only one refresh runs at a time.
    /// - Parameters:
    ///   - request: the token request; its interactive members are ignored.
    ///   - onStep: called for each step.
    /// - Throws: ``/Identity/Failure`` with code `interactionRequired` if the user must sign in, `ambiguous` if no
    ///   account was named and there are several, `unavailable` if the provider is unreachable (try later), or
    ///   `declinedScopes`, `serverError`, `storeError`, `untrustedResponse`, `configuration` or `cancelled`.
    public func acquireTokenSilent(_ request: TokenRequest, onStep: @escaping @Sendable (Step) -> Void = { _ in })
        async throws(Failure)
        -> AcquiredToken
    {
        try await acquireTokenSilent(request, from: nil, onStep: onStep)
    }

    /// Like ``acquireTokenSilent(_:onStep:)``, but starts from a snapshot, so that a large store is only read once.
    /// `turn` is the refresh lock state of the program that ran earlier in this process.
    package func acquireTokenSilent(
        _ request: TokenRequest, from snapshot: CacheSnapshot?, turn: RefreshLockState? = nil,
        onStep: @escaping @Sendable (Step) -> Void
    )
        async throws(Failure) -> AcquiredToken
    {
        try await join(.silent, request) { [self] in
            await Silent(
                context: context, request: request, record: recorder(request, onStep), snapshot: snapshot, turn: turn,
                lock: turn?.lock.flatMap { RefreshLock(inherited: $0, path: context.cache.path) }
            ).acquire()
        }
    }

    /// Signs the user in, whatever the store contains.
    ///
    /// - Parameters:
    ///   - request: the token request, with prompt, hints and method; an agent session fails with `usage`.
    ///   - userAgents: the ways to reach the user.
    ///   - onEvent: called for each event, for a screen or a log.
    /// - Throws: ``/Identity/Failure`` with code `cancelled` if the user cancelled or declined, `declinedScopes` if
    ///   fewer scopes were granted (the tokens are saved), else like ``acquireTokenSilent(_:onStep:)``.
    public func acquireToken(
        _ request: TokenRequest, userAgents: UserAgents, onEvent: @escaping @Sendable (SignInEvent) -> Void = { _ in }
    ) async throws(Failure) -> AcquiredToken {
        try await join(.interactive, request) { [self] in
            let record = recorder(request) { onEvent(.step($0)) }
            return await Interactive(
                context: context, request: request, userAgents: userAgents, record: record, onEvent: onEvent
            )
            .acquire()
        }
    }

    /// Tries a silent call first, and prompts at most once, only if the result is `interactionRequired`.
    ///
    /// This is what ADAL's `acquireToken` did with `AD_PROMPT_AUTO`. It never prompts after a network, store,
    /// configuration, security or declined-scope failure, because a sign-in cannot fix those. The interactive flow uses
    /// the reason, claims and login hint of the silent one. An agent session never gets a prompt.
    /// - Throws: like the two calls that it combines.
    public func acquireTokenSilentFirst(
        _ request: TokenRequest, userAgents: UserAgents, onEvent: @escaping @Sendable (SignInEvent) -> Void = { _ in }
    ) async throws(Failure) -> AcquiredToken {
        try await acquireTokenSilentFirst(request, from: nil, userAgents: userAgents, onEvent: onEvent)
    }

    /// Like ``acquireTokenSilentFirst(_:userAgents:onEvent:)``, but starts from a snapshot.
    package func acquireTokenSilentFirst(
        _ request: TokenRequest, from snapshot: CacheSnapshot?, userAgents: UserAgents,
        onEvent: @escaping @Sendable (SignInEvent) -> Void
    ) async throws(Failure) -> AcquiredToken {
        try await join(.silentFirst, request) { [self] in
            let record = recorder(request) { onEvent(.step($0)) }
            let refusal: Failure
            switch await Silent(context: context, request: request, record: record, snapshot: snapshot).acquire() {
            case .success(let token): return .success(token)
            case .failure(let failure) where failure.code == .interactionRequired && request.agentSession == nil:
                refusal = failure
            case .failure(let failure): return .failure(failure)
            }
            var wish = request
            wish.claims = refusal.claims ?? request.claims
            // The account that the silent flow chose must be the one to sign in.
            wish.account = request.account ?? meant(by: request, in: snapshot)
            wish.loginHint = request.loginHint ?? wish.account.map(\.username).flatMap { $0.isEmpty ? nil : $0 }
            record.note(.interaction, .done, refusal.message, naming: refusal.hidden)
            let result = await Interactive(
                context: context, request: wish, userAgents: userAgents, record: record, onEvent: onEvent
            ).acquire()
            if case .success(let token) = result, token.accessToken.isEmpty { return .failure(.noAccessToken(token)) }
            return result
        }
    }

    func recorder(_ request: TokenRequest?, _ onStep: @escaping @Sendable (Step) -> Void) -> StepRecorder {
        guard let log = log?.call(configuration, request) else { return StepRecorder(onStep) }
        return StepRecorder { step in
            log.note(step)
            onStep(step)
        }
    }

    /// Every acquisition passes through here, so each failure is reported exactly once.
    private func join(
        _ kind: InFlightRequests.Kind, _ request: TokenRequest,
        start: @escaping @Sendable () async -> Result<AcquiredToken, Failure>
    ) async throws(Failure) -> AcquiredToken {
        let authority = request.authority ?? configuration.authority
        return try await flights.join(kind, request) { [onFailure, log = log?.call(configuration, request)] in
            let result = await start()
            log?.note(result)
            if case .failure(let failure) = result { onFailure?(failure, authority) }
            return result
        }
    }

    private func meant(by request: TokenRequest, in snapshot: CacheSnapshot?) -> Account? {
        guard let snapshot = try? snapshot ?? context.snapshot() else { return nil }
        return try? ResolvedRequest.account(for: request, in: snapshot, configuration)
    }

    /// Closes the connections after all pending refreshes are saved. The application can be used again afterwards.
    public func close() async { await context.provider.close() }
}

extension PublicClientApplication {
    /// Fetches what every sign-in needs from the provider: valid metadata, and a key that can verify signatures.
    package func examineProvider() async throws(Failure) -> ProviderMetadata {
        let metadata = try await BlockingExecutor.run { [context, configuration] () throws(Failure) in
            try await context.metadata(of: configuration.authority, StepRecorder { _ in })
        }
        guard metadata.keys != nil else { return metadata }
        do {
            guard try await context.provider.keys.hasUsableKey(at: try metadata.requiredKeys()) else {
                throw WireError.unsupported(
                    "no supported signing key at the provider",
                    hint: "supported are RSA keys of at least 2048 bits and P-256 keys")
            }
        } catch let error as WireError { throw Failure(error) } catch { throw Failure(.cancelled, "cancelled") }
        return metadata
    }
}
