import FoundationEssentials
import Identity
import TokenCache
import Wire

/// Everything that a silent call depends on.
struct SilentSituation: Sendable {
    /// That the call has its turn to refresh: no other call of any process refreshes this sign-in now.
    struct Turn: Sendable {
        /// When the call began.
        var since: Date
        /// Whether another call was waited for.
        var waited: Bool
    }

    let request: TokenRequest
    let snapshot: CacheSnapshot
    let configuration: ClientConfiguration
    let now: Date
    /// Nil before the turn.
    var turn: Turn?
    /// What the tokens of an account are bound to.
    let binding: @Sendable (CredentialQuery, Account, Authority) throws(Unresolved) -> TokenBinding
    /// What providers asked not to be asked again for a while; looked up only where a refresh would be sent.
    let throttled: @Sendable () -> [ThrottleEntry]
}

extension ClientContext {
    /// Everything that a silent call of this client depends on.
    ///
    /// - Parameters:
    ///   - keepsNewKeys: whether a key that has to be made for the request is kept; whoever only looks does not write
    ///     the store.
    ///   - sideFiles: what lies beside the store; nil reads it when it is needed.
    func situation(
        of request: TokenRequest, _ snapshot: CacheSnapshot, at now: Date, turn: SilentSituation.Turn? = nil,
        keepsNewKeys: Bool = true, sideFiles: SideFiles? = nil
    ) -> SilentSituation {
        let keys = ProofKeys(configuration, cache, provider.nonces, known: sideFiles?.keys)
        let path = cache.path
        return SilentSituation(
            request: request, snapshot: snapshot, configuration: configuration, now: now, turn: turn,
            binding: { query, account, authority throws(Unresolved) in
                try keys.binding(for: request, query, account, at: authority, in: snapshot, keepsNewKeys: keepsNewKeys)
            }, throttled: { sideFiles?.throttled(at: now) ?? Throttle.entries(path: path, at: now) })
    }
}
