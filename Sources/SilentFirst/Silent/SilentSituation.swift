import FoundationEssentials
import Identity
import TokenCache
import Wire

struct SilentSituation: Sendable {
    /// The refresh lock is held: no other call, in any process, refreshes this account now.
    struct Turn: Sendable {
        var since: Date
        var waited: Bool
    }

    let request: TokenRequest
    let snapshot: CacheSnapshot
    let configuration: ClientConfiguration
    let now: Date
    /// Nil before the lock is acquired.
    var turn: Turn?
    let binding: @Sendable (CredentialQuery, Account, Authority) throws(ResolutionError) -> TokenBinding
    /// Returns the throttling state; only called if a refresh would be sent.
    let throttled: @Sendable () -> [ThrottleEntry]
}

extension ClientContext {
    /// - Parameters:
    ///   - keepsNewKeys: whether a newly created key is saved; false for callers that must not write the store.
    ///   - sideFiles: the files next to the store; nil reads them when needed.
    func situation(
        of request: TokenRequest, _ snapshot: CacheSnapshot, at now: Date, turn: SilentSituation.Turn? = nil,
        keepsNewKeys: Bool = true, sideFiles: SideFiles? = nil
    ) -> SilentSituation {
        let keys = ProofKeys(configuration, cache, provider.nonces, known: sideFiles?.keys)
        let path = cache.path
        return SilentSituation(
            request: request, snapshot: snapshot, configuration: configuration, now: now, turn: turn,
            binding: { query, account, authority throws(ResolutionError) in
                try keys.binding(for: request, query, account, at: authority, in: snapshot, keepsNewKeys: keepsNewKeys)
            }, throttled: { sideFiles?.throttled(at: now) ?? Throttle.entries(path: path, at: now) })
    }
}
