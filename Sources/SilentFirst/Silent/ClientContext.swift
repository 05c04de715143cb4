import FoundationEssentials
import Identity
import SilentCore
import TokenCache

/// A client with its network access. Helpers that need only a part of it take just that.
struct ClientContext: Sendable {
    let cached: CachedClient
    let provider: Provider
    /// Nil if there is none, or it must not be used.
    var broker: TokenBroker?

    var configuration: ClientConfiguration { cached.configuration }
    var cache: TokenCache { cached.cache }
    var now: @Sendable () -> Date { cached.now }

    /// For a call that takes long before it saves: a store that is moved meanwhile is followed.
    var watched: ClientContext { ClientContext(cached: cached.watched, provider: provider, broker: broker) }
}

extension ClientContext {
    func snapshot() throws(Failure) -> CacheSnapshot { try cached.snapshot() }

    func currentSnapshot() async throws(Failure) -> CacheSnapshot {
        try await BlockingExecutor.run { () throws(Failure) in try snapshot() }
    }

    /// - Throws: `notFound` for another provider's account; `storeError`.
    func held(_ account: Account) throws(Failure) -> HeldSignIn { try cached.held(account, in: snapshot()) }

    /// - Parameter pending: the tokens that the provider has yet to revoke.
    func end(_ held: HeldSignIn, wipe: Bool, keepsEntries: Bool = false, pending: [PendingRevocation] = [])
        throws(Failure) -> (count: Int, entries: RemovedEntries?)
    {
        do {
            return try cache.remove(
                held.account.id, clientID: wipe ? nil : held.clientID, keepsEntries: keepsEntries, pending: pending)
        } catch { throw Failure(error) }
    }
}
