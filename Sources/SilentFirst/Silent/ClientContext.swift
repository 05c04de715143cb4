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
}

extension ClientContext {
    func snapshot() throws(Failure) -> CacheSnapshot { try cached.snapshot() }

    func currentSnapshot() async throws(Failure) -> CacheSnapshot {
        try await BlockingExecutor.run { () throws(Failure) in try snapshot() }
    }

    func remove(_ account: Account, wipe: Bool) throws(Failure) -> (count: Int, entries: RemovedEntries?) {
        do { return try cache.remove(account.id, clientID: wipe ? nil : configuration.clientID) } catch {
            throw Failure(error)
        }
    }
}
