package import FoundationEssentials
package import Identity
package import Proofs
package import TokenCache

/// A client and its token store: what it has cached, and what a silent call would do. Sends no request.
package struct CachedClient: Sendable {
    package let configuration: ClientConfiguration
    package let cache: TokenCache
    package let nonces: ProofNonces
    package let now: @Sendable () -> Date
    /// See ``Throttle``.
    package let jitter: @Sendable () -> Double

    package init(
        _ configuration: ClientConfiguration, _ cache: TokenCache, nonces: ProofNonces = ProofNonces(),
        now: @escaping @Sendable () -> Date = { Date() }, jitter: @escaping @Sendable () -> Double = Throttle.chance
    ) {
        (self.configuration, self.cache, self.nonces, self.now) = (configuration, cache, nonces, now)
        self.jitter = jitter
    }

    /// With a store that is followed if it is moved: see ``/TokenCache/TokenCache/watched``.
    package var watched: CachedClient {
        CachedClient(configuration, cache.watched, nonces: nonces, now: now, jitter: jitter)
    }

    package func isOfProvider(_ account: Account, at authority: Authority, in snapshot: CacheSnapshot) -> Bool {
        let place = ResolvedRequest.place(of: account, authority, configuration)
        return ResolvedRequest.belongs(account, to: place, in: snapshot, configuration)
    }

    /// The current content of the store. Reads on the calling thread, which may block: on ``BlockingExecutor`` or a
    /// dedicated thread.
    package func snapshot() throws(Failure) -> CacheSnapshot {
        do { return try cache.read() } catch { throw Failure(error) }
    }

    /// The cached access token that a silent call would return immediately; nil if it would send, write, wait or fail.
    /// Steps are only reported for a returned token.
    ///
    /// - Throws: ``/Identity/Failure`` if the token's proof of possession cannot be created.
    package func cachedToken(
        for request: TokenRequest, from snapshot: CacheSnapshot, onStep: @escaping @Sendable (Step) -> Void
    ) throws(Failure) -> AcquiredToken? {
        try CachedCall(self, request, StepRecorder(onStep)).token(from: snapshot)
    }

    /// If a silent call would refresh, waits as long as it would for another process to store a token. Sends no request
    /// and does not write the store; blocks the thread.
    package func tokenRenewedByAnother(
        for request: TokenRequest, from snapshot: CacheSnapshot, onStep: @escaping @Sendable (Step) -> Void
    ) throws(Failure) -> RenewalByAnother {
        try CachedCall(self, request, StepRecorder(onStep)).renewedByAnother(than: snapshot)
    }

    /// The action that a silent call would take now. Sends no request, writes nothing, takes no lock.
    ///
    /// - Parameter sideFiles: the files next to the store; nil reads them on the calling thread if needed.
    package func decision(
        on request: TokenRequest, from snapshot: CacheSnapshot, beside sideFiles: SideFiles? = nil, at time: Date? = nil
    ) -> SilentDecision {
        SilentDecision(situation(of: request, snapshot, at: time ?? now(), keepsNewKeys: false, sideFiles: sideFiles))
    }

    /// - Parameters:
    ///   - keepsNewKeys: whether a newly created key is saved; false for callers that must not write the store.
    ///   - sideFiles: the files next to the store; nil reads them when needed.
    package func situation(
        of request: TokenRequest, _ snapshot: CacheSnapshot, at now: Date, turn: SilentSituation.Turn? = nil,
        keepsNewKeys: Bool = true, sideFiles: SideFiles? = nil
    ) -> SilentSituation {
        let keys = ProofKeys(self, known: sideFiles?.keys)
        let cache = cache
        return SilentSituation(
            request: request, snapshot: snapshot, configuration: configuration, now: now, turn: turn,
            binding: { query, account, authority throws(ResolutionError) in
                try keys.binding(for: request, query, account, at: authority, in: snapshot, keepsNewKeys: keepsNewKeys)
            }, throttled: { sideFiles?.throttled(at: now) ?? Throttle.entries(cache, at: now) })
    }
}
